"""The document store in an OpenSearch cluster (OS-1 … OS-8)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from hybrid_search.base import validation
from hybrid_search.client.endpoint import Endpoint
from hybrid_search.client.timing import Timing
from hybrid_search.doc_store_adapter import vector_models
from hybrid_search.doc_store_adapter.documents import batch
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.documents.stored_fields import StoredFields
from hybrid_search.doc_store_adapter.engine_store import EngineStore
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.opensearch import opensearch_addresses
from hybrid_search.doc_store_adapter.opensearch.opensearch_access import OpenSearchAccess
from hybrid_search.doc_store_adapter.opensearch.opensearch_client import OpenSearchClient, Request
from hybrid_search.doc_store_adapter.opensearch.opensearch_index import OpenSearchIndex
from hybrid_search.doc_store_adapter.opensearch.opensearch_layout import OwnLayout
from hybrid_search.doc_store_adapter.opensearch.opensearch_ragflow import RagflowLayout
from hybrid_search.doc_store_adapter.opensearch.opensearch_reader import OpenSearchReader
from hybrid_search.doc_store_adapter.opensearch.opensearch_transport import OpenSearchTransport, Transport
from hybrid_search.doc_store_adapter.opensearch.opensearch_writer import Become, OpenSearchWriter
from hybrid_search.errors import DocStoreError

OPTIONS = (
    "url", "index", "user", "password", "api_key", "ca_file", "client_certificate", "client_key", "create", "shards",
    "replicas", "refresh", "timeout", "partial_answers", "dense", "max_clauses", "transport", "timing",
)  # fmt: skip
REFRESH = ("true", "wait_for", "false")
PARTIAL_ANSWERS = ("error", "warning")
DENSE = ("approximate", "exact")
LONGEST_TIMEOUT = 86_400.0
MOST_SHARDS = 1_024


class OpenSearchDocStore(EngineStore):
    """Documents in an OpenSearch cluster, found by its BM25 and its k-NN, fused and reranked by this library.

    Similarities after the rerank are computed from the stored values, so that they have the same bits as in every
    store. The candidates and their scores before the rerank are the engine's: its BM25 rounds lengths and counts
    removed documents for a while, and its nearest neighbours are approximate. A document is written as a whole or not
    at all. A batch may be written in part: the `DocStoreError` states the number of written documents.

    ```python
    store = OpenSearchDocStore("http://127.0.0.1:9200", "handbook")
    ```

    Args:
        url: the address of a node, or of several nodes.
        index: the alias of the index; a missing index is created.
        user: the name of the user; `None` for no authentication.
        password: a callable that returns the password of the user.
        api_key: an API key instead of a user, as its header contains it, or a callable that returns the key.
        ca_file: a file with the certificates of trusted authorities; `None` for those of the system.
        client_certificate: a file with the certificate by which the cluster recognizes this program.
        client_key: a file with the key of that certificate; `None` if `client_certificate` contains it.
        create: whether a missing index is created; otherwise it is an error.
        shards: the number of shards of a new index.
        replicas: the number of replicas of each shard of a new index.
        refresh: "true": searches find written documents at once; "wait_for": a write waits until searches find them;
            "false": searches find them later, usually within a second.
        timeout: the maximum number of seconds for a request, with all attempts and pauses.
        partial_answers: "error" or "warning": whether a response without some of the documents, after a second attempt,
            raises a `DocStoreError` or writes a log line.
        dense: "approximate" or "exact": whether a dense leg uses the graph or compares all vectors.
        max_clauses: the maximum number of clauses of a query. A new index raises the cluster's limit to this number; if
            that fails, the clauses with the lowest boosts are omitted with a warning.
        transport: sends requests instead of opensearch-py: an object with `request(method, path, body, timeout)`.
        timing: the clock, the sleep function and the random numbers, for tests.

    Raises:
        InvalidInputError: an option is unknown or not acceptable.
        ConfigurationError: opensearch-py is not installed.
        DocStoreError: the cluster does not respond, or the index was not made by this library.
    """

    _layout: Any = OwnLayout
    _engine: OpenSearchReader

    @validation.known_options(OPTIONS)
    def __init__(
        self,
        url: str | Sequence[str],
        index: str,
        user: str | None = None,
        password: Callable[[], str] | None = None,
        ca_file: str | None = None,
        shards: int = 1,
        replicas: int = 1,
        refresh: str = "true",
        timeout: float = 30.0,
        partial_answers: str = "error",
        dense: str = "approximate",
        max_clauses: int = 16_384,
        transport: Transport | None = None,
        timing: Timing | None = None,
        *,
        api_key: str | Callable[[], str] | None = None,
        client_certificate: str | None = None,
        client_key: str | None = None,
        create: bool = True,
    ) -> None:
        urls = opensearch_addresses.accepted(url)
        shards = validation.integer("shards", shards, 1, MOST_SHARDS)
        replicas = validation.integer("replicas", replicas, 0, MOST_SHARDS)
        refresh = validation.choice("refresh", refresh, REFRESH)
        seconds = validation.number("timeout", timeout, 0.001, LONGEST_TIMEOUT)
        tolerant = validation.choice("partial_answers", partial_answers, PARTIAL_ANSWERS) == "warning"
        self._exact = validation.choice("dense", dense, DENSE) == "exact"
        self._max_clauses = validation.integer("max_clauses", max_clauses, 1)
        addresses = len(urls) if transport is None else 1
        if transport is None:
            access = OpenSearchAccess(user, password, api_key, ca_file, client_certificate, client_key)
            transport = OpenSearchTransport(urls, access)
        name = f"OpenSearch at {Endpoint('url', urls[0]).shown}"
        self._client = OpenSearchClient(transport, name, seconds, tolerant, timing or Timing(), addresses)
        self._index = OpenSearchIndex(self._client, index, self._layout)
        self._clauses: int | None = None
        if validation.boolean("create", create):
            self._index.opened(shards, replicas, self._max_clauses)
        else:
            self._index.existing()
        self._engine = self._reader_of(self._index.path)
        self._writer = OpenSearchWriter(self._client, self._index.path, self._engine, refresh)

    @classmethod
    def ragflow_index(cls, url: str | Sequence[str], index: str, **options: Any) -> "OpenSearchDocStore":
        """Return a store that reads an index made by RAGFlow, whose vectors must use the engine lucene.

        Args:
            url: as for a store.
            index: the name of the index.
            options: as for a store; nothing is written.
        """
        return _RagflowIndex(url, index, **options)

    @classmethod
    def open(cls, url: str | Sequence[str], index: str, **options: Any) -> Self:
        """Return a store of an index; the same as `OpenSearchDocStore(url, index, **options)`."""
        return cls(url, index, **options)

    @property
    def exact_dense(self) -> bool:
        """See `DocStoreAdapter.exact_dense`; the engine computes cosines of 32-bit floats."""
        return False

    @property
    def atomic_batches(self) -> bool:
        """See `DocStoreAdapter.atomic_batches`; each document is written as a whole or not at all, but not a batch."""
        return False

    @property
    def history_free(self) -> bool:
        """See `DocStoreAdapter.history_free`; the engine counts removed documents until it merges segments."""
        return False

    def insert(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """See `DocStoreAdapter.insert`; all documents are checked first, but a failure may leave some stored."""
        accepted = self._accepted(documents)
        return self._writer.insert(accepted) if accepted else 0

    def update(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """See `DocStoreAdapter.update`; all documents are checked first, but a failure may leave some changed."""
        return self._change(documents, batch.changes)

    def upsert(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """See `DocStoreAdapter.upsert`; all documents are checked first, but a failure may leave some stored."""
        return self._change(documents, batch.replacements)

    def delete(self, identifiers: Sequence[str]) -> int:
        """See `DocStoreAdapter.delete`."""
        checked = validation.texts("identifiers", identifiers)
        self._check_writable()
        return self._writer.delete(self._possible(checked))

    def count(self) -> int:
        """See `DocStoreAdapter.count`."""
        return self._engine.count()

    @property
    def generation(self) -> str:
        """The identity of the index, and for each shard the number of documents and of the last operation on them."""
        return self._engine.generations.read().text

    @property
    def states_generation(self) -> bool:
        """See `DocStoreAdapter.states_generation`; a search can recognize an index whose generation has been read."""
        return self._engine.generations.is_known

    def health(self) -> dict[str, Any]:
        """See `DocStoreAdapter.health`; `status` is that of the index in the cluster: "yellow" without its replicas."""
        generation = self.generation  # asked first, since a cluster waits long for the health of a missing index
        told = self._client.ask(Request("GET", f"/_cluster/health{self._index.path}"))
        return {"status": told["status"], "documents": self.count(), "generation": generation}

    def vector_fields(self) -> dict[str, dict[str, Any]] | None:
        """See `DocStoreAdapter.vector_fields`; a store that is read-only counts nothing."""
        if self._layout.read_only:
            return None
        names = (name for name in self._engine.vector_fields() if name.startswith("v_"))
        fields = [StoredFields.vector_field(size) for size in sorted(int(name.removeprefix("v_")) for name in names)]
        counts = {field: self._held(field) for field in fields}
        return vector_models.described(counts, self._index.sources(), self._engine.count())

    def keep_vector_model(self, field: str, model: str | None, origin: str = "index") -> None:
        """See `DocStoreAdapter.keep_vector_model`."""
        self._check_writable()
        sources = self._index.sources()
        kept = vector_models.keep(sources, field, model, origin, lambda name: self._held(name) > 0)
        if kept is not None:
            self._index.keep_sources({**sources, field: kept})

    def reindex(self, shards: int | None = None, replicas: int | None = None) -> str:
        """Copy all documents into a new index, and use that one from then on.

        Searches continue meanwhile. Writes wait while the last changes are copied, at most `timeout` seconds.

        Args:
            shards: the number of shards of the new index; `None` for the same number as before.
            replicas: the number of replicas of each shard; `None` for the same number as before.

        Returns:
            The name of the new index.

        Raises:
            DocStoreError: it failed; the previous index is still in use.
        """
        self._check_writable()
        parts = None if shards is None else validation.integer("shards", shards, 1, MOST_SHARDS)
        copies = None if replicas is None else validation.integer("replicas", replicas, 0, MOST_SHARDS)
        return self._index.reindex(self._reader_of, parts, copies)

    def clean(self, dry_run: bool = False) -> list[str]:
        """Remove the indexes that interrupted reindexes have left, and return their names.

        The index in use takes changes again. A reindex that is at work fails; the previous index stays in use.

        Args:
            dry_run: whether to change nothing and only return the names.
        """
        self._check_writable()
        return self._index.clean(validation.boolean("dry_run", dry_run))

    def _possible(self, identifiers: Sequence[str]) -> list[str]:
        """See `EngineStore`; an id that is too long for an index is not stored."""
        return OwnLayout.possible(identifiers)

    def _read(self, identifiers: Sequence[str], needed: Sequence[str] | None) -> Mapping[str, Mapping[str, Any]]:
        """See `EngineStore`; if the documents have the fields of a rerank separately, only these are read (OS-11)."""
        if needed is None or self._layout.read_only:
            return super()._read(identifiers, needed)
        found = self._engine.ranked.read(identifiers, needed)
        others = [one for one in identifiers if one not in found]
        return {**found, **super()._read(others, needed)} if others else found

    def _change(self, documents: Sequence[Mapping[str, Any]], become: Become) -> int:
        accepted = self._accepted(documents)
        return self._writer.change(accepted, become) if accepted else 0

    def _accepted(self, documents: Sequence[Mapping[str, Any]]) -> list[StoredDocument]:
        accepted = batch.accept(documents)
        self._check_writable()
        self._layout.accept(accepted, self._client.engine)
        return accepted

    def _check_writable(self) -> None:
        if self._layout.read_only:
            raise DocStoreError("an index that RAGFlow made can only be read")

    def _held(self, field: str) -> int:
        """Return the number of documents that have a field."""
        return self._engine.page(Filters({field: {"exists": True}}), 0, 0)[0]

    def _reader_of(self, path: str) -> OpenSearchReader:
        return OpenSearchReader(self._client, path, self._layout, self._most_clauses, self._exact, self._index.existing)

    def _most_clauses(self) -> int:
        if self._clauses is None:
            self._clauses = self._index.most_clauses(self._max_clauses)
        return self._clauses


class _RagflowIndex(OpenSearchDocStore):
    """A store that reads an index made by RAGFlow."""

    _layout = RagflowLayout

    @property
    def supports_bm25f(self) -> bool:
        """See `DocStoreAdapter.supports_bm25f`; RAGFlow's documents have no whole identifiers."""
        return False

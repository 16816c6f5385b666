"""The document store in an OpenSearch cluster (OS-1 … OS-7)."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Self

from hybrid_search.base import validation
from hybrid_search.client.endpoint import Endpoint
from hybrid_search.client.timing import Timing
from hybrid_search.doc_store_adapter import vector_models
from hybrid_search.doc_store_adapter.base import Ranking
from hybrid_search.doc_store_adapter.checked_store import CheckedStore, StoreSearch
from hybrid_search.doc_store_adapter.documents import batch
from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.documents.stored_fields import StoredFields
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.opensearch import opensearch_addresses
from hybrid_search.doc_store_adapter.opensearch.opensearch_access import OpenSearchAccess
from hybrid_search.doc_store_adapter.opensearch.opensearch_client import OpenSearchClient, Request
from hybrid_search.doc_store_adapter.opensearch.opensearch_index import OpenSearchIndex
from hybrid_search.doc_store_adapter.opensearch.opensearch_layout import OwnLayout
from hybrid_search.doc_store_adapter.opensearch.opensearch_ragflow import RagflowLayout
from hybrid_search.doc_store_adapter.opensearch.opensearch_reader import OpenSearchReader, StoredVersion
from hybrid_search.doc_store_adapter.opensearch.opensearch_transport import OpenSearchTransport, Transport
from hybrid_search.doc_store_adapter.opensearch.opensearch_writer import Become, OpenSearchWriter
from hybrid_search.doc_store_adapter.queries import aggregations
from hybrid_search.doc_store_adapter.queries.highlight import Highlight
from hybrid_search.doc_store_adapter.queries.match_exprs import MatchExprs
from hybrid_search.doc_store_adapter.queries.recall_features import RecallFeatures
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.errors import DocStoreError
from hybrid_search.fusion.fusion import Fusion

OPTIONS = (
    "url", "index", "user", "password", "api_key", "ca_file", "client_certificate", "client_key", "create", "shards",
    "replicas", "refresh", "timeout", "partial_answers", "dense", "max_clauses", "transport", "timing",
)  # fmt: skip
REFRESH = ("true", "wait_for", "false")
PARTIAL_ANSWERS = ("error", "warning")
DENSE = ("approximate", "exact")
LONGEST_TIMEOUT = 86_400.0
MOST_SHARDS = 1_024
MOST_ATTEMPTS = 3
"""The maximum number of times that documents are fetched if some were removed after the search had found them."""

PageWithout = Callable[[set[str]], tuple[int, Ranking]]
"""Returns the number of found documents and a page of them, without the given removed ones."""


class OpenSearchDocStore(CheckedStore):
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
        index: the alias of the index; an index is created if there is none.
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
        self._reader = self._reader_of(self._index.path)
        self._writer = OpenSearchWriter(self._client, self._index.path, self._reader, refresh)

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
        return self._writer.delete(OwnLayout.possible(checked))

    def get(self, identifier: str) -> dict[str, Any] | None:
        """See `DocStoreAdapter.get`; a document is available as soon as it is written."""
        wanted = OwnLayout.possible([validation.text("identifier", identifier)])
        found = self._reader.documents(wanted).get(identifier) if wanted else None
        return None if found is None else {**found.document.fields, **found.document.vectors}

    def count(self) -> int:
        """See `DocStoreAdapter.count`."""
        return self._reader.count()

    @property
    def generation(self) -> str:
        """The identity of the index, and for each shard the number of documents and of the last operation on them."""
        found = self._index.existing()
        sequences = self._reader.sequences(found.shards)
        return ".".join([found.uuid, *(f"{count}-{last}" for count, last in sequences)])

    def health(self) -> dict[str, Any]:
        """See `DocStoreAdapter.health`; `status` is that of the index in the cluster: "yellow" without its replicas."""
        generation = self.generation  # asked first, since a cluster waits long for the health of a missing index
        told = self._client.ask(Request("GET", f"/_cluster/health{self._index.path}"))
        return {"status": told["status"], "documents": self.count(), "generation": generation}

    def vector_fields(self) -> dict[str, dict[str, Any]] | None:
        """See `DocStoreAdapter.vector_fields`; a store that is read-only counts nothing."""
        if self._layout.read_only:
            return None
        names = (name for name in self._reader.vector_fields() if name.startswith("v_"))
        fields = [StoredFields.vector_field(size) for size in sorted(int(name.removeprefix("v_")) for name in names)]
        counts = {field: self._held(field) for field in fields}
        return vector_models.described(counts, self._index.sources(), self._reader.count())

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

    def _search(self, wanted: StoreSearch) -> SearchResult:
        is_arranged = not wanted.order.is_empty() or bool(wanted.agg_fields)
        if wanted.match.text is None and wanted.match.dense is None and not is_arranged:
            return self._result(wanted, lambda gone: self._listed(wanted, gone), {})
        features: Mapping[str, float] = {}
        if wanted.features is None or wanted.match.text is None:
            ranking = self._rank(wanted.match, wanted.filters)
        else:
            ranking, features = self._featured(wanted, wanted.features)
        aggs: dict[str, Any] = {}
        if is_arranged:
            fields = self._fields([identifier for identifier, _ in ranking])
            ranking = [pair for pair in ranking if pair[0] in fields]
            wanted.order.arrange(ranking, lambda path, ids: [path.value(fields[identifier]) for identifier in ids])
            for field in wanted.agg_fields:
                path = FieldPath.of(field)
                aggs[field] = aggregations.count([path.value(fields[identifier]) for identifier, _ in ranking])
        return self._result(wanted, lambda gone: _cut(wanted, ranking, gone), aggs, features)

    def _listed(self, wanted: StoreSearch, gone: set[str]) -> tuple[int, Ranking]:
        """Return the number of documents, and a page of them without the removed ones."""
        total, identifiers = self._reader.page(wanted.filters, wanted.offset, wanted.limit + len(gone))
        left = [(identifier, 0.0) for identifier in identifiers if identifier not in gone]
        return total - len(gone), left[: wanted.limit]

    def _rank(self, match: MatchExprs, filters: Filters) -> Ranking:
        if match.text is None and match.dense is None:
            return [(identifier, 0.0) for identifier in self._reader.listed(filters)]
        return self._fused(match, *self._reader.legs(match, filters))

    @staticmethod
    def _fused(match: MatchExprs, text: Ranking, dense: Ranking) -> Ranking:
        if match.fusion is not None:
            return Fusion.fuse(match.fusion, [text, dense], ["min_max", "none"])
        return dense if match.text is None else text

    def _featured(self, wanted: StoreSearch, features: RecallFeatures) -> tuple[Ranking, Mapping[str, float]]:
        """Return the ranking in which features count, and what they add (RNK-10)."""
        text, dense = self._reader.legs(wanted.match, wanted.filters, features.paths)
        fields = self._fields([identifier for identifier, _ in text])
        assert wanted.match.text is not None
        leg = features.leg(
            text, wanted.match.text.topn, lambda path, ids: [path.value(fields.get(one, {})) for one in ids]
        )
        weighted = leg.weighted(wanted.match.fusion, dense)
        return self._fused(wanted.match, leg.ranking, dense) if weighted is None else weighted, leg.features

    def _result(
        self,
        wanted: StoreSearch,
        page_without: PageWithout,
        aggs: Mapping[str, Any],
        features: Mapping[str, float] = MappingProxyType({}),
    ) -> SearchResult:
        """Return the result of a search; if found documents were removed meanwhile, the next ones replace them."""
        gone: set[str] = set()
        for _ in range(MOST_ATTEMPTS):
            total, page = page_without(gone)
            stored = self._stored(wanted, [identifier for identifier, _ in page])
            missing = [identifier for identifier, _ in page if identifier not in stored]
            if not missing:
                break
            gone.update(missing)
        page = [pair for pair in page if pair[0] in stored]
        documents = {identifier: stored[identifier].document for identifier, _ in page}
        return SearchResult(
            total=total,
            ids=list(documents),
            fields={identifier: _select(document, wanted.selected) for identifier, document in documents.items()},
            scores=dict(page),
            query_vector=None if wanted.match.dense is None else list(wanted.match.dense.vector),
            highlight=_highlights(documents, wanted.highlight_fields, Highlight(wanted.keywords)),
            aggs=aggs,
            keywords=wanted.keywords,
            features=features,
        )

    def _stored(self, wanted: StoreSearch, identifiers: Sequence[str]) -> dict[str, StoredVersion]:
        selected = wanted.selected
        vectors = None if selected is None else [name for name in selected if name.endswith("_vec")]
        return self._reader.documents(identifiers, vectors) if identifiers else {}

    def _fields(self, identifiers: Sequence[str]) -> dict[str, dict[str, Any]]:
        found = self._reader.documents(identifiers, [])
        return {identifier: stored.document.fields for identifier, stored in found.items()}

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
        return self._reader.page(Filters({field: {"exists": True}}), 0, 0)[0]

    def _reader_of(self, path: str) -> OpenSearchReader:
        return OpenSearchReader(self._client, path, self._layout, self._most_clauses, self._exact)

    def _most_clauses(self) -> int:
        if self._clauses is None:
            self._clauses = self._index.most_clauses(self._max_clauses)
        return self._clauses


class _RagflowIndex(OpenSearchDocStore):
    """A store that reads an index made by RAGFlow."""

    _layout = RagflowLayout


def _cut(wanted: StoreSearch, ranking: Ranking, gone: set[str]) -> tuple[int, Ranking]:
    """Return the length of a ranking, and a page of it, both without the removed documents."""
    left = [pair for pair in ranking if pair[0] not in gone] if gone else ranking
    return len(left), left[wanted.offset : wanted.offset + wanted.limit]


def _select(document: StoredDocument, selected: Sequence[str] | None) -> dict[str, Any]:
    everything = {**document.fields, **document.vectors}
    return everything if selected is None else {name: everything[name] for name in selected if name in everything}


def _highlights(documents: Mapping[str, StoredDocument], fields: Sequence[str], highlight: Highlight) -> dict[str, str]:
    marked: dict[str, str] = {}
    for identifier, document in documents.items():
        values = (document.fields.get(field) for field in fields)
        texts = (highlight.mark(value) for value in values if isinstance(value, str))
        found = next((text for text in texts if text is not None), None)
        if found is not None:
            marked[identifier] = found
    return marked

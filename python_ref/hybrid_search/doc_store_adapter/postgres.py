"""The document store in PostgreSQL, which both languages read and write (PG-1 … PG-6)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self, Unpack

from hybrid_search import _validation as validation
from hybrid_search._kernels import kernel
from hybrid_search.doc_store_adapter import _batch as batch
from hybrid_search.doc_store_adapter import _stored_document as stored_document
from hybrid_search.doc_store_adapter import _vector_models as vector_models
from hybrid_search.doc_store_adapter._bm25 import Bm25
from hybrid_search.doc_store_adapter._match_exprs import MatchExprs
from hybrid_search.doc_store_adapter._memory_search import MemorySearch
from hybrid_search.doc_store_adapter._memory_snapshot import MemorySnapshot
from hybrid_search.doc_store_adapter._postgres_database import PostgresDatabase
from hybrid_search.doc_store_adapter._postgres_writer import PostgresWriter
from hybrid_search.doc_store_adapter._stored_document import StoredDocument
from hybrid_search.doc_store_adapter.base import DocStoreAdapter, Ranking
from hybrid_search.doc_store_adapter.filters import Filters
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.errors import InvalidInputError
from hybrid_search.expressions import MatchDenseExpr, MatchTextExpr

OPTIONS = ("connection", "collection", "bm25", "kernels", "migrate", "timeout", "connections", "dense")
DENSE = ("exact", "hnsw")
LONGEST_TIMEOUT = 86_400.0
LONGEST_NAME = 63
"""How many bytes of UTF-8 PostgreSQL keeps of a name."""
MOST_INDEXED = 2000
"""How many components pgvector's indexes take."""

Changes = list[tuple[StoredDocument | None, StoredDocument | None]]
Become = Callable[[Sequence[StoredDocument], batch.Stored], list[StoredDocument]]
"""What documents that are given become, beside those that are stored."""


class PostgresDocStore(DocStoreAdapter):
    """Documents in PostgreSQL with pgvector; scores and order are those of a `MemoryDocStore`, bit for bit.

    A batch is one transaction. Each search sees one state. Any number of processes of either language read and write;
    writers of a collection take turns. Safe to use from several threads, and in a forked child.

    ```python
    with PostgresDocStore("postgresql://localhost/library", collection="handbook") as store:
        print(store.count())
    ```

    Args:
        connection: a URL or other text that tells libpq how to connect, a connection of psycopg 3, or a pool of such
            with `getconn` and `putconn`. What is given as an object stays open.
        collection: the name of the schema that holds the documents.
        bm25: "okapi" (as `rank_bm25.BM25Okapi`) or "lucene".
        kernels: "plain" or "fast", see `kernels.choice`.
        migrate: whether the collection is made where there is none.
        timeout: for how many seconds a statement may take, and a connection may be waited for.
        connections: how many connections are made at the most, where a text was given.
        dense: "exact", or "hnsw": the nearest are taken from an index that `build_index` has made (PG-6).

    Raises:
        InvalidInputError: an option is unknown or not acceptable.
        DocStoreError: there is no connection or no collection, or this version cannot read it; likewise from every
            method.
        ConfigurationError: psycopg is not installed.
    """

    def __init__(
        self,
        connection: Any,
        collection: str = "hybrid_search",
        bm25: str = "okapi",
        kernels: str | None = None,
        migrate: bool = True,
        timeout: float = 30.0,
        connections: int = 4,
        dense: str = "exact",
        **unknown: Unpack[validation.NoOptions],
    ) -> None:
        validation.known("option", unknown, OPTIONS)
        self.collection = _name(collection)
        self._approximate = validation.choice("dense", dense, DENSE) == "hnsw"
        self._documents = kernel("postgres_documents", kernels)(Bm25.of(bm25), self._approximate)
        self._database = PostgresDatabase(
            _connection(connection),
            self.collection,
            validation.boolean("migrate", migrate),
            validation.number("timeout", timeout, 0.001, LONGEST_TIMEOUT),
            validation.integer("connections", connections, 1),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store's own connections; every other method then is a `DocStoreError`."""
        self._database.close()

    def insert(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """See `DocStoreAdapter.insert`."""

        def become(accepted: Sequence[StoredDocument], stored: batch.Stored) -> list[StoredDocument]:
            batch.check_new(accepted, lambda identifier: stored(identifier) is not None)
            return list(accepted)

        return self._change(documents, become)

    def update(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """See `DocStoreAdapter.update`."""
        return self._change(documents, batch.changes)

    def upsert(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """See `DocStoreAdapter.upsert`."""
        return self._change(documents, batch.replacements)

    def delete(self, identifiers: Sequence[str]) -> int:
        """See `DocStoreAdapter.delete`."""
        checked = validation.texts("identifiers", identifiers)
        return self._write(checked, lambda stored: [(document, None) for document in stored.values()])

    def get(self, identifier: str) -> dict[str, Any] | None:
        """See `DocStoreAdapter.get`."""
        validation.text("identifier", identifier)
        with self._database.reading() as tables:
            for document in tables.stored(tables.documents(list(tables.numbers_of([identifier]).values()))):
                return {**document.fields, **document.vectors}
            return None

    def count(self) -> int:
        """See `DocStoreAdapter.count`."""
        with self._database.reading() as tables:
            return tables.count

    @property
    def generation(self) -> int:
        """How many batches have changed something, since the collection was made."""
        with self._database.reading() as tables:
            return tables.generation

    def health(self) -> dict[str, Any]:
        """See `DocStoreAdapter.health`."""
        with self._database.reading() as tables:
            return {"status": "green", "documents": tables.count, "generation": tables.generation}

    @property
    def exact_text(self) -> bool:
        """See `DocStoreAdapter.exact_text`."""
        return True

    @property
    def exact_dense(self) -> bool:
        """See `DocStoreAdapter.exact_dense`."""
        return not self._approximate

    def stats(self) -> dict[str, Any]:
        """See `DocStoreAdapter.stats`; reads all documents."""
        with self._database.reading() as tables:
            documents = self._documents.state(tables)
            return MemorySnapshot(documents, tables.generation, tables.vector_models()).stats()

    def vector_models(self) -> dict[str, str]:
        """See `DocStoreAdapter.vector_models`."""
        with self._database.reading() as tables:
            return tables.vector_models()

    def keep_vector_model(self, field: str, model: str) -> None:
        """See `DocStoreAdapter.keep_vector_model`."""
        with self._database.reading() as tables:
            if vector_models.keep(tables.vector_models(), field, model, lambda _: False) is None:
                return
        with self._database.writing() as tables:
            vector_models.keep(tables.vector_models(), field, model, tables.holds_vectors)
            tables.connection.run("keep_vector_model", field.encode("utf-8"), model.encode("utf-8"))
            tables.connection.run("change_state")

    def build_index(self, field: str, m: int = 16, ef_construction: int = 64) -> None:
        """Make an HNSW index of a vector field, for searches with `dense="hnsw"` (PG-6); batches wait for it.

        Args:
            field: a field of which vectors are stored, of at most 2,000 components.
            m: how many neighbours a vector is linked with on each level.
            ef_construction: how many candidates are explored for each.

        Raises:
            InvalidInputError: no such field, or a number that pgvector does not take.
        """
        dimension = stored_document.vector_dimension("field", validation.text("field", field))
        if dimension > MOST_INDEXED:
            raise validation.fail("field", field, f"a vector field of at most {MOST_INDEXED} components")
        links = validation.integer("m", m, 2, 100)
        explored = validation.integer("ef_construction", ef_construction, 2 * links, 1000)
        with self._database.reading() as tables:
            row = tables.fields.get(field)
        if row is None:
            raise validation.fail("field", field, "a field of which vectors are stored")
        self._database.make_approximate(row.field, dimension, links, explored)

    def drop(self) -> None:
        """Remove the collection with all its documents, for ever, and close the store."""
        self._database.drop()

    def search(
        self,
        select_fields: Sequence[str] | None = None,
        filters: Mapping[str, Any] | None = None,
        match_exprs: Sequence[Any] = (),
        order_by: Sequence[Sequence[str]] = (),
        limit: int = 10,
        offset: int = 0,
        rank_feature: Mapping[str, Any] | None = None,
        *,
        highlight_fields: Sequence[str] = (),
        agg_fields: Sequence[str] = (),
        keywords: Sequence[str] = (),
    ) -> SearchResult:
        """See `DocStoreAdapter.search`."""
        wanted = MemorySearch(
            select_fields, filters, match_exprs, order_by, limit, offset, rank_feature, highlight_fields, agg_fields,
            keywords,
        )  # fmt: skip
        with self._snapshot() as snapshot:
            return snapshot.search(wanted)

    def rank(self, match_exprs: Sequence[Any], filters: Mapping[str, Any] | None = None) -> Ranking:
        """See `DocStoreAdapter.rank`."""
        parsed, accepted = MatchExprs(match_exprs), Filters(filters)
        with self._snapshot() as snapshot:
            return snapshot.rank(parsed, accepted)

    def text_leg(self, expr: MatchTextExpr, filters: Mapping[str, Any] | None = None) -> Ranking:
        """The documents that match a text query, at most its `topn`, in the order of ORD-1."""
        return self.rank([expr], filters)

    def dense_leg(self, expr: MatchDenseExpr, filters: Mapping[str, Any] | None = None) -> Ranking:
        """The documents nearest to a vector, at most its `topn`, only with enough similarity, by ORD-1."""
        return self.rank([expr], filters)

    @contextmanager
    def _snapshot(self) -> Iterator[MemorySnapshot]:
        with self._database.reading() as tables:
            yield MemorySnapshot(self._documents.state(tables), tables.generation)

    def _change(self, documents: Sequence[Mapping[str, Any]], become: Become) -> int:
        accepted = batch.accept(documents)

        def changes(stored: Mapping[str, StoredDocument]) -> Changes:
            changed = become(accepted, stored.get)
            return [(stored.get(document.identifier), document) for document in changed]

        return self._write([document.identifier for document in accepted], changes)

    def _write(self, identifiers: Sequence[str], changes: Callable[[Mapping[str, StoredDocument]], Changes]) -> int:
        """Make and write a batch of what is stored under some ids; gives how many documents are in it."""
        with self._database.writing() as tables:
            numbers = tables.numbers_in_batch(identifiers)
            stored = tables.stored_under(list(numbers.values()))
            found = changes({document.identifier: document for document in stored})
            if found:
                PostgresWriter(tables).write(found, numbers)
            return len(found)


def _name(collection: Any) -> str:
    name = validation.text("collection", collection)
    if not name or "\0" in name or len(name.encode("utf-8")) > LONGEST_NAME:
        raise validation.fail("collection", name, f"a name of 1 to {LONGEST_NAME} bytes without U+0000")
    return name


def _connection(connection: Any) -> Any:
    if isinstance(connection, str):
        return validation.text("connection", connection)
    is_pool = hasattr(connection, "getconn") and hasattr(connection, "putconn")
    if is_pool or hasattr(connection, "transaction"):
        return connection
    raise InvalidInputError("connection must be a URL, a connection of psycopg or a pool of such")

"""The document store in PostgreSQL, which both languages read and write (PG-1 … PG-6)."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from hybrid_search.base import validation
from hybrid_search.base.kernels import kernel
from hybrid_search.doc_store_adapter import vector_models
from hybrid_search.doc_store_adapter.documents import stored_document
from hybrid_search.doc_store_adapter.postgres.postgres_database import PostgresDatabase
from hybrid_search.doc_store_adapter.postgres.postgres_tables import PostgresTables
from hybrid_search.doc_store_adapter.postgres.postgres_writer import PostgresWriter
from hybrid_search.doc_store_adapter.snapshot.bm25 import Bm25
from hybrid_search.doc_store_adapter.tables.table_store import TableStore
from hybrid_search.errors import InvalidInputError

OPTIONS = ("connection", "collection", "bm25", "kernels", "migrate", "timeout", "connections", "dense", "memory")
DENSE = ("exact", "hnsw")
LONGEST_TIMEOUT = 86_400.0
MEGABYTE = 1 << 20
LONGEST_NAME = 63
"""The maximum number of UTF-8 bytes of a name in PostgreSQL."""
OTHERS = ("public", "information_schema")
"""Schemas that every database has."""
MOST_INDEXED = 2000
"""The maximum number of components of a vector in an index of pgvector."""


class PostgresDocStore(TableStore[PostgresTables]):
    """Documents in PostgreSQL with pgvector; scores and order equal those of a `MemoryDocStore`, bit for bit.

    A batch is one transaction, and each search sees one state. Any number of processes in either language may read and
    write; the writers of a collection take turns. The store is safe to use from several threads, and in a forked child.

    ```python
    with PostgresDocStore("postgresql://localhost/library", collection="handbook") as store:
        print(store.count())
    ```

    Args:
        connection: a URL or another connection string of libpq, a connection of psycopg 3, or a pool of connections
            with `getconn` and `putconn`. The store does not close a given connection or pool.
        collection: the name of the schema that contains the documents.
        bm25: "okapi" (as `rank_bm25.BM25Okapi`) or "lucene".
        kernels: "plain" or "fast", see `kernels.choice`.
        migrate: whether a missing collection is created.
        timeout: the maximum number of seconds for a statement, and for waiting for a connection.
        connections: the maximum number of connections that the store creates from a connection string.
        dense: "exact", or "hnsw" to find the nearest vectors with an index made by `build_index` (PG-6).
        memory: the number of megabytes of lengths, ids and postings to cache between searches.

    Raises:
        InvalidInputError: an option is unknown or not acceptable.
        DocStoreError: the server cannot be reached, the collection does not exist, or this version cannot read it.
            Every method raises it for the same reasons.
        ConfigurationError: psycopg is not installed.
    """

    @validation.known_options(OPTIONS)
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
        memory: int = 256,
    ) -> None:
        self.collection = _name(collection)
        memory = validation.integer("memory", memory, 0) * MEGABYTE
        self._approximate = validation.choice("dense", dense, DENSE) == "hnsw"
        super().__init__(kernel("postgres_documents", kernels)(Bm25.of(bm25), (self._approximate, memory)))
        self._database = PostgresDatabase(
            _connection(connection),
            self.collection,
            validation.boolean("migrate", migrate),
            validation.number("timeout", timeout, 0.001, LONGEST_TIMEOUT),
            validation.integer("connections", connections, 1),
            self._approximate,
        )

    def close(self) -> None:
        """Close the store's own connections; all other methods then raise `DocStoreError`."""
        self._database.close()

    @property
    def states_generation(self) -> bool:
        """See `DocStoreAdapter.states_generation`; a search reads it in its own transaction."""
        return True

    @property
    def exact_dense(self) -> bool:
        """See `DocStoreAdapter.exact_dense`."""
        return not self._approximate

    def build_index(self, field: str, m: int = 16, ef_construction: int = 64) -> None:
        """Create an HNSW index of a vector field for searches with `dense="hnsw"` (PG-6); batches wait for it.

        Args:
            field: a field with stored vectors of at most 2,000 components.
            m: the number of neighbours that a vector is linked to on each level, 2 to 100.
            ef_construction: the number of candidates that are explored for each vector, 2·m to 1,000.

        Raises:
            InvalidInputError: there is no such field, or a number is outside its range.
        """
        dimension = stored_document.vector_dimension("field", validation.text("field", field))
        if dimension > MOST_INDEXED:
            raise validation.fail("field", field, f"a vector field of at most {MOST_INDEXED} components")
        links = validation.integer("m", m, 2, 100)
        explored = validation.integer("ef_construction", ef_construction, 2 * links, 1000)
        with self._reading() as tables:
            row = tables.fields.get(field)
        if row is None:
            raise validation.fail("field", field, "a field of which vectors are stored")
        self._database.make_approximate(row.field, dimension, links, explored)

    def drop(self) -> None:
        """Remove the collection with all its documents permanently, and close the store.

        The schema stays if it contains other objects, or if another role owns it.
        """
        self._database.drop()

    def _reading(self) -> AbstractContextManager[PostgresTables]:
        return self._database.reading()

    def _writing(self) -> AbstractContextManager[PostgresTables]:
        return self._database.writing()

    def _numbers_in_batch(self, tables: PostgresTables, identifiers: Sequence[str]) -> dict[str, int]:
        return tables.numbers_in_batch(identifiers)

    def _writer(self, tables: PostgresTables) -> PostgresWriter:
        return PostgresWriter(tables)

    def _counted_vectors(self, tables: PostgresTables) -> Mapping[str, int]:
        return {} if self._approximate else tables.vector_counts()

    def _vector_facts(self, tables: PostgresTables) -> Callable[[], vector_models.Fields]:
        return lambda: vector_models.described(tables.vector_counts(), tables.sources(), tables.count)


def _name(collection: Any) -> str:
    name = validation.text("collection", collection)
    if not name or "\0" in name or len(name.encode("utf-8")) > LONGEST_NAME:
        raise validation.fail("collection", name, f"a name of 1 to {LONGEST_NAME} bytes without U+0000")
    if name in OTHERS or name.startswith("pg_"):
        raise validation.fail("collection", name, "a schema of its own, not public, information_schema or one of pg_…")
    return name


def _connection(connection: Any) -> Any:
    if isinstance(connection, str):
        return validation.text("connection", connection)
    is_pool = hasattr(connection, "getconn") and hasattr(connection, "putconn")
    if is_pool or hasattr(connection, "transaction"):
        return connection
    raise InvalidInputError("connection must be a URL, a connection of psycopg or a pool of such")

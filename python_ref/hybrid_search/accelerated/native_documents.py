"""The documents of stores whose nearest vectors and best sums the native kernels find (DOC-3, SQL-5, PG-5)."""

from typing import Any

from hybrid_search.accelerated.fast_document_index import FastDocumentIndex
from hybrid_search.accelerated.native_dense_index import NativeDenseIndex
from hybrid_search.accelerated.native_sums import NativeSums
from hybrid_search.accelerated.postgres_documents import CachedCollection, PostgresDocuments, PostgresIndex
from hybrid_search.accelerated.sqlite_documents import CachedFile, SqliteDocuments, SqliteIndex
from hybrid_search.doc_store_adapter.postgres.postgres_tables import PostgresTables
from hybrid_search.doc_store_adapter.sqlite.sqlite_tables import SqliteTables


class NativeDocumentIndex(FastDocumentIndex):
    """The documents of a store in memory."""

    VECTORS: Any = NativeDenseIndex
    SUMS = NativeSums


class NativeSqliteDocuments(SqliteDocuments):
    """The documents of an index file."""

    def _index(self, tables: SqliteTables, cache: CachedFile) -> "NativeSqliteIndex":
        return NativeSqliteIndex(self._bm25, tables, cache)


class NativeSqliteIndex(SqliteIndex):
    """The documents of one state of an index file."""

    SUMS = NativeSums


class NativePostgresDocuments(PostgresDocuments):
    """The documents of a collection in PostgreSQL."""

    def _index(self, tables: PostgresTables, cache: CachedCollection) -> "NativePostgresIndex":
        return NativePostgresIndex(self._bm25, tables, cache, self._approximate)


class NativePostgresIndex(PostgresIndex):
    """The documents of one state of a collection."""

    SUMS = NativeSums

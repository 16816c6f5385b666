"""Finds or creates a collection in OceanBase, and opens transactions on it (OB-1, OB-3, OB-4)."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from hybrid_search.doc_store_adapter.oceanbase import oceanbase_errors, oceanbase_library
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_address import OceanBaseAddress
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_connection import OceanBaseConnection, Row
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_statements import OceanBaseStatements
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_tables import OceanBaseTables
from hybrid_search.doc_store_adapter.tables import vector_screen
from hybrid_search.doc_store_adapter.tables.own_connections import OwnConnections
from hybrid_search.errors import DocStoreError

VERSION = 1
READ = ("set transaction isolation level repeatable read", "start transaction with consistent snapshot")
WRITE = ("set transaction isolation level read committed", "start transaction")
MADE = ("documents", "terms", "tokens", "fields", "models", "meta")
"""The tables of a collection in the order in which they are created; those of vectors follow when they are needed."""


class OceanBaseDatabase:
    """A collection and the connections to it.

    Args:
        address: the address of the server.
        collection: the name of the collection, with which the names of its tables begin.
        migrate: whether a missing collection is created.
        timeout: the maximum number of seconds for a statement.
        connections: the maximum number of connections.

    Raises:
        DocStoreError: the collection does not exist or cannot be used.
        ConfigurationError: pymysql is not installed.
    """

    def __init__(
        self, address: OceanBaseAddress, collection: str, migrate: bool, timeout: float, connections: int
    ) -> None:
        self._errors = (oceanbase_library.load().Error, OSError)
        self.collection = collection
        self._address = address
        self._timeout = timeout
        self._statements = OceanBaseStatements(collection)
        self._pool = OwnConnections(self._connected, connections, timeout, self._failure)
        self._is_closed = False
        self._dimensions: set[int] = set()
        try:
            with self._lent() as connection, self._translated(connection):
                self._find(connection, migrate)
        except BaseException:
            self._pool.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[OceanBaseTables]:
        """Yield the tables in one state."""
        with self._lent(*READ) as connection, self._translated(connection):
            try:
                yield OceanBaseTables(connection, self._checked(connection.row("meta")))
            finally:
                self._roll_back(connection)

    @contextmanager
    def writing(self) -> Iterator[OceanBaseTables]:
        """Yield the tables in their latest state; all changes are committed when the block ends without an error."""
        with self._lent(*WRITE) as connection, self._translated(connection):
            try:
                yield OceanBaseTables(connection, self._checked(connection.row("meta_locked")))
            except BaseException:
                self._roll_back(connection)
                raise
            self._commit(connection)

    def prepare(self, dimensions: Iterable[int]) -> None:
        """Create the missing tables for vectors with these numbers of components."""
        new = sorted(set(dimensions) - self._dimensions)
        if not new:
            return
        with self._lent() as connection, self._translated(connection):
            for dimension in new:
                kind = f"vector({dimension})" if dimension <= vector_screen.MOST_COMPONENTS else "tinyint"
                connection.run("create_vectors", dimension=dimension, type=kind)
        self._dimensions.update(new)

    def make_approximate(self, dimension: int, links: int, explored: int) -> None:
        """Create an index of approximate nearest neighbours unless there is one.

        Args:
            dimension: the number of components of the vectors.
            links: the number of neighbours that a vector is linked to on each level.
            explored: the number of candidates that are explored for each vector.
        """
        with self._lent() as connection, self._translated(connection):
            if not connection.rows("indexed", dimension=dimension)[0][0]:
                connection.run("make_approximate", dimension=dimension, m=links, ef_construction=explored)

    def drop(self) -> None:
        """Remove the tables of the collection, and close the store."""
        with self._lent() as connection, self._translated(connection):
            prefix = f"{self.collection}_vectors_"
            found = [name for (name,) in connection.rows("found", length=len(prefix), prefix=prefix)]
            vectors = [name for name in found if name.removeprefix(prefix).isdigit()]
            names = [f"{self.collection}_meta", *vectors, *(f"{self.collection}_{name}" for name in MADE[:-1])]
            connection.run("drop", tables=", ".join(f"`{name}`" for name in names))
        self.close()

    def close(self) -> None:
        """Close the connections; later calls raise an error."""
        self._is_closed = True
        self._pool.close()

    def _connected(self) -> OceanBaseConnection:
        began = time.monotonic()
        try:
            return OceanBaseConnection(self._address, self._statements, self._timeout)
        except self._errors as error:
            is_late = time.monotonic() - began >= self._timeout
            raise oceanbase_errors.unreachable(self.collection, self._timeout, error, is_late) from None

    def _failure(self, what: str) -> DocStoreError:
        return oceanbase_errors.failure(self.collection, what)

    @contextmanager
    def _lent(self, *statements: str) -> Iterator[OceanBaseConnection]:
        """Yield a connection after sending statements; a new one replaces one that was used before and is lost."""
        if self._is_closed:
            raise self._failure("is closed")
        while True:
            connection, used = self._pool.take()
            try:
                for statement in statements or ("select 1",):
                    connection.run_text(statement)
                break
            except BaseException as error:
                connection.close()
                self._pool.give(connection)
                if not isinstance(error, self._errors):
                    raise
                if connection.is_late or not used:
                    raise self._translation(connection, error) from None
        try:
            yield connection
        finally:
            self._pool.give(connection)

    @contextmanager
    def _translated(self, connection: OceanBaseConnection) -> Iterator[None]:
        try:
            yield
        except self._errors as error:
            raise self._translation(connection, error) from error

    def _translation(self, connection: OceanBaseConnection, error: Exception) -> DocStoreError:
        return oceanbase_errors.translated(self.collection, self._timeout, error, connection.is_late)

    def _roll_back(self, connection: OceanBaseConnection) -> None:
        """End the transaction; a connection that cannot is closed, since its state is unknown."""
        if not connection.closed:
            with suppress(*self._errors):
                connection.run_text("rollback")
                return
            connection.close()

    def _commit(self, connection: OceanBaseConnection) -> None:
        try:
            connection.run_text("commit")
        except self._errors as error:
            connection.close()
            if oceanbase_errors.code(error) in oceanbase_errors.ROLLED_BACK:
                raise
            raise oceanbase_errors.unknown_outcome(self.collection) from error

    def _checked(self, row: Row | None) -> Row:
        if row is None:
            raise self._failure("holds other tables than a collection has")
        if row[0] != VERSION:
            raise self._failure(f"has the schema version {row[0]}, and this version of the library reads {VERSION}")
        return row

    def _find(self, connection: OceanBaseConnection, migrate: bool) -> None:
        """Find the collection; create it if it is missing and `migrate` is set."""
        name = f"{self.collection}_meta"
        is_made = bool(connection.rows("found", length=len(name), prefix=name))
        if not is_made and migrate:
            for table in MADE:
                connection.run(f"create_{table}")
            connection.run("begin_meta", version=VERSION)
        self._checked(connection.row("meta"))

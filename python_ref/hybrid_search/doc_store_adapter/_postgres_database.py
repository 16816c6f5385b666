"""A collection in PostgreSQL: found or made, and read and written in transactions (PG-1, PG-3, PG-4)."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from hybrid_search.doc_store_adapter import _postgres_errors as postgres_errors
from hybrid_search.doc_store_adapter import _postgres_library as postgres_library
from hybrid_search.doc_store_adapter._postgres_connection import PostgresConnection, Row
from hybrid_search.doc_store_adapter._postgres_pool import GivenConnection, GivenPool, OwnConnections, PostgresPool
from hybrid_search.doc_store_adapter._postgres_statements import PostgresStatements
from hybrid_search.doc_store_adapter._postgres_tables import PostgresTables
from hybrid_search.errors import DocStoreError

VERSION = 1
OLDEST_EXTENSION = (0, 8)
READ = "begin isolation level repeatable read read only"
WRITE = "begin isolation level read committed read write"
NEEDS_EXTENSION = "needs the extension pgvector, 0.8 or later, in its database"


class PostgresDatabase:
    """A collection and the connections to it.

    Args:
        connection: a text that tells how to connect, a connection of psycopg, or a pool of such.
        collection: the name of the schema.
        migrate: whether what is missing is made.
        timeout: for how many seconds a statement may take.
        connections: how many may be made at the most.

    Raises:
        DocStoreError: there is no such collection, or it cannot be used.
        ConfigurationError: psycopg is not installed.
    """

    def __init__(self, connection: Any, collection: str, migrate: bool, timeout: float, connections: int) -> None:
        self._library = postgres_library.load()
        self.collection = collection
        self._timeout = timeout
        self._limit = f"set local statement_timeout = {max(1, round(timeout * 1000))}"
        self._pool = self._pool_of(connection, connections)
        self._is_closed = False
        self.statements = PostgresStatements(collection)
        try:
            with self._lent() as lent:
                self._find(lent, migrate)
        except BaseException:
            self._pool.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[PostgresTables]:
        """The tables in one state."""
        with self._begun(READ, "meta") as (connection, row):
            try:
                yield PostgresTables(connection, row)
            finally:
                with suppress(self._library.Error):
                    connection.end("rollback")

    @contextmanager
    def writing(self) -> Iterator[PostgresTables]:
        """The tables in their last state; changes are kept, all of them, once the block has ended without an error."""
        with self._begun(WRITE, "meta_locked") as (connection, row):
            try:
                yield PostgresTables(connection, row)
            except BaseException:
                with suppress(self._library.Error):
                    connection.end("rollback")
                raise
            self._commit(connection)

    def make_approximate(self, field: int, dimension: int, links: int, explored: int) -> None:
        """Make an index of approximate neighbours, however long that takes; does nothing where there is one.

        Args:
            field: the key of a vector field.
            dimension: how many components its vectors have.
            links: with how many neighbours a vector is linked on each level.
            explored: how many candidates are explored for each.
        """
        with self._lent() as (lent, _), self._translated():
            connection = PostgresConnection(lent, self.statements)
            text = self.statements.text(
                "make_approximate", field=field, dimension=dimension, m=links, ef_construction=explored
            )
            connection.begin("begin", "set local statement_timeout = 0", text)
            self._commit(connection)

    def drop(self) -> None:
        """Remove the schema with all that is in it, and close."""
        with self._begun(WRITE, "meta_locked") as (connection, _):
            connection.run("drop_schema")
            self._commit(connection)
        self.close()

    def close(self) -> None:
        """Close the connections that are the store's own; whoever asks afterwards gets an error."""
        self._is_closed = True
        self._pool.close()

    def _pool_of(self, given: Any, connections: int) -> PostgresPool:
        if isinstance(given, str):
            return OwnConnections(lambda: self._connected(given), connections, self._timeout, self._failure)
        return GivenPool(given) if hasattr(given, "getconn") else GivenConnection(given)

    def _connected(self, text: str) -> Any:
        try:
            return self._library.connect(text, autocommit=True, connect_timeout=max(2, round(self._timeout)))
        except self._library.Error as error:
            raise postgres_errors.unreachable(self.collection, error) from None

    def _failure(self, what: str) -> DocStoreError:
        return postgres_errors.failure(self.collection, what)

    @contextmanager
    def _begun(self, begin: str, meta: str) -> Iterator[tuple[PostgresConnection, Row]]:
        """A connection in a transaction, and what is noted of the collection."""
        text = self.statements.text(meta)
        with self._lent(begin, self._limit, text) as (connection, row), self._translated():
            yield PostgresConnection(connection, self.statements), self._checked(row)

    @contextmanager
    def _lent(self, *statements: str) -> Iterator[tuple[Any, Row | None]]:
        """A connection to which some statements were sent, and the first row of the last.

        One that was used before and is lost is given back for another.
        """
        if self._is_closed:
            raise self._failure("is closed")
        while True:
            connection, used = self._pool.take()
            try:
                if connection.info.transaction_status != self._library.pq.TransactionStatus.IDLE:
                    raise self._failure("was given a connection that is closed or in a transaction")
                row = PostgresConnection(connection, self.statements).begin(*statements) if statements else None
                break
            except self._library.Error as error:
                self._give(connection)
                if not (used and connection.closed):
                    raise postgres_errors.translated(self.collection, self._timeout, error) from None
            except BaseException:
                self._give(connection)
                raise
        try:
            yield connection, row
        finally:
            self._give(connection)

    def _give(self, connection: Any) -> None:
        """Give a connection back; one that is still in a transaction is in no known state."""
        idle = self._library.pq.TransactionStatus.IDLE
        if not connection.closed and connection.info.transaction_status != idle:
            with suppress(self._library.Error):
                connection.rollback()
        if not connection.closed and connection.info.transaction_status != idle:
            connection.close()
        self._pool.give(connection)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except self._library.Error as error:
            raise postgres_errors.translated(self.collection, self._timeout, error) from error

    def _commit(self, connection: PostgresConnection) -> None:
        try:
            connection.end("commit")
        except self._library.Error as error:
            if postgres_errors.is_lost(error):
                raise postgres_errors.unknown_outcome(self.collection) from error
            raise

    def _checked(self, row: Row | None) -> Row:
        if row is None:
            raise self._failure("holds other tables than a collection has")
        if row[0] != VERSION:
            what = f"has the schema version {row[0]}, and this version of the library reads {VERSION}"
            raise self._failure(what)
        return row

    def _find(self, lent: tuple[Any, Row | None], migrate: bool) -> None:
        """Look for the collection, and make it where it is missing and may be made."""
        connection = PostgresConnection(lent[0], self.statements)
        with self._translated():
            is_made = self._is_made(connection)
            if not migrate and not is_made:
                raise self._failure("does not exist; `hybrid-search postgres migrate` makes it")
            if not is_made:
                self._make(connection)
            extension = connection.row("extension")
            if extension is None or _version(extension[1]) < OLDEST_EXTENSION:
                raise self._failure(NEEDS_EXTENSION)
            self.statements = PostgresStatements(self.collection, extension[0])

    def _is_made(self, connection: PostgresConnection) -> bool:
        row = connection.row("found", self.collection)
        assert row is not None
        _, has_tables, is_collection = row
        if has_tables and not is_collection:
            raise self._failure("cannot be made: the schema of this name holds other tables")
        if is_collection:
            self._checked(connection.row("meta"))
        return bool(is_collection)

    def _make(self, connection: PostgresConnection) -> None:
        connection.begin("begin", self._limit)
        try:
            connection.run("make_lock")
            if not self._is_made(connection):
                connection.run("make_schema")
                self._make_extension(connection)
                extension = connection.row("extension")
                if extension is None:
                    raise self._failure(NEEDS_EXTENSION)
                connection.run_text(PostgresStatements(self.collection, extension[0]).text("tables"))
            connection.end("commit")
        except BaseException:
            with suppress(self._library.Error):
                connection.end("rollback")
            raise

    def _make_extension(self, connection: PostgresConnection) -> None:
        if connection.row("extension") is None:
            try:
                connection.run("make_extension")
            except self._library.Error as error:
                raise self._failure(f"{NEEDS_EXTENSION}; its administrator can install it") from error


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:2])

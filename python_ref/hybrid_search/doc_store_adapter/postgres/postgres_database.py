"""Finds or creates a collection in PostgreSQL, and opens transactions on it (PG-1, PG-3, PG-4)."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from hybrid_search.doc_store_adapter.postgres import postgres_errors, postgres_library, postgres_watch
from hybrid_search.doc_store_adapter.postgres.postgres_connection import PostgresConnection, Row
from hybrid_search.doc_store_adapter.postgres.postgres_hosts import PostgresHosts
from hybrid_search.doc_store_adapter.postgres.postgres_pool import (
    GivenConnection,
    GivenPool,
    PostgresPool,
    is_idle,
)
from hybrid_search.doc_store_adapter.postgres.postgres_state import PostgresState
from hybrid_search.doc_store_adapter.postgres.postgres_statements import PostgresStatements
from hybrid_search.doc_store_adapter.postgres.postgres_tables import PostgresTables
from hybrid_search.doc_store_adapter.postgres.postgres_watch import PostgresWatch
from hybrid_search.doc_store_adapter.tables.own_connections import OwnConnections
from hybrid_search.errors import DocStoreError

VERSION = 3
BEFORE = 2
"""The version that is converted: its writers noted neither changes nor filled fields."""
OLDEST_EXTENSION = (0, 6)
OLDEST_WITH_SCANS = (0, 8)
"""The first version of pgvector with iterative scans of indexes of approximate nearest neighbours."""
FIND = "begin isolation level read committed"
READ = "begin isolation level repeatable read read only"
WRITE = "begin isolation level read committed read write"
LIMITS = "set local idle_in_transaction_session_timeout = '5min'; set local lock_timeout = 0"
"""The server ends the transaction of a lost client, which releases its lock.

A lock timeout of the role does not end the wait for another writer.
"""
QUIET = "set local client_min_messages = warning"
"""Suppresses notices, for example about a schema that exists already."""
CLOSED = "was given a connection that is closed"
IN_TRANSACTION = "was given a connection that is in a transaction, which must be ended first"


class PostgresDatabase:
    """A collection and the connections to it.

    Args:
        connection: a connection string, a connection of psycopg, or a pool of connections.
        collection: the name of the schema.
        migrate: whether a missing collection is created.
        timeout: the maximum number of seconds for a statement.
        connections: the maximum number of connections to create.
        approximate: whether the store uses indexes of approximate nearest neighbours.

    Raises:
        DocStoreError: the collection does not exist or cannot be used.
        ConfigurationError: psycopg is not installed.
    """

    def __init__(
        self, connection: Any, collection: str, migrate: bool, timeout: float, connections: int, approximate: bool
    ) -> None:
        self._library = postgres_library.load()
        self.collection = collection
        self._timeout = timeout
        self._limit = f"{LIMITS}; set local statement_timeout = {max(1, int(timeout * 1000))}"
        self._oldest_extension = OLDEST_WITH_SCANS if approximate else OLDEST_EXTENSION
        self._watch = PostgresWatch(timeout)
        self._pool = self._pool_of(connection, connections)
        self._is_closed = False
        self.statements = PostgresStatements(collection)
        self._known = PostgresState()
        try:
            with self._lent(FIND, self._limit, QUIET) as (lent, _), self._translated(lent):
                self._find(lent, migrate)
        except BaseException:
            self._pool.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[PostgresTables]:
        """Yield the tables in one state."""
        with self._begun(READ, "meta") as (connection, row):
            try:
                yield PostgresTables(connection, row, self._known)
            finally:
                with suppress(self._library.Error):
                    connection.end("rollback")

    @contextmanager
    def writing(self) -> Iterator[PostgresTables]:
        """Yield the tables in their latest state; all changes are committed when the block ends without an error."""
        with self._begun(WRITE, "meta_locked") as (connection, row):
            try:
                yield PostgresTables(connection, row)
            except BaseException:
                with suppress(self._library.Error):
                    connection.end("rollback")
                raise
            self._commit(connection)

    def make_approximate(self, field: int, dimension: int, links: int, explored: int) -> None:
        """Create an index of approximate nearest neighbours, without a time limit, unless there is one.

        Args:
            field: the key of a vector field.
            dimension: the number of components of its vectors.
            links: the number of neighbours that a vector is linked to on each level.
            explored: the number of candidates that are explored for each vector.
        """
        with self._lent() as (connection, _), self._translated(connection):
            text = self.statements.text(
                "make_approximate", field=field, dimension=dimension, m=links, ef_construction=explored
            )
            self._checked_extension(connection, OLDEST_WITH_SCANS)
            connection.begin_slowly("begin", LIMITS, QUIET, "set local statement_timeout = 0", text)
            self._commit(connection)

    def drop(self) -> None:
        """Remove the tables and close the store; remove the schema too if this role owns it and it is empty."""
        with self._begun(WRITE, "meta_locked") as (connection, _):
            connection.run("drop_tables")
            if connection.row("is_empty", self.collection) == (True,):
                connection.run("drop_schema")
            self._commit(connection)
        self.close()

    def close(self) -> None:
        """Close the store's own connections; later calls raise an error."""
        self._is_closed = True
        self._pool.close()

    def _pool_of(self, given: Any, connections: int) -> PostgresPool:
        if isinstance(given, str):
            return OwnConnections(lambda: self._connected(given), connections, self._timeout, self._failure)
        return GivenPool(given, self._timeout, self._failure) if hasattr(given, "getconn") else GivenConnection(given)

    def _connected(self, text: str) -> Any:
        try:
            hosts = PostgresHosts(text, self._timeout)
            # libpq limits neither the time for looking up names nor the number of addresses that it tries. Its own
            # timeout is later than this one, and only ends the thread for which no caller waits any more.
            return postgres_watch.made_within(hosts.seconds, hosts.connect, lambda made: made.close())
        except TimeoutError:
            raise postgres_errors.late(self.collection, hosts.seconds) from None
        except self._library.Error as error:
            raise postgres_errors.unreachable(self.collection, error) from None

    def _failure(self, what: str) -> DocStoreError:
        return postgres_errors.failure(self.collection, what)

    @contextmanager
    def _begun(self, begin: str, meta: str) -> Iterator[tuple[PostgresConnection, Row]]:
        """Yield a connection in a transaction, and the metadata of the collection."""
        text = self.statements.text(meta)
        with self._lent(begin, self._limit, text) as (connection, row), self._translated(connection):
            yield connection, self._checked(row)

    @contextmanager
    def _lent(self, *statements: str) -> Iterator[tuple[PostgresConnection, Row | None]]:
        """Yield a connection after sending statements, and the first row of the last statement.

        If a connection that was used before is lost, another one replaces it.
        """
        if self._is_closed:
            raise self._failure("is closed")
        while True:
            given, used = self._pool.take()
            if not is_idle(given):
                self._pool.give(given)
                if given.closed and isinstance(self._pool, OwnConnections):
                    continue
                raise self._failure(CLOSED if given.closed else IN_TRANSACTION)
            connection = PostgresConnection(given, self.statements, self._watch)
            try:
                row = connection.begin(*statements) if statements else None
                break
            except self._library.Error as error:
                self._give(connection, given)
                if connection.is_late or not (used and given.closed):
                    raise self._translation(connection, error) from None
            except BaseException:
                self._give(connection, given)
                raise
        try:
            yield connection, row
        finally:
            self._give(connection, given)

    def _give(self, connection: PostgresConnection, given: Any) -> None:
        connection.release()
        if connection.is_doubtful and isinstance(self._pool, OwnConnections):
            given.close()
        self._pool.give(given)

    @contextmanager
    def _translated(self, connection: PostgresConnection) -> Iterator[None]:
        try:
            yield
        except self._library.Error as error:
            raise self._translation(connection, error) from error

    def _translation(self, connection: PostgresConnection, error: Exception) -> DocStoreError:
        return postgres_errors.translated(self.collection, self._timeout, error, connection.is_late)

    def _commit(self, connection: PostgresConnection) -> None:
        connection.settle()
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
            how = "; `hybrid-search postgres migrate` converts it" if row[0] == BEFORE else ""
            raise self._failure(what + how)
        return row

    def _find(self, connection: PostgresConnection, migrate: bool) -> None:
        """Find the collection; create it if it is missing and `migrate` is set."""
        if not self._is_made(connection, migrate):
            if not migrate:
                raise self._failure("does not exist; `hybrid-search postgres migrate` makes it")
            connection.run("make_lock")
            if not self._is_made(connection, migrate):
                self._make(connection)
        extension = self._checked_extension(connection, self._oldest_extension)
        connection.end("commit")
        self.statements = PostgresStatements(self.collection, extension)

    def _is_made(self, connection: PostgresConnection, migrate: bool) -> bool:
        row = connection.row("found", self.collection)
        assert row is not None
        _, is_used, is_collection = row
        if is_used and not is_collection:
            raise self._failure("cannot be made: the schema of this name holds objects of other programs")
        if is_collection:
            if migrate:
                self._convert(connection)
            self._checked(connection.row("meta"))
        return bool(is_collection)

    def _convert(self, connection: PostgresConnection) -> None:
        """Convert a collection of the previous version to this one."""
        row = connection.row("meta")
        if row is not None and row[0] == BEFORE:
            row = connection.row("meta_locked")  # another program may have converted it meanwhile
            if row is not None and row[0] == BEFORE:
                connection.run("convert")

    def _make(self, connection: PostgresConnection) -> None:
        connection.run("make_schema")
        if connection.row("extension") is None:
            self._make_extension(connection)
        extension = self._checked_extension(connection, self._oldest_extension)
        connection.run_text(PostgresStatements(self.collection, extension).text("tables"))

    def _make_extension(self, connection: PostgresConnection) -> None:
        try:
            connection.run("make_extension")
        except self._library.Error as error:
            needed = _needed(self._oldest_extension)
            raise self._failure(f"{needed}; its administrator can install it") from error

    def _checked_extension(self, connection: PostgresConnection, oldest: tuple[int, ...]) -> str:
        """Return the name of the schema that contains pgvector.

        Raises:
            DocStoreError: pgvector is missing or too old.
        """
        row = connection.row("extension")
        if row is None:
            raise self._failure(_needed(oldest))
        schema, version = row
        if tuple(int(part) for part in version.split(".")[:2]) < oldest:
            raise self._failure(f"{_needed(oldest)}, which has {version}")
        return str(schema)


def _needed(oldest: tuple[int, ...]) -> str:
    major, minor = oldest
    what = ' where dense is "hnsw"' if oldest == OLDEST_WITH_SCANS else ""
    return f"needs the extension pgvector, {major}.{minor} or later{what}, in its database"

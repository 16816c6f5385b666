"""Collections in PostgreSQL for tests, removed at the end, and a proxy that can cut connections to them."""

import socket
import threading
import uuid
from contextlib import suppress

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from hybrid_search.doc_store_adapter.postgres.postgres_doc_store import PostgresDocStore

UNHURRIED = "-c synchronous_commit=off"
"""Acknowledged data need not be on disk yet: no test here cuts the server's power, and each waits for less."""


class Collections:
    """Makes stores, each in its own collection.

    Args:
        url: of the database.
    """

    def __init__(self, url):
        self.url = make_conninfo(url, options=UNHURRIED)
        self._stores = []
        self._names = []

    def name(self, part='"%s" \\'):
        """Return a unique name with every character that must be quoted."""
        self._names.append(f"test {part} {uuid.uuid4().hex}")
        return self._names[-1]

    def make(self, collection=None, url=None, **options):
        """Return a store; an empty one unless a collection is named."""
        name = self.name() if collection is None else collection
        place = make_conninfo(url or self.url, application_name=_application(name))
        store = PostgresDocStore(place, name, **options)
        self._stores.append(store)
        return store

    def beside(self, store, **options):
        """Return another store of the same collection."""
        return self.make(store.collection, **options)

    def rows(self, statement, *values):
        """Return the response of the server."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    def rows_of(self, store, table):
        """Return the number of rows of a table of a store."""
        name = sql.Identifier(store.collection, table)
        with psycopg.connect(self.url, autocommit=True) as connection:
            return connection.execute(sql.SQL("select count(*) from {}").format(name)).fetchone()[0]

    def extension(self):
        """The version of pgvector: two numbers."""
        [(version,)] = self.rows("select extversion from pg_extension where extname = 'vector'")
        return tuple(int(part) for part in version.split(".")[:2])

    def refuse(self, store, identifier):
        """Have the server refuse every batch with a document of an id."""
        names = {"schema": sql.Identifier(store.collection), "identifier": sql.Literal(identifier)}
        statements = """
            create function {schema}.refuse() returns trigger language plpgsql
            as $$ begin raise exception 'this id is refused'; end $$;
            create trigger refusing before insert on {schema}.documents for each row
            when (new.key = convert_to({identifier}, 'UTF8')) execute function {schema}.refuse()"""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(sql.SQL(statements).format(**names))

    def cut(self, store):
        """End all connections of a store, as a stopping server does; return their number."""
        statement = "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = %s"
        return len(self.rows(statement, _application(store.collection)))

    def close(self):
        """Close all stores and remove their collections."""
        for store in self._stores:
            store.close()
        with psycopg.connect(self.url, autocommit=True) as connection:
            for name in self._names:
                connection.execute(sql.SQL("drop schema if exists {} cascade").format(sql.Identifier(name)))


def _application(collection):
    """Return the name that the server shows for the connections of a collection's stores."""
    return f"test {collection[-32:]}"


class Between:
    """Forwards connections to a server, until a test cuts them.

    Args:
        url: of the server.

    Attributes:
        url: where it listens.
        round_trips: the number of requests after a response, if one connection is used.
    """

    def __init__(self, url):
        told = conninfo_to_dict(url)
        self._server = (told.get("host") or "127.0.0.1", int(told.get("port") or 5432))
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = make_conninfo(url, host="127.0.0.1", port=self._listening.getsockname()[1], sslmode="disable")
        self.round_trips = 0
        self._is_asked = False
        self.lost = None
        self.silent_from = None
        self._is_silent = False
        self._pairs = []
        threading.Thread(target=self._accept, daemon=True).start()

    def lose_answers_to(self, statement):
        """From now on, cut connections once a statement was sent, before its response; `None`: stop cutting."""
        self.lost = statement

    def fall_silent_from(self, statement):
        """Stop forwarding once a statement is sent; `None`: work again, for new connections."""
        self.silent_from = statement
        if self._is_silent:
            self._cut(*(end for pair in self._pairs for end in pair))
            self._is_silent = False

    def close(self):
        """Cut all connections, and accept no more."""
        self._cut(self._listening, *(end for pair in self._pairs for end in pair))

    def _cut(self, *sockets):
        for one in sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self):
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                far = socket.create_connection(self._server)
                self._pairs.append((near, far))
                threading.Thread(target=self._forward, args=(near, far, True), daemon=True).start()
                threading.Thread(target=self._forward, args=(far, near, False), daemon=True).start()

    def _forward(self, source, target, to_server):
        with suppress(OSError):
            while sent := source.recv(65536):
                if to_server and self.silent_from is not None and self.silent_from in sent:
                    self._is_silent = True
                if self._is_silent:
                    return  # and the connection stays open
                self.round_trips += to_server and not self._is_asked
                self._is_asked = to_server
                if to_server and self.lost is not None and self.lost in sent:
                    source.shutdown(socket.SHUT_RDWR)  # the response cannot be forwarded
                target.sendall(sent)
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_WR)

"""Where pgvector is installed by a store of either language (PG-1): a separate server, whose superuser opens it."""

import psycopg
import pytest

from conformance.engine_faults.postgres_faults import server
from conformance.engine_faults.workers import Worker
from conformance.engines.postgres import ROLE, SUPERUSER

NAME = "handbook"


@pytest.mark.engines
def test_the_extension_is_never_created_in_a_collection(postgres_url):
    """A role finds the schema of its own name first: there `create extension` would install it by default."""
    del postgres_url  # without a server for tests, none is downloaded here
    with server("schemas-postgres") as engine:
        state = engine.state
        assert state is not None
        administrator = engine.url(state.ports[0], SUPERUSER, ROLE)
        with psycopg.connect(administrator, autocommit=True) as connection:
            connection.execute(f"create role {NAME} superuser login password 'word'")
        place = administrator.split("@")[1]
        for language in ("python", "ruby"):
            with psycopg.connect(administrator, autocommit=True) as connection:
                connection.execute(f"drop schema if exists {NAME} cascade")
                connection.execute("drop extension vector")
            options = {"connection": f"postgresql://{NAME}:word@{place}", "collection": NAME}
            with Worker(language, "postgres", options) as worker:
                opened = worker.open()
                assert (opened.error, opened.message) == ("", "")
            with psycopg.connect(administrator, autocommit=True) as connection:
                found = connection.execute(
                    "select extnamespace::regnamespace::text from pg_extension where extname = 'vector'"
                )
                assert found.fetchall() == [("public",)]

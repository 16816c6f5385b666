"""Collections are created, found and refused (PG-1)."""

import re
import threading

import psycopg
import pytest
from psycopg import sql

from hybrid_search.cli import command_line
from hybrid_search.cli.command import commands
from hybrid_search.cli.commands import postgres as postgres_command
from hybrid_search.doc_store_adapter.documents.stored_document import LONGEST_IDENTIFIER
from hybrid_search.doc_store_adapter.postgres import postgres_database, postgres_keys, postgres_library
from hybrid_search.doc_store_adapter.postgres.postgres_database import BEFORE, VERSION
from hybrid_search.doc_store_adapter.postgres.postgres_doc_store import PostgresDocStore
from hybrid_search.errors import ConfigurationError, DocStoreError, InvalidInputError
from hybrid_search.query_builder.expressions import MatchDenseExpr, MatchTextExpr
from hybrid_search.query_builder.tree import Term

pytestmark = pytest.mark.engines

MISSING = "does not exist; `hybrid-search postgres migrate` makes it"


def test_a_missing_collection_is_created_only_if_requested(collections):
    name = collections.name()
    with pytest.raises(DocStoreError, match=re.escape(MISSING)):
        collections.make(name, migrate=False)
    collections.make(name).insert([{"id": "1"}])
    assert collections.make(name, migrate=False).count() == 1


def test_collections_of_one_database_are_separate(collections):
    first, second = collections.make(), collections.make()
    first.insert([{"id": "1", "content_ltks": "a"}])
    assert (first.count(), second.count()) == (1, 0)
    second.insert([{"id": "1", "content_ltks": "b"}])
    first.drop()
    assert second.get("1") == {"id": "1", "content_ltks": "b"}
    with pytest.raises(DocStoreError, match="is closed"):
        first.count()


def test_stores_opened_at_the_same_time_create_one_collection(collections):
    name = collections.name()
    wrong = []

    def make():
        try:
            collections.make(name).upsert([{"id": "1"}])
        except Exception as problem:
            wrong.append(problem)

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert collections.make(name).health() == {"status": "green", "documents": 1, "generation": 1}


def test_a_schema_of_another_program_stays_unchanged(collections):
    name = collections.name()
    with psycopg.connect(collections.url, autocommit=True) as connection:
        connection.execute(sql.SQL("create schema {}").format(sql.Identifier(name)))
        connection.execute(sql.SQL("create table {} (a int)").format(sql.Identifier(name, "meta")))
    with pytest.raises(DocStoreError, match="cannot be made: the schema of this name holds objects of other programs"):
        collections.make(name)


@pytest.mark.parametrize(
    "other", ["create function {}.f() returns int language sql as 'select 1'", "create type {}.t as (a int)"]
)
def test_a_schema_with_other_objects_is_refused(collections, other):
    name = collections.name()
    with psycopg.connect(collections.url, autocommit=True) as connection:
        connection.execute(sql.SQL("create schema {}").format(sql.Identifier(name)))
        connection.execute(sql.SQL(other).format(sql.Identifier(name)))
    with pytest.raises(DocStoreError, match="the schema of this name holds objects of other programs"):
        collections.make(name)


def test_an_existing_empty_schema_is_used(collections):
    name = collections.name()
    with psycopg.connect(collections.url, autocommit=True) as connection:
        schema = sql.Identifier(name)
        connection.execute(sql.SQL("create schema {}").format(schema))
        granted = "alter default privileges in schema {} grant select on tables to public"
        connection.execute(sql.SQL(granted).format(schema))
    collections.make(name).drop()
    assert collections.rows("select from pg_namespace where nspname = %s", name) == []


def test_objects_of_other_programs_stay_when_the_collection_is_removed(collections):
    store = collections.make()
    store.insert([{"id": "1", "q_2_vec": [1.0, 2.0]}])
    if collections.extension() >= (0, 8):
        store.build_index("q_2_vec")
    other = sql.Identifier(store.collection, "other")
    with psycopg.connect(collections.url, autocommit=True) as connection:
        connection.execute(sql.SQL("create table {} as select 1 as a").format(other))
        view = "create view {}.seen as select * from {}.documents"
        schema = sql.Identifier(store.collection)
        connection.execute(sql.SQL(view).format(schema, schema))
        with pytest.raises(
            DocStoreError, match="cannot be removed: other objects of the database depend on its tables"
        ):
            store.drop()
        assert store.count() == 1
        connection.execute(sql.SQL("drop view {}.seen").format(schema))
        store.drop()
        assert connection.execute(sql.SQL("select a from {}").format(other)).fetchall() == [(1,)]
    left = "select relname from pg_class c join pg_namespace n on n.oid = relnamespace where nspname = %s"
    assert collections.rows(left, store.collection) == [("other",)]


@pytest.mark.parametrize("name", ["public", "information_schema", "pg_catalog", "pg_mine"])
def test_schemas_that_every_database_has_are_refused(postgres_url, name):
    with pytest.raises(InvalidInputError, match="collection must be a schema of its own, not public"):
        PostgresDocStore(postgres_url, name)


def test_an_old_extension_is_refused_before_tables_are_made(collections, monkeypatch):
    name = collections.name()
    monkeypatch.setattr(postgres_database, "OLDEST_EXTENSION", (99, 1))
    needed = r"needs the extension pgvector, 99\.1 or later, in its database, which has 0\.\d+\.\d+$"
    with pytest.raises(DocStoreError, match=needed):
        collections.make(name)
    assert collections.rows("select from pg_namespace where nspname = %s", name) == []


def test_approximate_neighbours_need_a_newer_extension(collections, monkeypatch):
    monkeypatch.setattr(postgres_database, "OLDEST_WITH_SCANS", (99, 2))
    store, name = collections.make(), collections.name()
    store.insert([{"id": "1", "q_2_vec": [1.0, 2.0]}])
    needed = r"needs the extension pgvector, 99\.2 or later where dense is \"hnsw\", in its database, which has 0\.\d"
    with pytest.raises(DocStoreError, match=needed):
        collections.make(name, dense="hnsw")
    assert collections.rows("select from pg_namespace where nspname = %s", name) == []
    with pytest.raises(DocStoreError, match=needed):
        store.build_index("q_2_vec")


def test_names_that_look_like_placeholders_in_statements_are_accepted(collections):
    for name in ("{vector} {schema}", "{among} {order} {place}", "{field} {m}"):
        store = collections.make(collections.name(name))
        store.insert([{"id": "1", "content_ltks": "a", "q_2_vec": [1.0, 2.0], "kb_id": "k"}, {"id": "2", "kb_id": "l"}])
        assert store.search(filters={"kb_id": "k"}, limit=5).ids == ("1",)
        assert store.search(order_by="kb_id desc", limit=5).ids == ("2", "1")
        dense = MatchDenseExpr("q_2_vec", [1.0, 1.0], topn=2)
        assert [identifier for identifier, _ in store.rank([dense], {"kb_id": ["k", "l"]})] == ["1"]


@pytest.mark.parametrize("version", [BEFORE - 1, VERSION + 1])
def test_another_schema_version_is_refused(collections, version):
    store = collections.make()
    with psycopg.connect(collections.url, autocommit=True) as connection:
        connection.execute(
            sql.SQL("update {} set version = {}").format(sql.Identifier(store.collection, "meta"), version)
        )
    for ask in (store.count, lambda: collections.beside(store)):
        told = f"has the schema version {version}, and this version of the library reads {VERSION}"
        with pytest.raises(DocStoreError, match=told):
            ask()


def test_a_removed_collection_is_reported_as_missing(collections):
    store = collections.make()
    collections.beside(store).drop()
    with pytest.raises(DocStoreError, match=re.escape(MISSING)):
        store.count()
    assert collections.beside(store).count() == 0
    assert store.count() == 0


def test_cached_results_of_a_removed_collection_are_not_returned_for_the_next(collections):
    store = collections.make()
    store.insert([{"id": "1", "kb_id": "a"}])
    assert store.rank([], {"kb_id": "a"}) == [("1", 0.0)]
    collections.beside(store).drop()
    collections.beside(store).insert([{"id": "2", "kb_id": "a"}])
    assert store.rank([], {"kb_id": "a"}) == [("2", 0.0)]


@pytest.mark.parametrize("name", ["", "a\0b", "ü" * 32, 5])
def test_invalid_schema_names_are_refused(postgres_url, name):
    with pytest.raises(InvalidInputError, match="collection"):
        PostgresDocStore(postgres_url, name)


def test_options_are_checked(postgres_url):
    for options in ({"dense": "ivf"}, {"timeout": 0}, {"connections": 0}, {"migrate": 1}, {"colection": "a"}):
        with pytest.raises(InvalidInputError):
            PostgresDocStore(postgres_url, **options)
    with pytest.raises(InvalidInputError, match="connection must be a URL, a connection of psycopg or a pool of such"):
        PostgresDocStore(5)


def test_without_psycopg_the_error_names_the_package_to_install(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(postgres_library.importlib, "import_module", missing)
    with pytest.raises(ConfigurationError, match=re.escape("pip install 'hybrid-search[postgres]'")):
        PostgresDocStore("postgresql://127.0.0.1:1/none")


def test_the_longest_ids_and_tokens_of_any_length_are_distinguished(collections):
    store = collections.make()
    longest = "é" * (postgres_keys.LONGEST // 2)
    beyond = "\U0001f600" * (LONGEST_IDENTIFIER - 1)
    names = [longest, longest + "x", longest + "y", beyond, beyond + "x", beyond + "y"]
    tokens = [longest, longest + "x", longest + "y", "z" * 99_999, "z" * 100_000, "z"]
    documents = [{"id": name, "content_ltks": token} for name, token in zip(names, tokens, strict=True)]
    store.insert(documents)
    with pytest.raises(InvalidInputError, match="must have at most 512 characters, not 513"):
        store.insert([{"id": "z" * (LONGEST_IDENTIFIER + 1)}])
    assert [identifier for identifier, _ in store.rank([])] == sorted(names)
    for document in documents:
        name, token = document["id"], document["content_ltks"]
        assert store.get(name)["content_ltks"] == token
        found = store.rank([MatchTextExpr((("content_ltks", 1.0),), Term(token), 10)])
        assert [identifier for identifier, _ in found] == [name]
    store.delete(names[:2])
    assert [identifier for identifier, _ in store.rank([])] == sorted(names[2:])


def test_the_command_creates_a_collection(collections, monkeypatch):
    monkeypatch.setenv("HYBRID_SEARCH_POSTGRES_URL", collections.url)
    name, console = collections.name(), _Console()
    line = command_line.parse(commands()["postgres"], ["migrate", "--collection", name, "--format", "json"])
    assert postgres_command.run(line, console) == 0
    assert console.written == [{"collection": name, "status": "green", "documents": 0, "generation": 0}]
    assert collections.make(name, migrate=False).count() == 0


class _Console:
    def __init__(self):
        self.written = []
        self.is_terminal = False

    def write_json(self, value):
        self.written.append(value)

"""If any value is changed in an index file, a result is correct or it is an `IndexCorruptError`; `check` finds it."""

import random
import sqlite3
from contextlib import closing

import pytest

from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from hybrid_search.errors import IndexCorruptError
from hybrid_search.query_builder.expressions import MatchDenseExpr, MatchTextExpr
from hybrid_search.query_builder.tree import Term

WORDS = [f"word{place}" for place in range(12)]
VALUES = [None, 0, 1, -1, 2**62, 1.5, "text", b"", b"\0" * 8, b"\xff" * 24, "\ud7ff\x01"]
CHANGES = 60
UNSEEN = {"terms": {"field", "token"}, "documents": {"id"}, "free_numbers": {"number"}, "terms.": {"term"}}
"""Columns by which a row is found: a search cannot notice that a row is missing if it does not find it."""


NOT_COUNTED = ("notes", "vector_models", "changes")
"""Tables where a row may be missing; a missing row of `changes` only costs time."""


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    path = tmp_path_factory.mktemp("damage") / "whole.hsx"
    source = random.Random(1)
    with SqliteDocStore(path) as store:
        made = [
            {
                "id": f"d{place}",
                "content_ltks": " ".join(source.choices(WORDS, k=40)),
                "kb_id": f"k{place % 3}",
                "q_3_vec": [1.0, 0.5, place / 7],
            }
            for place in range(300)
        ]
        store.insert(made)
        store.delete(["d7", "d8"])
        store.set_note("name", "text")
        store.keep_vector_model("q_3_vec", "model")
    return path.read_bytes()


def asked(store):
    answers = [store.count(), store.vector_fields(), store.note("name"), store.rank([], {"kb_id": "k1"})]
    answers += [store.rank([MatchTextExpr((("content_ltks", 1.0),), Term(word))]) for word in WORDS]
    answers.append(store.rank([MatchDenseExpr("q_3_vec", (1.0, 0.0, 0.0), topn=5)]))
    answers.append(store.search(limit=300, order_by=[("kb_id", "asc")]).fields)
    return answers


def rows(database):
    """Each table with its columns and the rows that it has."""
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for table in tables:
        columns = [column[1] for column in database.execute(f"PRAGMA table_info({table})")]
        yield table, columns, database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


def damage(path, source):
    """Change one value, or remove one row, if SQLite allows it; return a description of the change."""
    with closing(sqlite3.connect(path)) as database:
        tables = [entry for entry in rows(database) if entry[2]]
        table, columns, count = source.choice(tables)
        column = source.choice(columns)
        order = ", ".join(columns)
        place = source.randrange(count)
        key = database.execute(f"SELECT {order} FROM {table} ORDER BY {order} LIMIT 1 OFFSET {place}").fetchone()
        where = " AND ".join(f"{name} IS ?" for name in columns)
        value = source.choice([*VALUES, _near(key[columns.index(column)])])
        if _bytes(value) == _bytes(key[columns.index(column)]):
            return None
        try:
            database.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (value, *key))
        except (sqlite3.IntegrityError, OverflowError):
            return None
        kept = database.execute(f"SELECT count(*) FROM {table} WHERE {where}", key).fetchone()[0]
        database.commit()
        return None if kept == 1 else (table, column, value)


def _bytes(value):
    """A text is read as the blob of its UTF-8."""
    return value.encode() if isinstance(value, str) else value


def _near(value):
    if isinstance(value, int):
        return value + 1
    if isinstance(value, bytes) and value:
        return bytes([value[0] ^ 1]) + value[1:]
    return "other"


def fuzz(path, content, changes, seed, kernels):
    source = random.Random(seed)
    path.write_bytes(content)
    with SqliteDocStore(path, kernels=kernels) as store:
        expected = asked(store)
        assert store.check() == []
    noticed = 0
    for _ in range(changes):
        path.write_bytes(content)
        done = damage(path, source)
        if done is None:
            continue
        with SqliteDocStore(path, kernels=kernels) as store:
            findings = store.check()
            assert findings or (done[0] == "terms" and done[1] == "term"), done
            try:
                assert asked(store) == expected or done[1] in UNSEEN.get(done[0], ()), done
            except IndexCorruptError:
                noticed += 1
            try:
                store.insert([{"id": f"new{place}", "content_ltks": "word1"} for place in range(4)])
            except IndexCorruptError:
                continue
            assert store.count() >= 302, done
    return noticed


@pytest.mark.parametrize("kernels", ["fast", "plain"])
def test_a_changed_value_is_noticed_or_is_harmless(tmp_path, filled, kernels):
    changes = CHANGES if kernels == "fast" else CHANGES // 4
    assert fuzz(tmp_path / "i.hsx", filled, changes, 27, kernels) > changes // 6


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(8))
def test_many_changed_values_are_noticed_or_are_harmless(tmp_path, filled, seed):
    assert fuzz(tmp_path / "i.hsx", filled, 1000, seed, "fast") > 300


def test_a_missing_row_is_found_by_a_check(tmp_path, filled):
    path = tmp_path / "i.hsx"
    path.write_bytes(filled)
    with closing(sqlite3.connect(path)) as database:
        tables = [table for table, _, count in rows(database) if count and table not in NOT_COUNTED]
    for table in tables:
        path.write_bytes(filled)
        with closing(sqlite3.connect(path)) as database:
            database.execute(
                f"DELETE FROM {table} WHERE rowid = (SELECT max(rowid) FROM {table})"
                if table not in ("frequencies",)
                else "DELETE FROM frequencies WHERE terms = (SELECT max(terms) FROM frequencies)"
            )
            database.commit()
        with SqliteDocStore(path) as store:
            assert store.check(), table

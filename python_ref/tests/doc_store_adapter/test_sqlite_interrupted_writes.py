"""The cache of a store after a write of another store that was damaged or killed (SQL-8)."""

import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from hybrid_search.errors import IndexCorruptError
from python_ref.tests.doc_store_adapter.foreign_writes import TEXT, answers, document, documents, same

LIBRARY = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "index.hsx")


def test_a_damaged_row_of_changes_is_an_error(opened, path):
    store, other = opened(), opened()
    other.insert(documents(30))
    answers(store)
    other.delete(["d3"])
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE changes SET numbers = x'01000000' WHERE generation = 2")
        database.commit()
    with pytest.raises(IndexCorruptError):
        store.rank([TEXT])
    assert store.check() == ["changes: 1 row is not what was written"]


def test_a_changed_document_that_is_missing_is_an_error(opened, path):
    store, other = opened(), opened()
    other.insert(documents(30))
    answers(store)
    other.upsert([document(3, random.Random(3))])
    with closing(sqlite3.connect(path)) as database:
        database.execute("DELETE FROM documents WHERE number = 3")
        database.commit()
    with pytest.raises(IndexCorruptError):
        store.rank([TEXT])


KILLED = """
import os, signal, sys
from hybrid_search.doc_store_adapter.sqlite.sqlite_connection import SqliteConnection
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
run = SqliteConnection.run
def killed(self, statement, *values):
    if statement.startswith(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    return run(self, statement, *values)
store = SqliteDocStore(sys.argv[1])
SqliteConnection.run = killed
store.delete(["d4"])
"""


@pytest.mark.parametrize("statement", ["REPLACE INTO state", "REPLACE INTO changes", "DELETE FROM changes", "COMMIT"])
def test_a_killed_batch_changes_nothing(opened, path, follows, statement):
    store, other = opened(), opened()
    other.insert(documents(30))
    before = answers(store)
    command = [sys.executable, "-c", KILLED, path, statement]
    assert subprocess.run(command, cwd=LIBRARY, check=False).returncode == -9
    assert answers(store) == before
    other.delete(["d3"])
    same(store, path)
    assert follows == [[3]]
    assert store.check() == []

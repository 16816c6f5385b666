"""The reads of a question to a file after another store has written, and its cache (SQL-8)."""

import random
import shutil
import sqlite3
from contextlib import closing, suppress

import pytest

from hybrid_search.accelerated import kept_vectors, touched_documents
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.doc_store_adapter.sqlite.sqlite_changes import SqliteChanges
from hybrid_search.doc_store_adapter.sqlite.sqlite_connection import SqliteConnection
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from hybrid_search.doc_store_adapter.sqlite.sqlite_tables import SqliteTables
from hybrid_search.doc_store_adapter.tables import document_changes
from python_ref.tests.doc_store_adapter.foreign_writes import DENSE, FILTERS, TEXT, answers, document, documents, same
from python_ref.tests.rounds import seeds


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "index.hsx")


@pytest.mark.parametrize(
    ("memory", "component", "sketch"), [(256, 12, 4), (0, 12, 4), (256, 1 << 40, 4), (256, 1 << 40, 1 << 40)]
)
@pytest.mark.parametrize("seed", seeds(1, 3))
def test_results_after_foreign_writes_equal_those_of_memory(opened, monkeypatch, memory, component, sketch, seed):
    monkeypatch.setattr(kept_vectors, "BYTES_OF_COMPONENT", component)  # whether vectors fit next to their sketches
    monkeypatch.setattr(kept_vectors, "BYTES_OF_SKETCH", sketch)  # whether floats fit
    source = random.Random(seed)
    store, other, held = opened(memory=memory), opened(), MemoryDocStore()
    for one in (other, held):
        one.insert(documents(200))
    for _ in range(30):
        best = [identifier for identifier, _ in held.rank([DENSE])]
        gone = source.sample(best, min(len(best), source.randrange(4)))
        fresh = {f"d{number}": document(number, source) for number in source.sample(range(220), source.randrange(4))}
        for one in (other, held):
            one.delete(gone)
            one.upsert(list(fresh.values()))
            if source.random() < 0.1:
                one.keep_vector_model("q_3_vec", "model")
        for query in (TEXT, DENSE):
            for filters in FILTERS:
                assert store.rank([query], filters) == held.rank([query], filters)


def test_a_question_after_a_foreign_write_reads_only_the_written_document(opened, monkeypatch):
    store, other = opened(), opened()
    other.insert(documents(600))
    queries = [([query], filters) for query in (TEXT, DENSE) for filters in FILTERS[:2]]
    for query in queries:
        store.rank(*query)
    other.upsert([{**document(0, random.Random(5)), "id": "new", "q_3_vec": [1.0, 0.5, 0.25]}])
    read = []

    def watch(name):
        method = getattr(SqliteTables, name)
        monkeypatch.setattr(
            SqliteTables, name, lambda self, *given: read.append((name, *given)) or method(self, *given)
        )

    for name in ("places", "terms", "sketches", "identifiers", "identifiers_of", "vectors", "fields_of"):
        watch(name)
    assert store.rank(*queries[2])[0][0] == "new"
    for query in queries:
        store.rank(*query)
    assert [name for name, *_ in read] == ["fields_of", "vectors"]
    assert (read[0][1], read[1][2]) == ([600], [600])


def test_reused_numbers_of_deleted_documents_are_followed(opened, path, follows):
    store, other = opened(), opened()
    other.insert(documents(300))
    answers(store)
    other.delete(["d5", "d7"])
    other.insert([{**document(5, random.Random(9)), "id": "x"}])
    same(store, path)
    assert follows == [[5, 7]]
    other.insert([{**document(7, random.Random(8)), "id": "y"}])
    same(store, path)
    assert follows[1:] == [[7]]


def test_writers_that_take_turns_follow_each_other(opened, path, follows):
    stores = [opened(), opened(), opened()]
    stores[0].insert(documents(50))
    for turn in range(12):
        for store in stores:
            answers(store)
        stores[turn % 3].upsert([document(turn, random.Random(turn))])
        stores[(turn + 1) % 3].delete([f"d{49 - turn}"])
        for store in stores:
            same(store, path)
    assert len(follows) == 36
    assert None not in follows


def restored(path, copy):
    """Restore the contents of a copy into the open file."""
    with closing(sqlite3.connect(copy)) as source, closing(sqlite3.connect(path)) as target:
        source.backup(target)


@pytest.mark.parametrize("kernels", ["fast", "plain"])
@pytest.mark.parametrize("writes", range(5))
def test_an_older_copy_of_the_file_is_not_followed(opened, path, tmp_path, writes, kernels):
    store, other = opened(kernels=kernels), opened()
    other.insert(documents(300))
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(tmp_path / "copy")) as target:
        source.backup(target)
    for number in (1, 2):
        other.upsert([document(number, random.Random(number))])
    answers(store)
    restored(path, tmp_path / "copy")
    for number in range(writes):  # the generation is then lower than the one that the store has seen, equal, or higher
        other.upsert([document(10 + number, random.Random(30 + number))])
    same(store, path)


def test_a_rebuild_is_not_followed(opened, path, follows):
    store, other = opened(), opened()
    other.insert(documents(300))
    answers(store)
    with other.rebuilding() as fresh:
        fresh.insert(documents(40, seed=5))
        answers(fresh)
        fresh.upsert([document(3, random.Random(4))])
        assert answers(fresh) != answers(store)
        fresh.delete(["d7"])
        answers(fresh)
    assert follows == [[3], [7]]
    same(store, path)
    assert follows[2:] == [None]
    other.delete(["d9"])
    same(store, path)
    assert follows[3:] == [[9]]


def test_an_abandoned_rebuild_is_harmless(opened, path, follows):
    store, other = opened(), opened()
    other.insert(documents(60))
    answers(store)
    with suppress(ZeroDivisionError), other.rebuilding() as fresh:
        fresh.insert(documents(40, seed=5))
        raise ZeroDivisionError
    other.delete(["d9"])
    same(store, path)
    assert follows == [[9]]


@pytest.mark.parametrize("when", ["before", "between", "after"])
def test_batches_of_an_earlier_version_of_the_library_are_not_followed(opened, path, follows, monkeypatch, when):
    store, other = opened(), opened()
    other.insert(documents(300))
    answers(store)
    for turn in ("before", "between", "after"):
        with monkeypatch.context() as patch:
            if turn == when:
                patch.setattr(SqliteChanges, "add", lambda *_: None)
            other.upsert([document(3, random.Random(turn))])
    same(store, path)
    assert follows == [None]
    for _ in range(2):
        other.delete([f"d{len(follows)}"])
        same(store, path)
    assert follows[1:] == [None, [2]] if when == "after" else [[1], [2]]


def test_the_next_batch_creates_a_missing_table_of_changes(opened, path, follows):
    other = opened()
    other.insert(documents(300))
    expected = _schema(path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP TABLE changes")
        database.commit()
    store = opened(read_only=True)
    answers(store)
    assert store.check() == []
    other.set_note("who", "tests")
    assert _schema(path) != expected
    same(store, path)
    other.delete(["d3"])
    same(store, path)
    assert _schema(path) == expected
    other.delete(["d4"])
    same(store, path)
    assert follows == [None, None, [4]]


def test_a_file_without_the_table_of_changes_can_be_rebuilt(opened, path):
    store = opened()
    store.insert(documents(30))
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP TABLE changes")
        database.commit()
    with store.rebuilding():
        pass
    assert store.count() == 0
    assert store.check() == []


def _schema(path):
    with closing(sqlite3.connect(path)) as database:
        return sorted(row[0] or "" for row in database.execute("SELECT sql FROM sqlite_master"))


def test_notes_and_model_names_do_not_invalidate_the_cache(opened, path, follows):
    store, other = opened(), opened()
    other.insert(documents(30))
    answers(store)
    other.set_note("who", "tests")
    other.keep_vector_model("q_3_vec", "model")
    same(store, path)
    other.delete(["d3"])
    same(store, path)
    assert follows == [[], [3]]


def test_a_vacuum_does_not_invalidate_the_cache(opened, path, follows):
    store, other = opened(), opened()
    other.insert(documents(300))
    other.delete([f"d{number}" for number in range(100)])
    answers(store)
    with closing(sqlite3.connect(path)) as database:
        database.execute("VACUUM")
    same(store, path)
    other.delete(["d150"])
    same(store, path)
    assert follows == [[150]]


@pytest.mark.parametrize("size", [document_changes.MOST_NOTED, document_changes.MOST_NOTED + 1])
def test_a_batch_of_many_documents_is_not_recorded(opened, path, follows, size):
    store, other = opened(), opened()
    other.insert(documents(20))
    answers(store)
    other.upsert(documents(size, seed=3))
    same(store, path)
    assert follows == [list(range(size)) if size == document_changes.MOST_NOTED else None]
    other.delete(["d3"])
    same(store, path)
    assert follows[1:] == [[3]]


@pytest.mark.parametrize("batches", [document_changes.MOST_BATCHES - 1, document_changes.MOST_BATCHES])
def test_the_last_batches_are_recorded(opened, path, follows, batches):
    store, other = opened(), opened()
    other.insert(documents(2))
    answers(store)
    for turn in range(batches):
        other.upsert([{"id": "d1", "content_ltks": f"solar t{turn}"}])
    same(store, path)
    assert follows == [[1] if batches < document_changes.MOST_BATCHES else None]
    with closing(sqlite3.connect(path)) as database:
        counted = database.execute("SELECT count(*), min(generation) FROM changes").fetchone()
    assert counted == (document_changes.MOST_BATCHES, batches + 2 - document_changes.MOST_BATCHES)


@pytest.mark.parametrize("more", [0, 1])
def test_only_few_changed_documents_are_listed(opened, path, follows, monkeypatch, more):
    monkeypatch.setattr(document_changes, "MOST_TOUCHED", 50)
    store, other = opened(), opened()
    other.insert(documents(300))
    answers(store)
    other.upsert(documents(40, seed=3))
    other.delete([f"d{number}" for number in range(100, 110 + more)])
    same(store, path)
    assert follows == [None if more else [*range(40), *range(100, 110)]]


@pytest.mark.parametrize("count", [touched_documents.MOST_TOUCHED, touched_documents.MOST_TOUCHED + 1])
def test_documents_of_several_batches_are_followed(opened, path, count):
    store, other = opened(), opened()
    other.insert(documents(600))
    answers(store)
    for first in range(0, count, 50):
        other.upsert(documents(600, seed=first)[first : min(count, first + 50)])
        same(store, path)


def test_a_path_that_means_memory_to_sqlite_is_a_file(tmp_path, monkeypatch, follows):
    monkeypatch.chdir(tmp_path)
    with SqliteDocStore(":memory:") as store, SqliteDocStore(":memory:") as other:
        other.insert(documents(30))
        answers(store)
        other.delete(["d3"])
        same(store, ":memory:")
    assert follows == [[3]]
    assert (tmp_path / ":memory:").exists()


def test_a_copied_file_follows_its_own_changes(opened, path, tmp_path):
    with SqliteDocStore(path) as store:
        store.insert(documents(30))
    copy = tmp_path / "copy.hsx"
    shutil.copy(path, copy)
    with SqliteDocStore(copy) as one, SqliteDocStore(copy) as two:
        answers(one)
        two.delete(["d3"])
        same(one, copy)
        assert isinstance(one.check(), list)


def test_nothing_is_read_again_while_the_file_does_not_change(opened, monkeypatch):
    store, other = opened(), opened()
    other.insert(documents(30))
    answers(store)
    asked = []
    rows = SqliteConnection.rows
    monkeypatch.setattr(SqliteConnection, "rows", lambda self, *given: asked.append(given[0]) or rows(self, *given))
    answers(store)
    assert not [statement for statement in asked if "changes" in statement]

"""Documents of an index file that were shown are read once, until they change or are evicted."""

import pytest

from hybrid_search.accelerated.kept_documents import KeptDocuments
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from hybrid_search.doc_store_adapter.sqlite.sqlite_tables import SqliteTables


@pytest.fixture
def read(monkeypatch):
    numbers = []
    fields_of = SqliteTables.fields_of
    monkeypatch.setattr(SqliteTables, "fields_of", lambda *given: numbers.extend(given[1]) or fields_of(*given))
    return numbers


@pytest.mark.parametrize(("memory", "again"), [(8, []), (0, [0, 1, 2])])
def test_a_document_that_has_not_changed_is_read_once(tmp_path, read, memory, again):
    ids = ["a", "b", "c"]
    with SqliteDocStore(tmp_path / "d.hsx", memory=memory) as store:
        store.insert([{"id": one, "content_ltks": f"rule {one}", "position_int": [[1]]} for one in ids])
        first = store.get_many(ids, [])
        first[0]["position_int"][0].append(2)
        read.clear()
        assert [found["content_ltks"] for found in store.get_many(ids, [])] == ["rule a", "rule b", "rule c"]
        assert store.get_many(["a"], [])[0]["position_int"] == [[1]]
        assert read == [*again, *again[:1]]
        store.update([{"id": "b", "content_ltks": "rule d"}])
        store.delete(["c"])
        read.clear()
        found = store.get_many(ids, [])
        assert [one and one["content_ltks"] for one in found] == ["rule a", "rule d", None]
        assert read.count(0) == (1 if again else 0)
        assert 1 in read


def test_the_documents_that_were_read_first_are_evicted():
    held = ({"content": "x" * 1000}, [])
    kept = KeptDocuments(7000)
    for number in range(5):
        kept.keep(number, held)
    assert [number for number in range(5) if kept.find(number)] == [2, 3, 4]
    later = kept.after([3, 9])
    assert [number for number in range(5) if later.find(number)] == [2, 4]
    later.keep(5, held)
    assert [number for number in range(6) if later.find(number)] == [2, 4, 5]


@pytest.mark.parametrize("value", ["x" * 5000, ["x" * 50] * 60, {"a": {"b" * 3000: ["x" * 3000]}}])
def test_everything_in_a_value_counts_as_memory(value):
    kept = KeptDocuments(7000)
    kept.keep(0, ({"content": "x"}, []))
    kept.keep(1, ({"metadata": value}, []))
    assert kept.find(0) is None

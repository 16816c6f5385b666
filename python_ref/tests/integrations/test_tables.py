"""Records from real tables of pandas, polars and Arrow (IDX-3)."""

import datetime
import sys

import pytest

from hybrid_search import ConfigurationError, Index, InvalidInputError

WHY = "the gate frameworks runs it with the package"
COLUMNS = {
    "id": ["1", "2", "3"],
    "content": ["red wine", "红 car", "bus"],
    "title": ["Wine", None, None],
    "year": [2019, None, 2024],
    "at": [datetime.datetime(2024, 5, 1), None, None],
    "tag": [["dry"], None, []],
}
EXPECTED = [
    {"year": 2019, "at": "2024-05-01T00:00:00.000000Z", "tag": ["dry"]},
    None,
    {"year": 2024, "tag": []},
]


def stored(table):
    index = Index()
    assert index.add(table, other_keys="metadata") == 3
    assert [index.get(number).get("title") for number in (1, 2, 3)] == ["Wine", None, None]
    return [index.get(number).get("metadata") for number in (1, 2, 3)]


def test_a_pandas_frame_is_added():
    pandas = pytest.importorskip("pandas", reason=WHY)
    frame = pandas.DataFrame(COLUMNS)
    assert stored(frame) == EXPECTED
    assert stored(frame.convert_dtypes()) == EXPECTED


def test_a_polars_frame_is_added():
    polars = pytest.importorskip("polars", reason=WHY)
    assert stored(polars.DataFrame(COLUMNS)) == EXPECTED


def test_arrow_and_parquet_tables_are_added(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason=WHY)
    parquet = pytest.importorskip("pyarrow.parquet", reason=WHY)
    table = pyarrow.table(COLUMNS)
    assert stored(table) == EXPECTED
    (batch,) = table.to_batches()
    assert stored(batch) == EXPECTED
    index = Index()
    index.add(table, other_keys="metadata")
    index.add({"id": "0", "content": "no other key", "tags": {"x": 1.5}, "positions": [[1, 2]], "vector": [1.0, 2.0]})
    parquet.write_table(index.to_arrow(include=["vector"]), tmp_path / "records.parquet")
    again = Index()
    again.add(parquet.read_table(tmp_path / "records.parquet"))
    assert again.count() == 4
    for number in range(4):
        assert again.get(number, include=["vector"]) == index.get(number, include=["vector"])


def test_an_index_is_exported_as_tables():
    pytest.importorskip("pyarrow", reason=WHY)
    index = Index()
    assert index.to_arrow().to_pylist() == []
    index.add([{"id": "2", "content": "a", "metadata": {"year": 1}}, {"id": "1", "content": "b"}])
    assert index.to_arrow().to_pylist() == [
        {"id": "1", "content": "b", "metadata": None},
        {"id": "2", "content": "a", "metadata": {"year": 1}},
    ]
    index.update([{"id": "1", "metadata": {"year": "two"}}])
    with pytest.raises(InvalidInputError, match="metadata cannot be a column of Arrow"):
        index.to_arrow()


def test_without_pyarrow_the_error_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ConfigurationError, match="a table of Arrow needs pyarrow: pip install pyarrow"):
        Index().to_arrow()


def test_a_page_becomes_a_frame():
    pandas = pytest.importorskip("pandas", reason=WHY)
    index = Index()
    index.add([{"id": "1", "content": "red wine"}, {"id": "2", "content": "red car"}])
    frame = pandas.DataFrame(index.search("wine red").to_dict()["hits"])
    assert list(frame["id"]) == ["1", "2"]
    assert {"score", "content", "metadata"} <= set(frame.columns)

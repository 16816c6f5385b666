"""Records from real tables of pandas, polars and Arrow (IDX-3)."""

import datetime

import pytest

from hybrid_search import Index

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


def test_a_frame_of_pandas():
    pandas = pytest.importorskip("pandas", reason=WHY)
    frame = pandas.DataFrame(COLUMNS)
    assert stored(frame) == EXPECTED
    assert stored(frame.convert_dtypes()) == EXPECTED


def test_a_frame_of_polars():
    polars = pytest.importorskip("polars", reason=WHY)
    assert stored(polars.DataFrame(COLUMNS)) == EXPECTED


def test_tables_of_arrow_and_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason=WHY)
    parquet = pytest.importorskip("pyarrow.parquet", reason=WHY)
    table = pyarrow.table(COLUMNS)
    assert stored(table) == EXPECTED
    (batch,) = table.to_batches()
    assert stored(batch) == EXPECTED
    index = Index()
    index.add(table, other_keys="metadata")
    records = [index.get(hit.id) for hit in index.each(match_all=True)]
    parquet.write_table(pyarrow.Table.from_pylist(records), tmp_path / "records.parquet")
    again = Index()
    again.add(parquet.read_table(tmp_path / "records.parquet"))
    assert again.get("1") == index.get("1")


def test_a_page_becomes_a_frame():
    pandas = pytest.importorskip("pandas", reason=WHY)
    index = Index()
    index.add([{"id": "1", "content": "red wine"}, {"id": "2", "content": "red car"}])
    frame = pandas.DataFrame(index.search("wine red").to_dict()["hits"])
    assert list(frame["id"]) == ["1", "2"]
    assert {"score", "content", "metadata"} <= set(frame.columns)

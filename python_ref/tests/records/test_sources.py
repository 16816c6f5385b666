"""Records from common sources, without the libraries of these sources (IDX-3)."""

import datetime
from typing import Any

import numpy as np
import pytest

from hybrid_search import Index, InvalidInputError


class NaTType:
    """As pandas has one."""


class NAType:
    """Another such value, which supports no operations."""

    def __bool__(self) -> bool:
        raise TypeError("boolean value of NA is ambiguous")

    def __eq__(self, other: object) -> Any:
        return self

    __hash__ = None  # type: ignore[assignment]


class Rows:
    """Some rows of a pandas DataFrame."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows

    def to_dict(self, form: str) -> list[dict[str, Any]]:
        assert form == "records"
        return [dict(row) for row in self.rows]


class Pandas(Rows):
    """The part of a pandas DataFrame that the code uses."""

    @property
    def columns(self) -> list[str]:
        return list(self.rows[0])

    @property
    def iloc(self) -> "Pandas":
        return self

    def __getitem__(self, place: slice) -> Rows:
        return Rows(self.rows[place])

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self):
        return iter(self.columns)


class Polars:
    """The part of a polars DataFrame that the code uses."""

    columns = ("id", "content", "year")

    def __init__(self, rows: list[tuple[Any, ...]]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def iter_rows(self, *, named: bool):
        assert named
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)


class Arrow:
    """The part of an Arrow table that the code uses."""

    columns = ()

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def slice(self, first: int, count: int) -> "Arrow":
        return Arrow(self.rows[first : first + count])

    def to_pylist(self) -> list[dict[str, Any]]:
        assert len(self.rows) <= 1024
        return [dict(row) for row in self.rows]


def added(records, **options):
    index = Index()
    seen: list[tuple[int, int]] = []
    count = index.add(records, progress=lambda done, total: seen.append((done, total)), **options)
    assert count == index.count()
    return index, seen


def test_rows_of_a_pandas_frame_are_read_without_missing_values():
    index, seen = added(
        Pandas(
            [
                {"id": 1, "content": "red wine", "title": np.nan, "year": 2019, "at": NaTType(), "n": NAType()},
                {"id": 2, "content": "red car", "title": "Cars", "year": np.float32("nan"), "at": None, "n": 7},
                {"id": 3, "content": "bus", "title": None, "year": 2024.0, "at": datetime.datetime(2024, 5, 1), "n": 0},
            ]
        ),
        other_keys="metadata",
    )
    assert seen == [(3, 3)]
    assert index.get(1)["metadata"] == {"year": 2019}
    assert index.get(2)["metadata"] == {"n": 7}
    assert index.get(2)["title"] == "Cars"
    assert index.get(3)["metadata"] == {"year": 2024.0, "at": "2024-05-01T00:00:00.000000Z", "n": 0}


def test_a_pandas_frame_of_several_blocks_is_read_in_batches():
    frame = Pandas([{"id": number, "content": "x"} for number in range(2100)])
    index, seen = added(frame, batch_size=1000)
    assert seen == [(1000, 2100), (2000, 2100), (2100, 2100)]
    assert index.get(2099) is not None


def test_rows_of_a_polars_frame_are_read():
    index, seen = added(
        Polars([("1", "red wine", 2019), ("2", "red car", None), ("3", "bus", float("nan"))]), other_keys="metadata"
    )
    assert seen == [(3, 3)]
    assert [index.get(number).get("metadata") for number in (1, 2, 3)] == [{"year": 2019}, None, None]


def test_rows_of_an_arrow_table_are_read():
    rows = [{"id": number, "content": "x", "year": None if number % 2 else number} for number in range(1025)]
    index, seen = added(Arrow(rows), other_keys="metadata", batch_size=1000)
    assert seen == [(1000, 1025), (1025, 1025)]
    assert [index.get(number).get("metadata") for number in (1023, 1024)] == [None, {"year": 1024}]


def test_a_frame_with_unsupported_columns_is_refused():
    with pytest.raises(InvalidInputError, match=r"^unknown document field .year."):
        added(Polars([("1", "red wine", 2019)]))


def test_one_record_or_a_stream_is_accepted():
    assert added({"id": 1, "content": "red"})[1] == [(1, 1)]
    assert added({"id": number, "content": "red"} for number in range(3))[1] == [(3, -1)]
    assert added({"a": {"id": 1, "content": "red"}}.values())[1] == [(1, -1)]


@pytest.mark.parametrize("records", [5, None, "red", b"red", object()])
def test_values_that_contain_no_records_are_refused(records):
    with pytest.raises(InvalidInputError, match=r"^records must be a list or a stream of records, or one record, not "):
        added(records)


def test_an_array_is_not_a_source_of_records():
    with pytest.raises(InvalidInputError, match=r"^records\[0\] must be an object, not 1"):
        added(np.array([1, 2]))

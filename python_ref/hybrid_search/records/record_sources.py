"""Reads records from a list, a stream, one record, the rows of a DataFrame or a table (IDX-3)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hybrid_search.base import validation
from hybrid_search.protocols import Record

ACCEPTED = "a list or a stream of records, or one record"
BLOCK = 1024
NO_VALUES = ("NaTType", "NAType")
"""The types of what pandas has where nothing is, besides NaN."""


def read(records: Any) -> tuple[Iterable[Record], int]:
    """Return the records one after the other, and their number; -1 if it is not known.

    Raises:
        InvalidInputError: the value contains no records.
    """
    if isinstance(records, Mapping):
        return [records], 1
    rows = _rows(records)
    if rows is not None:
        return map(_without_missing, rows), len(records)
    if isinstance(records, (str, bytes)) or not isinstance(records, Iterable):
        raise validation.fail("records", records, ACCEPTED)
    return records, len(records) if isinstance(records, Sequence) else -1


def _rows(records: Any) -> Iterable[Any] | None:
    """Return the rows of a pandas or polars DataFrame, or of an Arrow table; `None` for anything else."""
    if isinstance(records, (str, bytes, list, tuple, np.ndarray)) or not hasattr(type(records), "columns"):
        return None
    if hasattr(records, "iter_rows"):
        return _iterated(records.iter_rows(named=True))
    if hasattr(records, "iloc"):
        return _blocks(records)
    if hasattr(records, "to_pylist"):
        return _slices(records)
    return None


def _iterated(rows: Iterable[Any]) -> Iterator[Any]:
    yield from rows


def _blocks(frame: Any) -> Iterator[Any]:
    """Yield the rows of a pandas DataFrame, block by block, so that they are never all in memory."""
    for first in range(0, len(frame), BLOCK):
        yield from frame.iloc[first : first + BLOCK].to_dict("records")


def _slices(table: Any) -> Iterator[Any]:
    """Yield the rows of an Arrow table, block by block."""
    for first in range(0, len(table), BLOCK):
        yield from table.slice(first, BLOCK).to_pylist()


def _without_missing(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values without missing ones, also within structs, which have the same names throughout a column."""
    given = ((name, _without_missing(value) if isinstance(value, dict) else value) for name, value in row.items())
    return {name: value for name, value in given if not _is_missing(value)}


def _is_missing(value: Any) -> bool:
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    return value is None or type(value).__name__ in NO_VALUES

"""Makes records from the rows of a table (FIL-4)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hybrid_search.base import json_writer, strict_json, validation
from hybrid_search.errors import InvalidInputError
from hybrid_search.records.record_mapping import METADATA, RecordMapping

CONTENT, PATH = "content", "path"
TEXT_KEYS = ("id", "content", "title", "doc_id", "document_name", "kb_id", "parent")
"""The keys of a record whose values are texts."""
LIST_KEYS = ("keywords", "questions")
"""The keys of a record whose values are lists of texts; in a cell they are separated by semicolons or line ends."""
JSON_KEYS = ("tags", "page_rank", "positions", "available", "vector")
"""The keys of a record whose values are JSON in a cell."""


class TableRows:
    """Makes records from the rows of a table; its first row that is not blank names the columns.

    Args:
        path: the path of the file.
        place: the beginning of the ids of its rows.
        mapping: key of a record → column, in the form of `RecordMapping`.
        other_keys: what to do with columns that are not keys of records, likewise.
    """

    def __init__(self, path: str, place: str, mapping: Mapping[str, str], other_keys: str) -> None:
        self._path = path
        self._place = place
        self._mapping = mapping
        self._other_keys = other_keys

    def records(self, rows: Iterable[Sequence[Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
        """Return the number of each row that is not blank, from 1, with its record.

        Args:
            rows: the rows; a cell is a text, a number, true or false, or None.

        Raises:
            InvalidInputError: a mapped column does not exist, or a row has more cells than there are columns.
        """
        columns: list[str] | None = None
        for number, cells in enumerate(rows, 1):
            if all(_is_blank(cell) for cell in cells):
                continue
            if columns is None:
                columns = _distinct(cells)
                names = _distinct([PATH, *(column.replace(".", "_") for column in columns)])[1:]
                mapping = RecordMapping(self._named(columns, names), self._other_keys)
                continue
            if any(not _is_blank(cell) for cell in cells[len(columns) :]):
                raise InvalidInputError(f"row {number} has {len(cells)} cells, and there are {len(columns)} columns")
            filled = [place for place, cell in enumerate(cells) if not _is_blank(cell)]
            record = mapping.record({names[place]: cells[place] for place in filled})
            if CONTENT not in record:
                record[CONTENT] = "\n".join(f"{columns[place]}: {_text(cells[place])}" for place in filled)
            yield number, self._whole(record, number)

    def _named(self, columns: Sequence[str], names: Sequence[str]) -> dict[str, str]:
        """Return the mapping with the columns' names in records."""
        for key, column in self._mapping.items():
            if column not in columns:
                shown = ", ".join(validation.describe(each) for each in columns)
                raise InvalidInputError(f"has no column {validation.describe(column)} for {key}, but {shown}")
        return {key: names[columns.index(column)] for key, column in self._mapping.items()}

    def _whole(self, record: dict[str, Any], number: int) -> dict[str, Any]:
        made: dict[str, Any] = {"id": f"{self._place}#{number}", "doc_id": self._path, "positions": [number]}
        made |= {key: _value(key, value) for key, value in record.items()}
        if not isinstance(made.get("title"), str):
            made.setdefault("document_name", self._path.rpartition("/")[2])
        own = made.get(METADATA)
        made[METADATA] = {**(own if isinstance(own, Mapping) else {}), PATH: self._path}
        return made


def _distinct(cells: Sequence[Any]) -> list[str]:
    """Return the names of columns: the second of equal names gets `_2`; a column without a name gets its number."""
    names: dict[str, int] = {}
    for place, cell in enumerate(cells, 1):
        name = first = _text(cell).strip(" \t\r\n") or f"column_{place}"
        while name in names:
            names[first] += 1
            name = f"{first}_{names[first]}"
        names[name] = 1
    return list(names)


def _is_blank(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip(" \t\r\n"))


def _text(cell: Any) -> str:
    """Return a cell as a text; a number without a fraction is written without one."""
    if cell is None or isinstance(cell, str):
        return cell or ""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        cell = int(cell)
    return json_writer.write(cell)


def _value(key: str, value: Any) -> Any:
    if key in TEXT_KEYS:
        return _text(value)
    if not isinstance(value, str):
        return value
    if key in LIST_KEYS:
        parts = value.replace("；", ";").replace("\n", ";").split(";")
        return [part for part in (each.strip(" \t\r") for each in parts) if part]
    if key in JSON_KEYS:
        try:
            return strict_json.parse(value)
        except ValueError:
            return value
    return value

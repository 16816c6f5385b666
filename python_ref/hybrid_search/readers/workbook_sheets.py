"""Reads the rows of a spreadsheet, sheet by sheet (FIL-5); Python only, extra `files`."""

import datetime
from collections.abc import Iterator, Sequence
from typing import Any

from hybrid_search.errors import InvalidInputError
from hybrid_search.readers import file_bytes, optional_library, zip_size

SPREADSHEET = "a spreadsheet"
MOST_ROWS = 1_048_576
"""The maximum number of rows of a sheet, the same as Excel's."""
MOST_CELLS = 32 * 1024 * 1024
"""The maximum number of cells of a sheet, including missing ones before others."""


def sheets(path: str) -> Iterator[tuple[str, Iterator[Sequence[Any]]]]:
    """Return the name of each sheet with its rows.

    Raises:
        InvalidInputError: the file cannot be read.
        ConfigurationError: a library is missing.
    """
    openpyxl = optional_library.load("openpyxl", ".xlsx")
    zip_size.check(path)
    with file_bytes.opened(path) as stream:
        with optional_library.reading(SPREADSHEET):
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True, keep_links=False)
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # what the file states of its size may be wrong, or a trap
            yield sheet.title, _rows(sheet)


def _rows(sheet: Any) -> Iterator[Sequence[Any]]:
    with optional_library.reading(SPREADSHEET):
        cells = 0
        for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
            cells += len(row)
            if number > MOST_ROWS or cells > MOST_CELLS:
                raise InvalidInputError(f"has more than {MOST_ROWS} rows or {MOST_CELLS} cells in a sheet")
            yield [_cell(value) for value in row]


def _cell(value: Any) -> Any:
    """Return a cell as plain data: dates as texts."""
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(sep=" ")
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if value is None or isinstance(value, (str, bool, int)):
        return value
    return value if isinstance(value, float) and value == value and abs(value) != float("inf") else str(value)

"""Reads the rows of files of comma-separated or tab-separated values (FIL-4)."""

from collections.abc import Iterable, Iterator

from hybrid_search.errors import InvalidInputError
from hybrid_search.readers import file_bytes

QUOTE = '"'


def rows(lines: Iterable[tuple[bytes, bool]], separator: str) -> Iterator[list[str]]:
    """Return the rows of a table, as RFC 4180 defines them.

    Neither Python's nor Ruby's library is used, because they treat a quote within a cell differently.

    Args:
        lines: the lines, as `file_bytes.lines` returns them.
        separator: the character between two cells.

    Raises:
        InvalidInputError: a row is too long, is not valid UTF-8, or has a quote in a wrong place.
    """
    first = 0
    parts: list[bytes] = []
    size = quotes = 0
    for number, (data, is_whole) in enumerate(lines, 1):
        first = first if parts else number
        parts.append(data)
        size += len(data)
        quotes += data.count(b'"')
        if not is_whole or size > file_bytes.LONGEST_LINE:
            raise InvalidInputError(f"line {first}: the row has more than {file_bytes.LONGEST_LINE} bytes")
        if quotes % 2 == 0:
            yield _row(b"".join(parts), separator, first)
            parts, size, quotes = [], 0, 0
    if parts:
        raise InvalidInputError(f"line {first}: a quoted cell does not end")


def _row(data: bytes, separator: str, line: int) -> list[str]:
    try:
        return _cells(file_bytes.text_of(data.removesuffix(b"\n").removesuffix(b"\r")), separator)
    except InvalidInputError as problem:
        raise InvalidInputError(f"line {line}: {problem}") from None


def _cells(row: str, separator: str) -> list[str]:
    if QUOTE not in row:
        return row.split(separator)
    cells: list[str] = []
    place = 0
    while place <= len(row):
        if row.startswith(QUOTE, place):
            end = _closing_quote(row, place + 1)
            cells.append(row[place + 1 : end].replace(QUOTE * 2, QUOTE))
            place = end + 1
            if place < len(row) and row[place] != separator:
                raise InvalidInputError("a quoted cell goes on after its closing quote")
        else:
            found = row.find(separator, place)
            end = len(row) if found < 0 else found
            cell = row[place:end]
            if QUOTE in cell:
                raise InvalidInputError("a cell with a quote must be quoted, and the quote doubled")
            cells.append(cell)
            place = end
        place += 1
    return cells


def _closing_quote(row: str, place: int) -> int:
    """Return the place of the quote that ends a cell; it exists, as a row has an even number of quotes."""
    while True:
        place = row.index(QUOTE, place)
        if not row.startswith(QUOTE, place + 1):
            return place
        place += 2

"""Reads the records of one file of any kind (FIL-2 … FIL-5)."""

import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from hybrid_search.base import strict_json
from hybrid_search.chunker.chunk_records import POSITION
from hybrid_search.chunker.chunker import Chunker, Format
from hybrid_search.errors import ConfigurationError, InvalidInputError
from hybrid_search.readers import (
    file_bytes,
    file_kinds,
    html_text,
    pdf_text,
    table_cells,
    word_text,
    workbook_sheets,
)
from hybrid_search.readers.file_record import FileRecord
from hybrid_search.readers.file_text import FileText
from hybrid_search.readers.file_walk import FoundFile
from hybrid_search.readers.table_rows import PATH, TableRows
from hybrid_search.records.record_mapping import METADATA, REFUSE, RecordMapping

Read = Callable[[str], FileText]
SEPARATORS = {file_kinds.CSV: ",", file_kinds.TSV: "\t"}


class FileReader:
    """Reads files into records.

    Args:
        chunker: cuts documents.
        mapping: key of a record → its name in JSON, or the column of a table.
        other_keys: what to do with names that records do not have, in the form of `RecordMapping`; by default columns
            of tables go into `metadata`, and names in JSON are refused.
    """

    def __init__(self, chunker: Chunker, mapping: Mapping[str, str], other_keys: str | None) -> None:
        self._chunker = chunker
        self._mapping = mapping
        self._other_keys = other_keys
        self._json_mapping = RecordMapping(mapping, REFUSE if other_keys is None else other_keys)

    def records(self, file: FoundFile) -> Iterator[FileRecord]:
        """Return the records of a file one after the other; a file without text has no records.

        If the whole file is unreadable, the reason comes last, as a `FileRecord` without a record.
        """
        try:
            if file.kind in file_kinds.TABLES:
                yield from self._rows(file)
            elif file.kind in file_kinds.DOCUMENTS:
                yield from self._chunks(file)
            else:
                yield from self._objects(file)
        except (InvalidInputError, ConfigurationError) as problem:
            yield FileRecord(file.path, 0, reason=str(problem))

    def _chunks(self, file: FoundFile) -> Iterator[FileRecord]:
        found = _text_of(file)
        chunks = self._cut(file.path, found, found.title)
        if POSITION not in chunks[0]:  # there is no text
            return
        if not chunks[0].get("document_name"):
            chunks = self._cut(file.path, found, file.path.rpartition("/")[2])
        for number, chunk in enumerate(chunks, 1):
            yield FileRecord(file.path, number, chunk)

    def _cut(self, path: str, found: FileText, title: str) -> list[dict[str, Any]]:
        record = {"id": path, "title": title, "content": found.text, METADATA: {PATH: path}}
        return self._chunker.chunk_records(record, found.format)

    def _rows(self, file: FoundFile) -> Iterator[FileRecord]:
        if file.kind == file_kinds.XLSX:
            for sheet, rows in workbook_sheets.sheets(file.path):
                yield from self._table(file.path, f"{file.path}#{sheet}", rows)
            return
        with file_bytes.opened(file.path) as stream:
            rows = table_cells.rows(file_bytes.lines(stream), SEPARATORS[file.kind])
            yield from self._table(file.path, file.path, rows)

    def _table(self, path: str, place: str, rows: Iterable[Any]) -> Iterator[FileRecord]:
        table = TableRows(path, place, self._mapping, METADATA if self._other_keys is None else self._other_keys)
        for number, record in table.records(rows):
            yield FileRecord(path, number, record)

    def _objects(self, file: FoundFile) -> Iterator[FileRecord]:
        if file.kind == file_kinds.JSON:
            yield from self._values(file.path)
        elif file.kind == file_kinds.UNKNOWN:
            raise InvalidInputError(f"is not of a readable kind: {' '.join(file_kinds.EXTENSIONS)}")
        else:
            with file_bytes.opened(file.path) as stream:
                if file.kind == file_kinds.JSONL_GZ:
                    with gzip.GzipFile(fileobj=stream) as unpacked:
                        yield from self._json_lines(file.path, _unpacked(file_bytes.lines(unpacked)))
                else:
                    yield from self._json_lines(file.path, file_bytes.lines(stream))

    def _values(self, path: str) -> Iterator[FileRecord]:
        """Yield the object in a JSON file, or the objects in its list."""
        text = file_bytes.read_text(path)
        try:
            value = strict_json.parse(text)
        except ValueError:
            raise InvalidInputError("is not valid JSON") from None
        values = value if isinstance(value, list) else [value]
        for number, each in enumerate(values, 1):
            if isinstance(each, dict):
                yield FileRecord(path, number, self._json_mapping.record(each))
            else:
                yield FileRecord(path, number, reason="not a JSON object")

    def _json_lines(self, path: str, lines: Iterable[tuple[bytes, bool]]) -> Iterator[FileRecord]:
        for number, (data, is_whole) in enumerate(lines, 1):
            if not is_whole:
                yield FileRecord(path, number, reason=f"the line has more than {file_bytes.LONGEST_LINE} bytes")
            elif data.strip(b" \t\r\n"):
                yield self._json_line(path, number, data)

    def _json_line(self, path: str, number: int, data: bytes) -> FileRecord:
        text = data.decode("utf-8", "replace")
        shown = text.rstrip("\r\n")
        try:
            content = strict_json.parse_object(file_bytes.text_of(data))
        except InvalidInputError:
            return FileRecord(path, number, text=shown, reason="not valid UTF-8")
        if content is None:
            return FileRecord(path, number, text=shown, reason="not a JSON object")
        return FileRecord(path, number, self._json_mapping.record(content))


def _text_of(file: FoundFile) -> FileText:
    others: dict[str, Read] = {
        file_kinds.HTML: html_text.read,
        file_kinds.PDF: pdf_text.read,
        file_kinds.DOCX: word_text.read,
    }
    if file.kind in others:
        return others[file.kind](file.path)
    form: Format = "markdown" if file.kind == file_kinds.MARKDOWN else "text"
    return FileText(file_bytes.read_text(file.path), form)


def _unpacked(lines: Iterable[tuple[bytes, bool]]) -> Iterator[tuple[bytes, bool]]:
    try:
        yield from lines
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InvalidInputError("is not whole gzip data") from None

"""Cuts long documents into chunks that follow their structure (CHK-1 … CHK-6)."""

from collections.abc import Sequence
from typing import Any, Literal

from hybrid_search.base import validation
from hybrid_search.chunker import plain_text, source_lines
from hybrid_search.chunker.chunk_records import ChunkRecords
from hybrid_search.chunker.markdown import MarkdownReader
from hybrid_search.chunker.markdown_lines import LONGEST_HEADING
from hybrid_search.chunker.packer import Packer
from hybrid_search.chunker.section import Section
from hybrid_search.chunker.text_chunk import TextChunk
from hybrid_search.chunker.token_counter import CountingTokenizer, CountTokens, TokenCounter
from hybrid_search.chunker.units import UnitMaker
from hybrid_search.protocols import Record

DEFAULT_SIZE = 256
LARGEST_SIZE = 1_000_000
OVERLAP_SHARE = 8
"""The default overlap is the size divided by this number."""
MOST_OVERLAP_SHARE = 2
"""The maximum overlap is the size divided by this number."""
TITLE_SEPARATOR = " > "

Format = Literal["text", "markdown"]

FORMATS: tuple[Format, ...] = ("text", "markdown")


class Chunker:
    """Cuts texts into chunks: at headings and pages, then at blocks, list items and sentences, and finally at words.

    A chunker is safe to share between threads if its tokenizer is.
    """

    @validation.known_options(("size", "overlap", "tokenizer"))
    def __init__(
        self,
        size: int = DEFAULT_SIZE,
        overlap: int | None = None,
        tokenizer: CountingTokenizer | CountTokens | None = None,
    ) -> None:
        """Make a chunker.

        Args:
            size: the maximum number of tokens of a chunk, 1 to a million.
            overlap: the maximum number of tokens, in whole sentences, that a chunk repeats from the previous one, from
                0 to half of the size; `None` means an eighth of the size.
            tokenizer: counts tokens (CHK-1): an object with `tokenize`, or a function that returns the tokens of a text
                or their number. The tokenizer of the embedding model makes sizes exact for it.

        Raises:
            InvalidInputError: an option is unknown or not acceptable.
        """
        self._size = validation.integer("size", size, 1, LARGEST_SIZE)
        self._overlap = (
            self._size // OVERLAP_SHARE
            if overlap is None
            else validation.integer("overlap", overlap, 0, self._size // MOST_OVERLAP_SHARE)
        )
        self._counter = TokenCounter(tokenizer)

    @validation.known_options(("format", "title"))
    def split(
        self,
        text: str,
        format: Format = "text",  # noqa: A002
        title: str | None = None,
    ) -> list[TextChunk]:
        """Return the chunks of a text in order; a blank text has no chunks.

        Args:
            text: the text.
            format: the marks of its structure: "text" (blank lines and form feeds) or "markdown".
            title: the title of the document; the titles of the chunks begin with it.

        Raises:
            InvalidInputError: an argument is not acceptable, or the tokenizer failed.
        """
        text = validation.text("text", text)
        kind = validation.choice("format", format, FORMATS)
        title = "" if title is None else validation.text("title", title)
        return self._chunks(text, kind, title)

    @validation.known_options(("format",))
    def chunk_records(
        self,
        record: Record,
        format: Format = "text",  # noqa: A002
    ) -> list[dict[str, Any]]:
        """Return the records of the chunks of a record, for `Index.add`.

        Each record has the id `"<id>#<number>"`. Its `doc_id` is the record's id and its `document_name` the record's
        title, unless the record sets these itself. It has the chunk's content, title and `positions`, its headings and
        page in `metadata`, and all other keys of the record. A record without text gives one record.

        Args:
            record: a record that `Index.add` takes, with neither `vector` nor `positions`.
            format: as for `split`.

        Raises:
            InvalidInputError: an argument is not acceptable, or the tokenizer failed.
        """
        kind = validation.choice("format", format, FORMATS)
        records = ChunkRecords(record)
        return records.of(self._chunks(records.content, kind, records.title))

    def _chunks(self, text: str, kind: str, title: str) -> list[TextChunk]:
        lines = source_lines.read(text)
        sections = MarkdownReader().sections(lines) if kind == "markdown" else plain_text.sections(lines)
        maker = UnitMaker(text, self._counter, self._size)
        chunks: list[TextChunk] = []
        for section in sections:
            self._add(chunks, text, title, section, maker)
        return chunks

    def _add(self, chunks: list[TextChunk], text: str, title: str, section: Section, maker: UnitMaker) -> None:
        units = maker.units(section)
        shown = _title_of(title, section.headings)
        for span in Packer(units, self._size, self._overlap).spans():
            start, end = units[span.begin].start, units[span.end - 1].end
            tokens = 0
            for unit in units[span.begin : span.end]:
                tokens += unit.tokens
            chunks.append(
                TextChunk(
                    number=len(chunks) + 1,
                    content=text[start:end],
                    title=shown,
                    headings=section.headings,
                    page=section.page,
                    start=start,
                    end=end,
                    overlap=units[span.fresh].start - start,
                    tokens=tokens,
                )
            )


def _title_of(title: str, headings: Sequence[str]) -> str:
    """Return the document's title and the headings on one line; a first heading equal to the title is not repeated."""
    first = title[:LONGEST_HEADING]
    parts = [*headings] if headings and headings[0] == title else [first, *headings]
    return TITLE_SEPARATOR.join(part for part in parts if part)

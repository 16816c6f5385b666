"""Reads the text of a PDF, page by page (FIL-5); Python only, extra `files`."""

import logging
import time
from typing import Any

from hybrid_search.errors import InvalidInputError
from hybrid_search.readers import file_bytes, optional_library
from hybrid_search.readers.file_text import FileText

MOST_PAGES = 10_000
LONGEST_TEXT = 64 * 1024 * 1024
"""The maximum number of characters of all pages together."""
LONGEST_READING = 300.0
"""The number of seconds after which no further page is read."""
PAGE_BREAK = "\f"


def read(path: str) -> FileText:
    """Return the text of a file, its pages separated by form feeds.

    Raises:
        InvalidInputError: the file cannot be read.
        ConfigurationError: a library is missing.
    """
    pypdf = optional_library.load("pypdf", ".pdf")
    logging.getLogger("pypdf").addHandler(logging.NullHandler())
    with file_bytes.opened(path) as stream, optional_library.reading("a PDF"):
        reader = pypdf.PdfReader(stream)
        return FileText(PAGE_BREAK.join(_pages(reader)), "text", _title(reader))


def _pages(reader: Any) -> list[str]:
    pages: list[str] = []
    size = 0
    begun = time.monotonic()
    for page in reader.pages:
        text = page.extract_text().replace(PAGE_BREAK, "\n")
        size += len(text)
        pages.append(text.encode("utf-8", "replace").decode("utf-8"))
        if len(pages) > MOST_PAGES or size > LONGEST_TEXT:
            raise InvalidInputError(f"has more than {MOST_PAGES} pages or {LONGEST_TEXT} characters")
        if time.monotonic() - begun > LONGEST_READING:
            raise InvalidInputError(f"takes longer than {LONGEST_READING:g} seconds to read")
    return pages


def _title(reader: Any) -> str:
    """Return the title that the PDF states."""
    title = None if reader.metadata is None else reader.metadata.title
    return " ".join(title.split()) if isinstance(title, str) else ""

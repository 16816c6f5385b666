"""Reads the text of HTML, as Markdown (FIL-5); Python only, extra `files`."""

import re
import warnings
from typing import Any

from hybrid_search.readers import file_bytes, optional_library
from hybrid_search.readers.file_text import FileText

_BLANKS = re.compile(r"[ \t\n\r\f]{2,}")
UNSEEN = ("script", "style", "template", "noscript", "svg", "img", "head")
"""The elements whose contents are not text for readers."""


def read(path: str) -> FileText:
    """Return the text of a file.

    Raises:
        InvalidInputError: the file cannot be read.
        ConfigurationError: a library is missing.
    """
    return of(file_bytes.read(path), ".html")


def of(source: bytes | str, end: str) -> FileText:
    """Return the text of HTML.

    Args:
        source: the HTML; as bytes, in the encoding that they state.
        end: the end of the name of the file.
    """
    soup_of = optional_library.load("bs4", end)
    markdownify = optional_library.load("markdownify", end)
    with optional_library.reading("HTML"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of texts that look like something else than HTML
        optional_library.load("lxml", end)
        soup = soup_of.BeautifulSoup(source, "lxml")
        title = _title(soup)
        for element in soup(list(UNSEEN)):
            element.decompose()
        _collapse_blanks(soup)
        text = markdownify.MarkdownConverter(heading_style="atx", bullets="-").convert_soup(soup)
    return FileText(str(text), "markdown", title)


def _collapse_blanks(soup: Any) -> None:
    """Replace runs of white space, which means nothing in HTML and slows the converter, with single blanks."""
    for text in soup.find_all(string=_BLANKS):
        if text.find_parent(["pre", "textarea"]) is None:
            text.replace_with(_BLANKS.sub(" ", text))


def _title(soup: Any) -> str:
    """Return the title that the page states, with single blanks for its white space."""
    return "" if soup.title is None else " ".join(soup.title.get_text().split())

"""Reads the text of a Word document, as Markdown (FIL-5); Python only, extra `files`."""

from typing import Any

from hybrid_search.readers import file_bytes, html_text, optional_library, zip_size
from hybrid_search.readers.file_text import FileText


def read(path: str) -> FileText:
    """Return the text of a file.

    Raises:
        InvalidInputError: the file cannot be read.
        ConfigurationError: a library is missing.
    """
    mammoth = optional_library.load("mammoth", ".docx")
    zip_size.check(path)
    with file_bytes.opened(path) as stream, optional_library.reading("a document of Word"):
        made = mammoth.convert_to_html(stream, convert_image=mammoth.images.img_element(_no_image))
    return html_text.of(made.value, ".docx")


def _no_image(_: Any) -> dict[str, str]:
    """Return no attributes: images are not read."""
    return {"src": ""}

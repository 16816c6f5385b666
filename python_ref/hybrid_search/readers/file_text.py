"""The text of a document in a file (FIL-3)."""

from dataclasses import dataclass

from hybrid_search.chunker.chunker import Format


@dataclass(frozen=True)
class FileText:
    """The text of a document.

    Attributes:
        text: the text.
        format: the format that marks its structure, as for `Chunker.split`.
        title: the title that the file states; "" if it states none.
    """

    text: str
    format: Format
    title: str = ""

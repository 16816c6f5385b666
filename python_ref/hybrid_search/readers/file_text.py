"""The text of a document in a file (FIL-3)."""

from dataclasses import dataclass

from hybrid_search.chunker.chunker import Format


@dataclass(frozen=True)
class FileText:
    """The text of a document.

    Attributes:
        text: the text.
        format: what marks its structure, as `Chunker.split` takes it.
        title: the title that the file states; "" if it states none.
    """

    text: str
    format: Format
    title: str = ""

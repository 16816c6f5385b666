"""Makes the records of the chunks of a record (CHK-6)."""

from collections.abc import Sequence
from typing import Any

from hybrid_search.chunker.text_chunk import TextChunk
from hybrid_search.doc_store_adapter.documents import stored_document
from hybrid_search.errors import InvalidInputError
from hybrid_search.protocols import Record
from hybrid_search.records import record_values

NUMBER_SIGN = "#"
POSITION = "positions"
"""The key of a record for its positions in its document."""
OF_THE_WHOLE = (POSITION, "vector")
"""The keys of a record whose values describe the whole document, and not one of its chunks."""
MADE = ("headings", "page")
"""The attributes that chunks have in addition to those of the record."""


class ChunkRecords:
    """Makes the records of the chunks of one record.

    Args:
        record: a record that `Index.add` takes.

    Raises:
        InvalidInputError: as for `DocumentBuilder.build`; or a key that only chunks may have.
    """

    def __init__(self, record: Record) -> None:
        self._record = record_values.whole("record", record)
        for key in OF_THE_WHOLE:
            if key in self._record:
                raise InvalidInputError(f"record.{key} is that of the whole document: omit it")
        for key in MADE:
            if key in self._record.get("metadata", {}):
                raise InvalidInputError(f"record.metadata.{key} is what chunks have: give it another name")

    @property
    def content(self) -> str:
        """The text to cut."""
        content: str = self._record["content"]
        return content

    @property
    def title(self) -> str:
        """The document's title, "" if it has none."""
        title: str = self._record.get("title", "")
        return title

    def of(self, chunks: Sequence[TextChunk]) -> list[dict[str, Any]]:
        """Return a record for each chunk; without chunks, one record with the record's own content.

        Raises:
            InvalidInputError: the id of a chunk is too long.
        """
        name = self._record.get("document_name", self.title)
        if not name:
            name = next((chunk.headings[0] for chunk in chunks if chunk.headings), "")
        shared = {**self._record, "doc_id": self._record.get("doc_id", self._record["id"])}
        if name:
            shared["document_name"] = name
        if not chunks:
            return [{**shared, "id": self._id(1)}]
        return [self._one(shared, chunk) for chunk in chunks]

    def _one(self, shared: dict[str, Any], chunk: TextChunk) -> dict[str, Any]:
        made = {**shared, "id": self._id(chunk.number), "content": chunk.content}
        if chunk.title:
            made["title"] = chunk.title
        made[POSITION] = chunk.positions
        metadata = dict(self._record.get("metadata", {}))
        if chunk.headings:
            metadata["headings"] = list(chunk.headings)
        if chunk.page is not None:
            metadata["page"] = chunk.page
        if metadata:
            made["metadata"] = metadata
        return made

    def _id(self, number: int) -> str:
        return stored_document.accept_identifier("the id of a chunk", f"{self._record['id']}{NUMBER_SIGN}{number}")

"""What post-processing gives."""

from dataclasses import dataclass
from typing import Any

from hybrid_search.post_processor.document import Document


@dataclass(frozen=True)
class ProcessedDocuments:
    """Documents in order, copies of those that went in.

    Attributes:
        documents: with `score` in their metadata.
        warnings: what went wrong without stopping the work.
        query_keywords: words and parts of the query where keywords were compared, else none.
        applied: whether the documents were scored; false when the model failed.
    """

    documents: tuple[Document, ...]
    warnings: tuple[str, ...] = ()
    query_keywords: tuple[str, ...] = ()
    applied: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Documents and warnings as plain data."""
        return {
            "documents": [document.to_dict() for document in self.documents],
            "warnings": list(self.warnings),
        }

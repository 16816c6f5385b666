"""The result of the retrieval service (DFY-6)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hybrid_search.post_processor.document import Document


@dataclass(frozen=True)
class ServiceResult:
    """Documents, best first.

    Attributes:
        documents: with `score`, `leg_scores` and other scores in their metadata.
        warnings: problems that did not stop the retrieval.
        explain: the explanation of the scores, `None` unless requested.
    """

    documents: tuple[Document, ...] = ()
    warnings: tuple[str, ...] = ()
    explain: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data; `explain` only if it was requested."""
        plain: dict[str, Any] = {
            "documents": [document.to_dict() for document in self.documents],
            "warnings": list(self.warnings),
        }
        if self.explain is not None:
            plain["explain"] = dict(self.explain)
        return plain

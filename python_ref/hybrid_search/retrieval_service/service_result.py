"""What the retrieval service answers (DFY-6)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hybrid_search.post_processor.document import Document


@dataclass(frozen=True)
class ServiceResult:
    """Documents, best first.

    Attributes:
        documents: with `score`, `leg_scores` and what else is known in their metadata.
        warnings: what went wrong without stopping the retrieval.
        explain: how the scores came about, none unless asked for.
    """

    documents: tuple[Document, ...] = ()
    warnings: tuple[str, ...] = ()
    explain: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data; `explain` only where it was asked for."""
        plain: dict[str, Any] = {
            "documents": [document.to_dict() for document in self.documents],
            "warnings": list(self.warnings),
        }
        if self.explain is not None:
            plain["explain"] = dict(self.explain)
        return plain

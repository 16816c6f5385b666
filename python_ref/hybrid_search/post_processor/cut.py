"""Threshold, order, and how many (DFY-3)."""

from collections.abc import Sequence

from hybrid_search import validation
from hybrid_search.post_processor.document import Document


class Cut:
    """What is shown of scored documents.

    Args:
        score_threshold: the lowest score that is shown; none or 0: all are.
        top_n: how many documents at the most, at least 0; none or 0: all.

    Raises:
        InvalidInputError: an argument is not acceptable.
    """

    def __init__(self, score_threshold: float | None = None, top_n: int | None = None) -> None:
        given = 0.0 if score_threshold is None else validation.number("score_threshold", score_threshold)
        self._threshold = None if given == 0.0 else given
        self._top_n = 0 if top_n is None else validation.integer("top_n", top_n, 0)

    def apply(self, documents: Sequence[Document]) -> list[Document]:
        """The documents that pass, in order, cut; every one must have a score when there is a threshold."""
        return self.head(self.passing(documents))

    def head(self, documents: Sequence[Document]) -> list[Document]:
        """The documents in order, cut: no threshold."""
        ordered = sorted(documents, key=Cut.key)
        return ordered[: self._top_n] if self._top_n else ordered

    def passing(self, documents: Sequence[Document]) -> list[Document]:
        """The documents whose score reaches the threshold; one without a score does not."""
        threshold = self._threshold
        if threshold is None:
            return list(documents)
        scores = [document.number("score") for document in documents]
        pairs = zip(documents, scores, strict=True)
        return [document for document, score in pairs if score is not None and score >= threshold]

    @staticmethod
    def key(document: Document) -> tuple[bool, float, bool, str, str, str]:
        """The sort key: score descending, then doc_id, then content, provider.

        Documents without a score, or an id, come last.
        """
        score, identifier = document.number("score"), document.doc_id
        by_score = (score is None, -(score or 0.0))
        return (*by_score, identifier is None, identifier or "", document.page_content, document.provider)

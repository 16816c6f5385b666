"""Vector and keyword score in one (DFY-2)."""

import math
from collections.abc import Sequence

from hybrid_search import numeric, validation
from hybrid_search.errors import InvalidInputError
from hybrid_search.post_processor.document import Document
from hybrid_search.post_processor.keyword_cosine import KeywordCosine
from hybrid_search.post_processor.score_weights import ScoreWeights


class WeightedScore:
    """Scores documents by vector_weight · vector + keyword_weight · keyword.

    Args:
        weights: how much each part counts.
        keyword_cosine: compares keywords.
    """

    def __init__(self, weights: ScoreWeights, keyword_cosine: KeywordCosine) -> None:
        self._weights = weights
        self._keyword_cosine = keyword_cosine

    def score(
        self, query: str, documents: Sequence[Document], query_vector: Sequence[float] | None = None
    ) -> tuple[list[Document], tuple[str, ...]]:
        """Copies with `score`, `vector_score`, `keyword_score` and `keywords`, in the order given.

        Args:
            query: as typed.
            documents: all documents at hand.
            query_vector: compared with a document's vector where a document has neither `vector_score` nor `score`; of
                the length of those vectors.

        Returns:
            The documents and the keywords of the query.

        Raises:
            InvalidInputError: a score is not finite.
        """
        keywords = self._keyword_cosine.scores(query, [document.page_content for document in documents])
        scored = []
        for document, found, keyword in zip(documents, keywords.document_keywords, keywords.scores, strict=True):
            vector = _vector_score(document, query_vector)
            score = self._weights.vector_weight * vector + self._weights.keyword_weight * keyword
            if not math.isfinite(score):
                shown = validation.describe(document.doc_id)
                raise InvalidInputError(f"the weighted score of the document {shown} is not finite")
            parts = {"score": score, "vector_score": vector, "keyword_score": keyword, "keywords": list(found)}
            scored.append(document.with_metadata(parts))
        return scored, keywords.query_keywords


def _vector_score(document: Document, query_vector: Sequence[float] | None) -> float:
    """The document's vector score, else its score (as Dify does), else the cosine of the vectors, else 0.0."""
    given = document.number("vector_score")
    if given is None:
        given = document.number("score")
    if given is not None:
        return given
    vector = document.vector
    if query_vector is None or vector is None:
        return 0.0
    return numeric.cosine(query_vector, [float(component) for component in vector])

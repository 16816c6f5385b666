"""What a rerank gives (RNK-1, RNK-2)."""

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hybrid_search import _validation as validation
from hybrid_search.doc_store_adapter._stored_fields import StoredFields
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.errors import InvalidInputError

Formula = Literal["weighted", "term", "model", "store"]


@dataclass(frozen=True)
class RerankOutcome:
    """The scores of a rerank, in the order of the documents that went in.

    Attributes:
        ids: the ids of the documents.
        similarity: what they are ranked by, finite.
        term_similarity: the share of the question's weight they hold (QRY-9), before weighing.
        vector_similarity: the cosine, or the model's score on [0, 1], before weighing.
        rank_feature: page rank and tags (RNK-5), as added.
        formula: how similarity came about.
            weighted: vtweight·vector + tkweight·term + rank feature.
            term: term + rank feature, as the vector similarities sum to exactly 0.
            model: tkweight·term + vtweight·model + rank feature.
            store: the store's own score.
        warnings: what counted as missing, or went on without the model; texts for people.
    """

    ids: Sequence[str]
    similarity: Sequence[float]
    term_similarity: Sequence[float]
    vector_similarity: Sequence[float]
    rank_feature: Sequence[float]
    formula: Formula
    warnings: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in ("ids", "similarity", "term_similarity", "vector_similarity", "rank_feature", "warnings"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not all(map(math.isfinite, self.similarity)):
            identifier = next(
                name for name, score in zip(self.ids, self.similarity, strict=True) if not math.isfinite(score)
            )
            raise InvalidInputError(
                f"the similarity of {validation.describe(identifier)} is not finite: weights or rank features "
                "are too large"
            )

    @staticmethod
    def of_store_scores(result: SearchResult) -> "RerankOutcome":
        """The store's own scores as they are, for stores that fuse and normalise themselves (RNK-6).

        They are the term and the vector similarity too, as in RAGFlow.
        A document without a score counts as 0.0; so does one whose score is not finite, with a warning.
        """
        reader = StoredFields()
        scores = [reader.number(name, {"score": result.scores.get(name)}, "score", 0.0) for name in result.ids]
        zeros = [0.0] * len(scores)
        return RerankOutcome(result.ids, scores, scores, scores, zeros, "store", reader.warnings())

    def with_warning(self, warning: str) -> "RerankOutcome":
        """The same outcome with one more warning."""
        return dataclasses.replace(self, warnings=(*self.warnings, warning))

"""The result of a rerank (RNK-1, RNK-2)."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeGuard

from hybrid_search.base import ordering, validation
from hybrid_search.doc_store_adapter.documents.stored_fields import StoredFields
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.errors import InvalidInputError
from hybrid_search.reranker.partial_rerank import PartialOutcome

Formula = Literal["weighted", "term", "model", "store", "fused", "auto", "min_max"]


SEQUENCES = (
    "ids", "similarity", "term_similarity", "vector_similarity", "rank_feature", "warnings", "stage1_scores",
)  # fmt: skip


@dataclass(frozen=True)
class RerankOutcome:
    """The scores of a rerank, in the order of the given documents.

    Attributes:
        ids: the ids of the documents.
        similarity: the scores by which they are ranked, finite.
        term_similarity: the share of the question's weight that they contain (QRY-9), before weighing.
        vector_similarity: the cosine, or the model's score on [0, 1], before weighing.
        rank_feature: page rank and tags (RNK-5), as added.
        formula: the formula of the similarity.
            weighted: vtweight·vector + tkweight·term + rank feature.
            term: term + rank feature, as the vector similarities sum to exactly 0.
            model: tkweight·term + vtweight·model + rank feature.
            store: the store's own score.
            fused: the score of the fusion.
            auto, min_max: the weighted shares of both legs (FUS-3, FUS-4).
        warnings: readable texts about values that counted as missing, and steps that continued without the model.
        stage1_scores: break ties of the similarities, and order documents that a model did not score: the scores of the
            fusion if these rank the documents, otherwise the similarities.
        model_scores: id → the model's score, for the head that it scored (RNK-8).
    """

    ids: Sequence[str]
    similarity: Sequence[float]
    term_similarity: Sequence[float]
    vector_similarity: Sequence[float]
    rank_feature: Sequence[float]
    formula: Formula
    warnings: Sequence[str] = ()
    stage1_scores: Sequence[float] = ()
    model_scores: Mapping[str, float] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.stage1_scores:
            object.__setattr__(self, "stage1_scores", self.similarity)
        for name in SEQUENCES:
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
        """Return the store's own scores unchanged, for stores that fuse and normalise themselves (RNK-6).

        As in RAGFlow, they are also the term and the vector similarity. A missing score counts as 0.0; so does one that
        is not finite, with a warning.
        """
        scores, warnings = _scores_of(result)
        zeros = [0.0] * len(scores)
        return RerankOutcome(result.ids, scores, scores, scores, zeros, "store", warnings)

    @staticmethod
    def of_fusion(result: SearchResult) -> "RerankOutcome":
        """Return the displayed scores of a fusion (RET-10).

        If the fusion provides its legs, term and vector similarity are relative to the first document of each leg,
        otherwise they are the score.
        """
        legs = result.fused
        if legs is None:
            return dataclasses.replace(RerankOutcome.of_store_scores(result), formula="fused")
        scores, warnings = _scores_of(result)
        return RerankOutcome(
            ids=result.ids,
            similarity=legs.similarities(scores),
            term_similarity=list(map(legs.text.similarity, result.ids)),
            vector_similarity=list(map(legs.dense.similarity, result.ids)),
            rank_feature=[0.0] * len(scores),
            formula=legs.method,
            warnings=warnings,
            stage1_scores=scores,
        )

    def with_model(self, partial: PartialOutcome) -> "RerankOutcome":
        """Return the same outcome after a model has scored its head (RNK-8), where its scores are the similarities."""
        scored = {entry.id: entry.model_score for entry in partial.entries if entry.model_score is not None}
        pairs = list(zip(self.ids, self.similarity, strict=True))
        return dataclasses.replace(
            self,
            similarity=[scored.get(identifier, similarity) for identifier, similarity in pairs],
            warnings=(*self.warnings, *partial.warnings),
            model_scores=scored,
        )

    def order(self) -> list[int]:
        """Return the positions of the documents in the order of ORD-2: documents that a model scored come first."""
        keys = [
            ordering.tiered_key(int(identifier not in self.model_scores), similarity, stage1_score, identifier)
            for identifier, similarity, stage1_score in zip(self.ids, self.similarity, self.stage1_scores, strict=True)
        ]
        return sorted(range(len(keys)), key=keys.__getitem__)

    def with_warning(self, warning: str) -> "RerankOutcome":
        """Return the same outcome with one more warning."""
        return dataclasses.replace(self, warnings=(*self.warnings, warning))


def _scores_of(result: SearchResult) -> tuple[list[float], Sequence[str]]:
    """Return the store's score of each document, finite, and warnings about scores that are not."""
    scores: list[Any] = [result.scores.get(name) for name in result.ids]
    if _are_finite(scores):
        return scores, ()
    reader = StoredFields()
    finite = [reader.number(name, {"score": result.scores.get(name)}, "score", 0.0) for name in result.ids]
    return finite, reader.warnings()


def _are_finite(scores: Sequence[Any]) -> TypeGuard[list[float]]:
    """Return whether all scores are finite floats, as those of the stores of this library are."""
    return set(map(type, scores)) <= {float} and all(map(math.isfinite, scores))

"""Page ranks and tags of documents that count in recall (RNK-10)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from hybrid_search.base import ordering, validation
from hybrid_search.doc_store_adapter.documents.field_path import TAGS, FieldPath
from hybrid_search.errors import InvalidInputError
from hybrid_search.fusion import weights
from hybrid_search.fusion.fusion import Fusion
from hybrid_search.fusion.fusion_expr import FusionExpr
from hybrid_search.fusion.ranked_lists import Ranking

PAGE_RANK = "pagerank_fea"
MOST_FEATURES = 16
"""Maximum number of features of a question that count in recall."""

Values = Callable[[FieldPath, Sequence[str]], Sequence[Any]]


class FeaturedLeg(NamedTuple):
    """A text leg in which features count.

    Attributes:
        ranking: its documents with the sums of both scores, in the order of ORD-1.
        scores: id → the score of the text.
        features: id → the score of the features.
    """

    ranking: Ranking
    scores: Mapping[str, float]
    features: Mapping[str, float]

    def weighted(self, fusion: FusionExpr | None, dense: Ranking) -> Ranking | None:
        """Return the weighted sum of both legs, in which only the scores of the text are normalized.

        Returns:
            `None` for another fusion, which takes the sums of `ranking`.
        """
        if fusion is None or fusion.method != "weighted_sum":
            return None
        text, of_dense = weights.parse(fusion.params["weights"], 2)
        lists = [ordering.rank(self.scores.items()), dense, ordering.rank(self.features.items())]
        return Fusion.weighted_sum(lists, [text, of_dense, text], ["min_max", "none", "none"])[: fusion.topn]


class RecallFeatures:
    """Adds the features of documents to their scores in the text leg: the sum of weight · value.

    Args:
        rank_feature: feature → weight; `pagerank_fea` is the page rank of a document, any other name a tag.

    Raises:
        InvalidInputError: not an object of finite numbers, or of too many.
    """

    def __init__(self, rank_feature: Any) -> None:
        given = validation.mapping("rank_feature", rank_feature)
        if len(given) > MOST_FEATURES:
            raise InvalidInputError(
                f"rank_feature must hold at most {MOST_FEATURES} names where it counts in recall, not {len(given)}"
            )
        self._weights = [
            (
                FieldPath.of(name if name == PAGE_RANK else TAGS + name),
                validation.number(validation.member("rank_feature", name), weight),
            )
            for name, weight in given.items()
        ]
        self.paths = tuple(path.name for path, _ in self._weights)

    @classmethod
    def of(cls, rank_feature: Any) -> "RecallFeatures | None":
        """Return the features of a search, `None` without any."""
        if rank_feature is None:
            return None
        features = cls(rank_feature)
        return features if features.paths else None

    def leg(self, text: Ranking, topn: int, values: Values) -> FeaturedLeg:
        """Return the text leg with the features of its documents.

        Args:
            text: all documents that match the text, with their scores.
            topn: the maximum number of documents in the leg.
            values: returns the values of documents at a path.

        Raises:
            InvalidInputError: a sum is not finite.
        """
        scores = dict(text)
        features = self._scores(list(scores), values)
        ranking = ordering.rank_fused({one: score + features[one] for one, score in scores.items()})[:topn]
        kept = [identifier for identifier, _ in ranking]
        return FeaturedLeg(ranking, {one: scores[one] for one in kept}, {one: features[one] for one in kept})

    def _scores(self, identifiers: Sequence[str], values: Values) -> dict[str, float]:
        """Return id → the sum of weight · value, from left to right; a value that is not a number counts as 0."""
        totals = dict.fromkeys(identifiers, 0.0)
        for path, weight in self._weights:
            for identifier, value in zip(identifiers, values(path, identifiers), strict=True):
                totals[identifier] = totals[identifier] + weight * _number(value)
        return totals


def _number(value: Any) -> float:
    if type(value) is not float and type(value) is not int:
        return 0.0
    try:
        return float(value)
    except OverflowError:
        return 0.0

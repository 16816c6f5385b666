"""Ranked lists into one (FUS-2, FUS-3, FUS-4, FUS-5)."""

from collections.abc import Sequence

from hybrid_search.base import object_checks, validation
from hybrid_search.fusion import rrf, weighted_sum
from hybrid_search.fusion.fusion_expr import FusionExpr
from hybrid_search.fusion.fusion_method import Normalizer
from hybrid_search.fusion.fusion_methods import METHODS
from hybrid_search.fusion.ranked_lists import Ranking, Rankings


class Fusion:
    """Fuses any number of ranked lists of (id, score), each in the order its maker gave.

    Results are in ORD-1 order. A document missing from a list adds nothing for it. An id twice in one list, a score
    that is not finite, going in or coming out, is an `InvalidInputError`.
    """

    @staticmethod
    @validation.known_options(("normalizer",))
    def weighted_sum(
        rankings: Rankings,
        weights: str | Sequence[float],
        normalizer: Normalizer = "min_max",
    ) -> Ranking:
        """0.0, then += weight · normalised score, lists in the order given.

        Args:
            rankings: the lists.
            weights: one per list, as `weights.parse` takes them.
            normalizer: "none", "max", "min_max", "z_score", "sigmoid" or "rank"; or a list of them, one per ranking.
        """
        return weighted_sum.fuse(rankings, weights, normalizer)

    @staticmethod
    @validation.known_options(("k",))
    def rrf(rankings: Rankings, k: float = 60) -> Ranking:
        """Reciprocal rank fusion: the sum of 1 / (k + rank), rank being the place from 1, k at least 0."""
        return rrf.fuse(rankings, k)

    @staticmethod
    def auto(rankings: Rankings) -> Ranking:
        """A text leg and a dense leg by how far the scores of their first hundred stand out (FUS-3).

        Args:
            rankings: the two, in this order; either may be empty.
        """
        return METHODS["auto"].fuse(rankings, {}, "none")

    @staticmethod
    def min_max(rankings: Rankings) -> Ranking:
        """A text leg and a dense leg by the scores of their first hundred, from 0 to 1 each, half and half (FUS-4).

        Args:
            rankings: the two, in this order; either may be empty.
        """
        return METHODS["min_max"].fuse(rankings, {}, "none")

    @staticmethod
    @validation.known_options(("normalizer",))
    def fuse(
        expression: FusionExpr,
        rankings: Rankings,
        normalizer: Normalizer = "min_max",
    ) -> Ranking:
        """What a fusion expression asks for, at most its topn documents; a method by ranks needs no normalizer."""
        object_checks.having("expression", expression, ("method", "params", "topn"), "a FusionExpr")
        return METHODS[expression.method].fuse(rankings, expression.params, normalizer)[: expression.topn]

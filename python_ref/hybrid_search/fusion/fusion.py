"""Fuses ranked lists into one (FUS-2, FUS-3, FUS-4, FUS-5)."""

from collections.abc import Sequence

from hybrid_search.base import object_checks, validation
from hybrid_search.fusion import rrf, weighted_sum
from hybrid_search.fusion.fusion_expr import FusionExpr
from hybrid_search.fusion.fusion_method import Normalizer
from hybrid_search.fusion.fusion_methods import METHODS
from hybrid_search.fusion.ranked_lists import Ranking, Rankings


class Fusion:
    """Fuses any number of ranked lists of (id, score), each in its own order.

    Results are in ORD-1 order. A list adds nothing to a document that it does not contain. An id that is repeated in a
    list, or a score that is not finite, before or after fusion, is an `InvalidInputError`.
    """

    @staticmethod
    @validation.known_options(("normalizer",))
    def weighted_sum(
        rankings: Rankings,
        weights: str | Sequence[float],
        normalizer: Normalizer = "min_max",
    ) -> Ranking:
        """Return the sum of weight · normalised score, starting at 0.0, over the lists in the given order.

        Args:
            rankings: the lists.
            weights: one per list, in a form that `weights.parse` takes.
            normalizer: "none", "max", "min_max", "z_score", "sigmoid" or "rank"; or a list of them, one per ranking.
        """
        return weighted_sum.fuse(rankings, weights, normalizer)

    @staticmethod
    @validation.known_options(("k",))
    def rrf(rankings: Rankings, k: float = 60) -> Ranking:
        """Return the sum of 1 / (k + rank), with ranks from 1 and k at least 0: reciprocal rank fusion."""
        return rrf.fuse(rankings, k)

    @staticmethod
    def auto(rankings: Rankings) -> Ranking:
        """Fuse a text leg and a dense leg by how far the scores of their first hundred documents stand out (FUS-3).

        Args:
            rankings: both legs, in this order; either may be empty.
        """
        return METHODS["auto"].fuse(rankings, {}, "none")

    @staticmethod
    def min_max(rankings: Rankings) -> Ranking:
        """Fuse a text leg and a dense leg by the scores of their first hundred, scaled to 0 … 1, half and half (FUS-4).

        Args:
            rankings: both legs, in this order; either may be empty.
        """
        return METHODS["min_max"].fuse(rankings, {}, "none")

    @staticmethod
    @validation.known_options(("normalizer",))
    def fuse(
        expression: FusionExpr,
        rankings: Rankings,
        normalizer: Normalizer = "min_max",
    ) -> Ranking:
        """Return the fused list of a fusion expression, cut at its topn; methods by rank ignore the normalizer."""
        object_checks.having("expression", expression, ("method", "params", "topn"), "a FusionExpr")
        return METHODS[expression.method].fuse(rankings, expression.params, normalizer)[: expression.topn]

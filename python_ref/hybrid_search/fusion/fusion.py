"""Ranked lists into one (FUS-2, FUS-3, FUS-4, FUS-5)."""

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from hybrid_search.base import object_checks, ordering, validation
from hybrid_search.errors import InvalidInputError
from hybrid_search.fusion import fused_legs
from hybrid_search.fusion.fused_legs import FusedLegs
from hybrid_search.fusion.normalizer import NORMALIZERS, normalize
from hybrid_search.fusion.weights import parse as parse_weights

if TYPE_CHECKING:
    from hybrid_search.fusion.fusion_expr import FusionExpr

Ranking = list[tuple[str, float]]
Rankings = Sequence[Sequence[tuple[str, float]]]
Normalizer = str | Sequence[str]


class Fusion:
    """Fuses any number of ranked lists of (id, score), each in the order its maker gave.

    Results are in ORD-1 order. A document missing from a list adds nothing for it. An id twice in one list, a score
    that is not finite, going in or coming out, is an `InvalidInputError`.
    """

    @staticmethod
    def weighted_sum(
        rankings: Rankings,
        weights: str | Sequence[float],
        normalizer: Normalizer = "min_max",
        **unknown: Unpack[validation.NoOptions],
    ) -> Ranking:
        """0.0, then += weight · normalised score, lists in the order given.

        Args:
            rankings: the lists.
            weights: one per list, as `weights.parse` takes them.
            normalizer: "none", "max", "min_max", "z_score", "sigmoid" or "rank"; or a list of them, one per ranking.
            unknown: refused.
        """
        validation.known("option", unknown, ("normalizer",))
        lists = Fusion._checked(rankings)
        factors = parse_weights(weights, len(lists))
        normalizers = Fusion._checked_normalizers(normalizer, len(lists))
        fused: dict[str, float] = {}
        for index, (ranking, factor, method) in enumerate(zip(lists, factors, normalizers, strict=True)):
            normalized = normalize([score for _, score in ranking], method)
            for (identifier, _), score in zip(ranking, normalized, strict=True):
                if not math.isfinite(score):
                    raise InvalidInputError(
                        f"rankings[{index}]: the score of {validation.describe(identifier)} "
                        f"is not finite under {method}"
                    )
                fused[identifier] = fused.get(identifier, 0.0) + factor * score
        return Fusion._ranked(fused)

    @staticmethod
    def rrf(rankings: Rankings, k: float = 60, **unknown: Unpack[validation.NoOptions]) -> Ranking:
        """Reciprocal rank fusion: the sum of 1 / (k + rank), rank being the place from 1, k at least 0."""
        validation.known("option", unknown, ("k",))
        lists = Fusion._checked(rankings)
        constant = validation.number("k", k, 0)
        fused: dict[str, float] = {}
        for ranking in lists:
            for place, (identifier, _) in enumerate(ranking, start=1):
                fused[identifier] = fused.get(identifier, 0.0) + 1.0 / (constant + place)
        return Fusion._ranked(fused)

    @staticmethod
    def auto(rankings: Rankings) -> Ranking:
        """A text leg and a dense leg by how far the scores of their first hundred stand out (FUS-3).

        Args:
            rankings: the two, in this order; either may be empty.
        """
        return Fusion._of_legs("auto", rankings)[0]

    @staticmethod
    def min_max(rankings: Rankings) -> Ranking:
        """A text leg and a dense leg by the scores of their first hundred, from 0 to 1 each, half and half (FUS-4).

        Args:
            rankings: the two, in this order; either may be empty.
        """
        return Fusion._of_legs("min_max", rankings)[0]

    @staticmethod
    def fuse(
        expression: "FusionExpr",
        rankings: Rankings,
        normalizer: Normalizer = "min_max",
        **unknown: Unpack[validation.NoOptions],
    ) -> Ranking:
        """What a fusion expression asks for, at most its topn documents; a method by ranks needs no normalizer."""
        validation.known("option", unknown, ("normalizer",))
        object_checks.having("expression", expression, ("method", "params", "topn"), "a FusionExpr")
        return Fusion.fuse_legs(expression, rankings, normalizer)[0]

    @staticmethod
    def fuse_legs(
        expression: "FusionExpr", rankings: Rankings, normalizer: Normalizer = "min_max"
    ) -> tuple[Ranking, FusedLegs | None]:
        """What `fuse` gives, and of a method that compares the first hundred of both legs what each of them adds."""
        fused, legs = METHODS[expression.method].fuse(rankings, expression.params, normalizer)
        return fused[: expression.topn], legs

    @staticmethod
    def _of_legs(method: str, rankings: Rankings) -> tuple[Ranking, FusedLegs]:
        """What one of `LEG_METHODS` makes of a text leg and a dense leg, and what each of them adds."""
        lists = Fusion._checked(rankings)
        if len(lists) != 2:
            raise InvalidInputError(f"{method} fuses a text leg and a dense leg, not {len(lists)} rankings")
        text, dense = map(ordering.rank, lists)
        return Fusion._of_ranked_legs(method, text, dense)

    @staticmethod
    def fuse_ranked_legs(expression: "FusionExpr", text: Ranking, dense: Ranking) -> tuple[Ranking, FusedLegs]:
        """Return what `fuse_legs` returns for one of `LEG_METHODS`; the legs are sound and in the order of ORD-1."""
        fused, legs = Fusion._of_ranked_legs(expression.method, text, dense)
        return fused[: expression.topn], legs

    @staticmethod
    def _of_ranked_legs(method: str, text: Ranking, dense: Ranking) -> tuple[Ranking, FusedLegs]:
        legs = LEG_METHODS[method](text, dense)
        ahead, behind = Fusion._ranked(legs.scores()), ordering.rank(fused_legs.behind(text, dense).items())
        if not ahead or ahead[-1][1] >= 0.0:  # what is behind has a negative score
            return [*ahead, *behind], legs
        return Fusion._ranked(dict([*ahead, *behind])), legs

    @staticmethod
    def _ranked(fused: dict[str, float]) -> Ranking:
        for identifier, score in fused.items():
            if not math.isfinite(score):
                raise InvalidInputError(f"the fused score of {validation.describe(identifier)} is not finite")
        return ordering.rank(fused.items())

    @staticmethod
    def _checked(rankings: Any) -> list[Ranking]:
        if not isinstance(rankings, (list, tuple)):
            raise validation.fail("rankings", rankings, "a list of ranked lists")
        return [Fusion._checked_list(f"rankings[{index}]", ranking) for index, ranking in enumerate(rankings)]

    @staticmethod
    def _checked_list(name: str, ranking: Any) -> Ranking:
        if not isinstance(ranking, (list, tuple)):
            raise validation.fail(name, ranking, "a list of (id, score)")
        if Fusion._is_sound(ranking):
            return [(identifier, score) for identifier, score in ranking]
        checked = [Fusion._checked_entry(name, index, entry) for index, entry in enumerate(ranking)]
        seen = set()
        for identifier, _ in checked:
            if identifier in seen:
                raise InvalidInputError(f"{name} holds the id {validation.describe(identifier)} twice")
            seen.add(identifier)
        return checked

    @staticmethod
    def _is_sound(ranking: Sequence[Any]) -> bool:
        """Whether all entries are in order; said at once, as nearly all lists are. The slow way finds what is wrong."""
        if not set(map(type, ranking)) <= {tuple, list} or set(map(len, ranking)) != {2}:
            return False
        identifiers = [entry[0] for entry in ranking]
        scores = [entry[1] for entry in ranking]
        return (
            set(map(type, identifiers)) == {str}
            and set(map(type, scores)) == {float}
            and len(set(identifiers)) == len(identifiers)
            and all(map(math.isfinite, scores))
            and _is_unicode("".join(identifiers))
        )

    @staticmethod
    def _checked_entry(name: str, index: int, entry: Any) -> tuple[str, float]:
        if not isinstance(entry, (list, tuple)) or len(entry) != 2:
            raise validation.fail(f"{name}[{index}]", entry, "an id and a score")
        identifier, score = entry
        if type(score) is not float or not math.isfinite(score):
            score = validation.number(f"{name}[{index}][1]", score)
        return validation.text(f"{name}[{index}][0]", identifier), score

    @staticmethod
    def _checked_normalizers(normalizer: Any, count: int) -> list[str]:
        if isinstance(normalizer, (list, tuple)):
            if len(normalizer) != count:
                raise validation.fail("normalizer", normalizer, f"one normalizer, or {count} of them")
            return [
                validation.choice(f"normalizer[{index}]", item, NORMALIZERS) for index, item in enumerate(normalizer)
            ]
        return [validation.choice("normalizer", normalizer, NORMALIZERS)] * count


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


class _Param(NamedTuple):
    """A param of a method: the option of a retrieval that gives it, its default, and what checks it.

    A check takes the argument's name, for the message, and the value; it gives what counts.
    """

    option: str
    default: Any
    check: Callable[[str, Any], Any]


LEG_METHODS: Mapping[str, Callable[[Ranking, Ranking], FusedLegs]] = MappingProxyType(
    {"auto": fused_legs.auto, "min_max": fused_legs.min_max}
)
"""The methods that compare the first hundred of a text leg and a dense leg by their scores."""


class _Method(NamedTuple):
    """A method: what fuses ranked lists with its params, as `Fusion.fuse_legs` returns it, and these by name."""

    fuse: Callable[[Rankings, Mapping[str, Any], Normalizer], tuple[Ranking, FusedLegs | None]]
    params: Mapping[str, _Param]


def _leg_weights(name: str, value: Any) -> Any:
    parse_weights(value, 2, name)
    return value


METHODS: Mapping[str, _Method] = MappingProxyType(
    {
        "weighted_sum": _Method(
            lambda lists, params, normalizer: (Fusion.weighted_sum(lists, params["weights"], normalizer), None),
            {"weights": _Param("weights", "0.05,0.95", _leg_weights)},
        ),
        "rrf": _Method(
            lambda lists, params, _: (Fusion.rrf(lists, params["k"]), None),
            {"k": _Param("rrf_k", 60, lambda name, value: validation.number(name, value, 0))},
        ),
        "auto": _Method(lambda lists, _params, _normalizer: Fusion._of_legs("auto", lists), {}),
        "min_max": _Method(lambda lists, _params, _normalizer: Fusion._of_legs("min_max", lists), {}),
    }
)
"""All that is known of each method (FUS-1); a new one is a function above and a row here."""

"""The parts of a fusion method (FUS-1)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from hybrid_search.fusion.fused_legs import FusedLegs, Ranked
from hybrid_search.fusion.ranked_lists import Ranking, Rankings

Normalizer = str | Sequence[str]


class MethodParam(NamedTuple):
    """A param of a method.

    Attributes:
        option: the option of a retrieval that sets it.
        default: its default value.
        check: takes the argument's name, for the message, and the value; returns the checked value.
    """

    option: str
    default: Any
    check: Callable[[str, Any], Any]


class FusionMethod(NamedTuple):
    """A method.

    Attributes:
        fuse: takes ranked lists, the params and the normalizer; returns the fused list in ORD-1 order.
        params: the params by name.
        legs: takes a text leg and a dense leg, both valid and in ORD-1 order, and returns their contributions; `None`
            for a method that does not compare the scores of their first hundred documents.
    """

    fuse: Callable[[Rankings, Mapping[str, Any], Normalizer], Ranking]
    params: Mapping[str, MethodParam]
    legs: Callable[[Ranked, Ranked], FusedLegs] | None = None

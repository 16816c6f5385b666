"""Fusion of a text leg and a dense leg by the scores of their first hundred (FUS-3, FUS-4, FUS-5)."""

from collections.abc import Callable
from types import MappingProxyType

from hybrid_search.base import ordering
from hybrid_search.errors import InvalidInputError
from hybrid_search.fusion import ranked_lists
from hybrid_search.fusion.fused_legs import FusedLegs, Ranked
from hybrid_search.fusion.fusion_method import FusionMethod
from hybrid_search.fusion.ranked_lists import Ranking, Rankings

Legs = Callable[[Ranked, Ranked], FusedLegs]


def of(name: str, legs: Legs) -> FusionMethod:
    """Return the method of this name.

    Args:
        name: the name for messages.
        legs: returns the contributions of a text leg and a dense leg.
    """
    return FusionMethod(lambda rankings, _params, _normalizer: fuse(name, legs, rankings), MappingProxyType({}), legs)


def fuse(name: str, legs: Legs, rankings: Rankings) -> Ranking:
    """Return the fused list.

    Args:
        name: the name of the method, for messages.
        legs: returns the contributions of a text leg and a dense leg.
        rankings: the two legs, in this order; either may be empty.

    Raises:
        InvalidInputError: the number of lists is not two, or one of them is not valid.
    """
    lists = ranked_lists.checked(rankings)
    if len(lists) != 2:
        raise InvalidInputError(f"{name} fuses a text leg and a dense leg, not {len(lists)} rankings")
    text, dense = map(ordering.rank, lists)
    return legs(text, dense).ranking(text, dense)

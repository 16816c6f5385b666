"""The place of a hit in the one total order of a search (CUR-2, ORD-2)."""

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from hybrid_search.base import ordering
from hybrid_search.doc_store_adapter.queries.sort_order import NO_ORDER, OrderValue, SortOrder


class RankingKey(NamedTuple):
    """The values that determine the place of a hit, in the order in which they are compared.

    Attributes:
        values: the values of the document in the fields of `order_by`; empty without `order_by`.
        tier: 0 if a model scored it, else 1.
        score: the score that determines its rank within its tier.
        stage1_score: its similarity before reranking by a model.
        id: the id.
    """

    values: tuple[OrderValue | None, ...]
    tier: int
    score: float
    stage1_score: float
    id: str


PLACE_OF_TIER = 1
"""The beginning of the parts of ORD-2 in a key."""


class RankingOrder:
    """The total order of a request: `order_by`, then that of ORD-2.

    Args:
        order_by: the pairs of the request, in the names of the store.

    Attributes:
        is_by_fields: whether fields decide first.
    """

    def __init__(self, order_by: Sequence[Sequence[str]]) -> None:
        self._fields = SortOrder(order_by) if order_by else NO_ORDER
        self.is_by_fields = len(order_by) > 0

    def values(self, fields: Mapping[str, Any]) -> tuple[OrderValue | None, ...]:
        """Return the values of a document in the fields of `order_by`."""
        return self._fields.values(fields)

    def sorted(self, keys: Iterable[RankingKey]) -> list[RankingKey]:
        """Return keys in this order."""
        if self.is_by_fields:
            return sorted(keys, key=functools.cmp_to_key(self.compare))
        return ordering.rank_tiered(keys, PLACE_OF_TIER)

    def compare(self, left: RankingKey, right: RankingKey) -> int:
        """Return a number below 0 if the left one comes first, above 0 if the right one does, otherwise 0."""
        by_fields = self._fields.compare(left.values, right.values)
        if by_fields != 0:
            return by_fields
        mine, other = _tiered(left), _tiered(right)
        return (mine > other) - (mine < other)


BY_SCORE = RankingOrder(())
"""The order of requests without `order_by`."""


def _tiered(key: RankingKey) -> tuple[int, float, float, str]:
    return ordering.tiered_key(key.tier, key.score, key.stage1_score, key.id)

"""Operations over `ordering` (ORD-1 … ORD-3)."""

from typing import Any

from conformance.implementations.python.registry import Trace, operation
from hybrid_search.base import ordering, validation


@operation("ordering.rank")
def rank(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The pairs of (id, score) in order."""
    return ordering.rank([(identifier, validation.number("score", score)) for identifier, score in given["pairs"]])


@operation("ordering.rank_tiered")
def rank_tiered(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """Rows of (tier, score, stage-1 score, id) in order."""
    rows = [
        (tier, validation.number("score", score), validation.number("stage1_score", stage1), identifier)
        for tier, score, stage1, identifier in given["rows"]
    ]
    return sorted(rows, key=lambda row: ordering.tiered_key(*row))

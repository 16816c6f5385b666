"""How often the values of own fields occur among all candidates (RET-9)."""

from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.retriever._request import RetrievalRequest


def facets(
    request: RetrievalRequest, counts: Mapping[str, Sequence[tuple[Any, int]]]
) -> dict[str, list[dict[str, Any]]] | None:
    """For each facet asked for its values and their counts, as many as the request wants; none if none is asked for.

    Args:
        request: what was asked.
        counts: field of the store → value and count, in the order of DOC-4.
    """
    if request.facets is None:
        return None
    return {
        name: [{"value": value, "count": count} for value, count in counts.get(field, ())[: request.facet_limit]]
        for name, field in request.facets.items()
    }

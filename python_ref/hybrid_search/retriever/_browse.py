"""Everything within the filters, stretch by stretch: never more than a page is read (RET-9, CUR-2)."""

from collections.abc import Callable, Sequence

from hybrid_search.retriever._page import RankedBlock
from hybrid_search.retriever._query_request import QueryRequest
from hybrid_search.retriever._ranking import RankedHit, Stretch, rank_hits
from hybrid_search.retriever._ranking_key import RankingKey, RankingOrder

Fetch = Callable[[int, int], RankedBlock]
"""So many documents from a place on, in the order of the store."""


class Browse:
    """All documents in the order of `order_by`, ids ascending last.

    Where the index has not changed, the next page stands where the last one ended, and one search finds it. Else its
    place is searched for, in steps that double, from there.

    Args:
        request: what is asked for.
        fetch: asks the store.
    """

    def __init__(self, request: QueryRequest, fetch: Fetch) -> None:
        self._request = request
        self._fetch = fetch
        self.order = RankingOrder(request.retrieval.order_by)
        self.fingerprint = request.fingerprint()
        self.latest: RankedBlock | None = None

    def after(self, key: RankingKey | None, position: int, size: int) -> Stretch:
        """The next documents strictly after a key, at most `size`; from the first on without a key.

        Args:
            key: the place of the last document that was shown; it may be gone.
            position: how many were shown before: where to look first.
            size: how many are wanted.
        """
        if key is None:
            return _stretch(self._hits(0, size + 1), size)
        hits = self._hits(position - 1, size + 2)
        if not self._begins_with(hits, key):
            hits = self._hits(self._place_after(key, position), size + 1)
        return _stretch([hit for hit in hits if self._is_after(hit, key)], size)

    def _begins_with(self, hits: Sequence[RankedHit], key: RankingKey) -> bool:
        """Whether the first document stands at the key, or before it, and the next one after it."""
        return bool(hits) and not self._is_after(hits[0], key) and (len(hits) == 1 or self._is_after(hits[1], key))

    def _place_after(self, key: RankingKey, guess: int) -> int:
        """The place of the first document after a key."""
        low, high = 0, self._total()
        step = 1
        place = min(guess, high)
        while low < high and self._stands_after(place, key, high):
            high, place, step = place, max(low, place - step), step * 2
        while low < high and not self._stands_after(place, key, high):
            low, place, step = place + 1, min(high, place + step), step * 2
        while low < high:
            place = (low + high) // 2
            if self._stands_after(place, key, high):
                high = place
            else:
                low = place + 1
        return low

    def _stands_after(self, place: int, key: RankingKey, end: int) -> bool:
        if place >= end:
            return True
        hits = self._hits(place, 1)
        return not hits or self._is_after(hits[0], key)

    def _is_after(self, hit: RankedHit, key: RankingKey) -> bool:
        return self.order.compare(hit.key, key) > 0

    def _total(self) -> int:
        assert self.latest is not None
        return self.latest.recalled.result.total

    def _hits(self, first: int, size: int) -> list[RankedHit]:
        self.latest = self._fetch(first, size)
        return rank_hits(self._request, self.order, self.latest, None)


def _stretch(hits: Sequence[RankedHit], size: int) -> Stretch:
    return Stretch(hits[:size], len(hits) > size)

"""Lists all documents that pass the filters; never more than a page is read (RET-9, CUR-2)."""

from collections.abc import Callable, Sequence

from hybrid_search.retriever.page import RankedBlock
from hybrid_search.search.ranking import Stretch, ranked_keys
from hybrid_search.search.ranking_key import RankingKey, RankingOrder
from hybrid_search.search.search_request import SearchRequest

Fetch = Callable[[int, int], RankedBlock]
"""Returns the given number of documents from a place on, in the order of the store."""


class Browse:
    """All documents in the order of `order_by`, then of ascending ids.

    If the index has not changed, the next page begins where the previous one ended, and one search finds it. Otherwise
    its place is searched for from there, in steps that double. Each search sees the index in its current state, so a
    page is the result of a single search that has documents on both sides of the key. If they are missing because the
    index has changed again, the place is searched for once again, and more is read around it.

    Args:
        request: the request.
        fetch: queries the store.
    """

    def __init__(self, request: SearchRequest, fetch: Fetch) -> None:
        self._request = request
        self._fetch = fetch
        self.order = RankingOrder(request.retrieval.order_by)
        self.fingerprint = request.fingerprint()
        self.latest: RankedBlock | None = None

    def after(self, key: RankingKey | None, position: int, size: int) -> Stretch:
        """Return the next documents, at most `size`.

        Args:
            key: the place of the last document that was shown, which may be deleted. `None`: `position` is used.
            position: the number of documents that were shown before; the search begins there.
            size: the maximum number of documents.
        """
        if key is None:
            return _stretch(self._hits(position, size + 1), size)
        place, margin = position, 0
        while True:
            following = self._around(place, margin, key, size)
            if following is not None:
                return _stretch(following, size)
            place, margin = self._place_after(key, place), 2 * margin + 1

    def _around(self, place: int, margin: int, key: RankingKey, size: int) -> list[RankingKey] | None:
        """Return the documents after a key from one search around a place; `None` unless they are the next ones."""
        first = max(0, place - 1 - margin)
        wanted = place + margin + size + 1 - first
        hits = self._hits(first, wanted)
        following = [hit for hit in hits if self._is_after(hit, key)]
        begins = first == 0 or (bool(hits) and not self._is_after(hits[0], key))
        return following if begins and (len(following) > size or len(hits) < wanted) else None

    def _place_after(self, key: RankingKey, guess: int) -> int:
        """Return the place of the first document after a key."""
        low, high = 0, self.total
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

    def _is_after(self, hit: RankingKey, key: RankingKey) -> bool:
        return self.order.compare(hit, key) > 0

    @property
    def total(self) -> int:
        """The number of documents, as the store last reported it."""
        assert self.latest is not None
        return self.latest.recalled.result.total

    def _hits(self, first: int, size: int) -> list[RankingKey]:
        self.latest = self._fetch(first, size)
        return ranked_keys(self._request, self.order, self.latest, None)


def _stretch(hits: Sequence[RankingKey], size: int) -> Stretch:
    return Stretch(hits[:size], len(hits) > size)

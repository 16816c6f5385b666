"""Finds the first documents of a text leg (FUS-5), fast: later ones are counted, but never ranked."""

from collections.abc import Callable, Iterable, Mapping

from hybrid_search.accelerated.best_sums import FirstSums
from hybrid_search.accelerated.bm25f_postings import Bm25fLeg
from hybrid_search.accelerated.posting import Scores, Slots
from hybrid_search.doc_store_adapter.base import Ranking
from hybrid_search.doc_store_adapter.snapshot.leg_head import LegHead
from hybrid_search.fusion.fused_legs import DEPTH

Ranked = Callable[[Slots, Scores, int], Ranking]
SlotOf = Callable[[str], int | None]


def of(leg: Bm25fLeg, ranked: Ranked, slot_of: SlotOf) -> LegHead:
    """Return the head of a leg.

    Args:
        leg: the leg.
        ranked: returns the ranking of slots and scores, up to a number of documents.
        slot_of: returns the slot of a document, or `None`.
    """
    first = leg.first(DEPTH)
    return _whole(leg, ranked) if first is None else _first(leg, first, ranked, slot_of)


def _whole(leg: Bm25fLeg, ranked: Ranked) -> LegHead:
    return LegHead.of(ranked(*leg.best(), leg.limit))


def _first(leg: Bm25fLeg, first: FirstSums, ranked: Ranked, slot_of: SlotOf) -> LegHead:
    ahead = ranked(first.slots, first.scores, DEPTH)
    known = dict(ahead)

    def scores(identifiers: Iterable[str]) -> Mapping[str, float]:
        asked = list(identifiers)
        slots = {name: slot for name in asked if name not in known and (slot := slot_of(name)) is not None}
        behind = first.scores_of(list(slots.values())) if slots else {}
        if behind is None:  # of the ties of the last score only the first by id are in the leg
            return _whole(leg, ranked).scores(asked)
        found = {name: known.get(name, behind.get(slots.get(name, -1))) for name in asked}
        return {name: score for name, score in found.items() if score is not None}

    return LegHead(ahead, first.total, scores)

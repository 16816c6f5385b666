"""The first documents of a text leg (FUS-5), fast: those behind them are counted, and never ranked."""

from collections.abc import Callable, Iterable

import numpy as np

from hybrid_search.accelerated.posting import Scores, Slots
from hybrid_search.doc_store_adapter.base import Ranking
from hybrid_search.doc_store_adapter.snapshot.leg_head import LegHead
from hybrid_search.fusion.fused_legs import DEPTH


def of(
    slots: Slots,
    scores: Scores,
    limit: int,
    ranked: Callable[[Slots, Scores, int], Ranking],
    slot_of: Callable[[str], int | None],
) -> LegHead:
    """Return the head of a leg.

    Args:
        slots: the slots of documents, among them the best `limit` with all ties of the last, in no order.
        scores: their scores.
        limit: the largest number of documents of the leg.
        ranked: returns the ranking of slots and scores, at most a number of documents.
        slot_of: returns the slot of a document, or none.
    """
    if len(slots) <= DEPTH or limit <= DEPTH:
        return LegHead.of(ranked(slots, scores, limit))
    first = scores >= np.partition(scores, len(scores) - DEPTH)[len(scores) - DEPTH]
    ahead = ranked(slots[first], scores[first], DEPTH)
    known = dict(ahead)

    def scores_of(identifiers: Iterable[str]) -> dict[str, float]:
        found = {}
        for identifier in identifiers:
            score = known.get(identifier)
            if score is None:
                slot = slot_of(identifier)
                places = [] if slot is None else (slots == slot).nonzero()[0].tolist()
                if not places:
                    continue
                score = float(scores[places[0]])
                if len(slots) > limit and score == scores.min():  # of its ties only the first by id are in the leg
                    return dict(LegHead.of(ranked(slots, scores, limit)).scores(identifiers))
            found[identifier] = score
        return found

    return LegHead(ahead, min(len(slots), limit), scores_of)

"""The fusion method `auto`: weighs each leg by how far its best scores stand out (FUS-3)."""

from hybrid_search.base import numeric
from hybrid_search.fusion import leg_fusion
from hybrid_search.fusion.fused_legs import DEPTH, FusedLegs, Ranked, last, leg


def legs(text: Ranked, dense: Ranked) -> FusedLegs:
    """Return the contributions of both legs; the scores of a text leg of fewer than `DEPTH` documents count from 0."""
    floor = 0.0 if len(text) < DEPTH else last(text)
    texts, vectors = leg(text, 0.4, floor, numeric.mean), leg(dense, 0.6, last(dense), numeric.mean)
    return FusedLegs("auto", texts, vectors, texts.first + vectors.first)


METHOD = leg_fusion.of("auto", legs)

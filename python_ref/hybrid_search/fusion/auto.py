"""The method `auto`: legs by how far their scores stand out (FUS-3)."""

from hybrid_search.base import numeric
from hybrid_search.fusion import leg_fusion
from hybrid_search.fusion.fused_legs import DEPTH, FusedLegs, Ranked, last, leg


def legs(text: Ranked, dense: Ranked) -> FusedLegs:
    """Return what each leg adds; a text leg that is not cut off counts from 0."""
    floor = 0.0 if len(text) < DEPTH else last(text)
    texts, vectors = leg(text, 0.4, floor, numeric.mean), leg(dense, 0.6, last(dense), numeric.mean)
    return FusedLegs("auto", texts, vectors, texts.first + vectors.first)


METHOD = leg_fusion.of("auto", legs)

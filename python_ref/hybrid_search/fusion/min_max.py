"""The fusion method `min_max`: scales the scores of each leg between its lowest and highest (FUS-4)."""

from hybrid_search.fusion import leg_fusion
from hybrid_search.fusion.fused_legs import FusedLegs, Ranked, last, leg


def legs(text: Ranked, dense: Ranked) -> FusedLegs:
    """Return the contributions of both legs, in equal parts."""
    return FusedLegs("min_max", leg(text, 0.5, last(text), max), leg(dense, 0.5, last(dense), max), 1.0)


METHOD = leg_fusion.of("min_max", legs)

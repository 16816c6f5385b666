"""Whether one way of searching is better than another by more than chance: paired bootstrap over the questions."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.quality.metrics import Judgements, ndcg
from conformance.quality.ways import FUSED

RESAMPLES = 10_000
SEED = 20_261_123
LEVEL = 0.95
_CHUNK = 250
"""How many resamples are drawn at once, so that there is room for them."""

Rankings = Mapping[str, Mapping[str, Sequence[str]]]
"""Way → query id → document ids, best first."""


@dataclass(frozen=True)
class Interval:
    """The mean of differences, and between what it lies for all but a twentieth of what chance may draw."""

    mean: float
    low: float
    high: float

    @property
    def verdict(self) -> str:
        """`win` or `loss` where the interval leaves 0 out, or `tie`."""
        return "win" if self.low > 0.0 else "loss" if self.high < 0.0 else "tie"


def interval(differences: Sequence[float], resamples: int = RESAMPLES, seed: int = SEED) -> Interval:
    """The percentile interval of the mean.

    Args:
        differences: one per question; at least one.
        resamples: how often as many questions are drawn, with replacement.
        seed: of the draws; the same gives the same interval.
    """
    values = np.array(differences, dtype=np.float64)
    drawing = np.random.default_rng(seed)
    means = np.empty(resamples, dtype=np.float64)
    for first in range(0, resamples, _CHUNK):
        drawn = drawing.integers(0, len(values), size=(min(_CHUNK, resamples - first), len(values)))
        means[first : first + len(drawn)] = values[drawn].mean(axis=1)
    low, high = np.percentile(means, [50 * (1 - LEVEL), 50 * (1 + LEVEL)])
    return Interval(math.fsum(differences) / len(values), float(low), float(high))


def compare(collection: str, rankings: Rankings, judgements: Mapping[str, Judgements]) -> list[dict[str, Any]]:
    """Each of the `FUSED` ways against each other one, by nDCG@10: a row a pair.

    Args:
        collection: its name.
        rankings: of all ways and baselines.
        judgements: query id → document id → grade.
    """
    figures = {
        way: [ndcg(ranking.get(query, ()), judged, 10) for query, judged in judgements.items()]
        for way, ranking in rankings.items()
    }
    rows = []
    for way in (way for way in FUSED if way in figures):
        for other in (other for other in figures if other != way):
            pairs = zip(figures[way], figures[other], strict=True)
            found = interval([own - its for own, its in pairs])
            row = {"collection": collection, "way": way, "against": other, "queries": len(judgements)}
            ours, theirs = (math.fsum(figures[name]) / len(judgements) for name in (way, other))
            rows.append(row | {"ndcg_at_10": ours, "ndcg_at_10_against": theirs} | vars(found))
            rows[-1]["verdict"] = found.verdict
    return rows

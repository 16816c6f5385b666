"""The metrics, as trec_eval, BEIR and ranx define them: means over all judged queries."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Judgements = Mapping[str, int]


@dataclass(frozen=True)
class Scores:
    """The metrics of one run, each from 0 to 1."""

    ndcg_at_10: float
    recall_at_50: float
    mrr_at_10: float


def ndcg(ranking: Sequence[str], judged: Judgements, depth: int) -> float:
    """Discounted cumulative gain over the ideal one, with linear gain; the ideal ranks all judged documents."""

    def gain(grades: Sequence[int]) -> float:
        return math.fsum(grade / math.log2(place + 2) for place, grade in enumerate(grades[:depth]))

    ideal = gain(sorted(judged.values(), reverse=True))
    return gain([judged.get(identifier, 0) for identifier in ranking]) / ideal if ideal > 0 else 0.0


def recall(ranking: Sequence[str], judged: Judgements, depth: int) -> float:
    """The share of all relevant documents that stand among the first."""
    relevant = {identifier for identifier, grade in judged.items() if grade > 0}
    return len(relevant.intersection(ranking[:depth])) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranking: Sequence[str], judged: Judgements, depth: int) -> float:
    """One over the place of the first relevant document among the first; 0 if there is none."""
    for place, identifier in enumerate(ranking[:depth], start=1):
        if judged.get(identifier, 0) > 0:
            return 1.0 / place
    return 0.0


def evaluate(rankings: Mapping[str, Sequence[str]], judgements: Mapping[str, Judgements]) -> Scores:
    """The means over all judged queries.

    Args:
        rankings: query id → document ids, best first.
        judgements: query id → document id → grade.
    """
    judged = [(rankings.get(query, ()), grades) for query, grades in judgements.items()]
    count = len(judged) or 1
    return Scores(
        ndcg_at_10=math.fsum(ndcg(ranking, grades, 10) for ranking, grades in judged) / count,
        recall_at_50=math.fsum(recall(ranking, grades, 50) for ranking, grades in judged) / count,
        mrr_at_10=math.fsum(reciprocal_rank(ranking, grades, 10) for ranking, grades in judged) / count,
    )

"""The first documents of a text leg, their scores and its count equal those of the whole leg."""

import random

import numpy as np
import pytest

from hybrid_search.accelerated import best_sums
from hybrid_search.accelerated.best_sums import BestSums
from hybrid_search.accelerated.posting import Posting


def posting(draw, all_slots, score):
    slots = sorted(draw.sample(range(all_slots), draw.randint(1, all_slots)))
    return Posting(np.array(slots), np.array([score(draw) for _ in slots]), all_slots)


def tied(draw):
    return draw.choice([0.5, 1.0, 1.5])


def spread(draw):
    return draw.random() + 0.001


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("score", [tied, spread])
def test_the_first_sums_equal_those_of_the_whole_leg(score, many, monkeypatch):
    if many:
        monkeypatch.setattr(best_sums, "FEWEST_GROUPS", 0)
    draw = random.Random(score.__name__)
    undecided = decided = left = 0
    for _ in range(150):
        all_slots = draw.choice([1, 20, 300])
        matched = [(draw.choice([1.0, 4.0]), posting(draw, all_slots, score)) for _ in range(draw.randint(1, 4))]
        counted = draw.choice([None, np.array([draw.random() < 0.7 for _ in range(all_slots)], dtype=np.uint8)])
        count, limit = draw.choice([(1, 2), (10, 30), (100, 250)])
        whole = dict(
            zip(*(part.tolist() for part in BestSums(all_slots).best(matched, all_slots, counted)), strict=True)
        )
        found = BestSums(all_slots).first(matched, count, limit, counted)
        if found is None:
            left += 1
            continue
        assert found.total == min(len(whole), limit)
        ordered = sorted(whole.values(), reverse=True)
        least = ordered[min(count, len(ordered)) - 1] if ordered else 0.0
        first = {slot: value for slot, value in whole.items() if value >= least}
        assert dict(zip(found.slots.tolist(), found.scores.tolist(), strict=True)) == first
        for slot in range(all_slots):
            behind = [value for value in ordered if value >= whole.get(slot, 0.0)]
            above = [value for value in behind if value > whole.get(slot, 0.0)]
            if slot not in whole or len(above) >= limit:
                assert found.scores_of([slot]) == {}
            elif len(behind) > limit:
                undecided += 1
                assert found.scores_of([slot]) is None
            else:
                decided += 1
                assert found.scores_of([slot]) == {slot: whole[slot]}
    assert 0 < left < 110 if many else left == 0
    assert decided > 500
    assert (undecided > 500) == (score is tied)


def test_scores_that_are_not_above_0_are_left_to_the_whole_leg(monkeypatch):
    one = Posting(np.array([3]), np.array([1.0]), 10)
    assert BestSums(10).first([(1.0, one)], 1, 2, None) is not None
    assert BestSums(10).first([(0.0, one)], 1, 2, None) is None
    assert BestSums(10).first([(1.0, Posting(np.array([3]), np.array([-1.0]), 10))], 1, 2, None) is None
    monkeypatch.setattr(best_sums, "FEWEST_GROUPS", 1)
    assert BestSums(10).first([(1.0, one)], 1, 2, None) is not None
    assert BestSums(10).first([(0.0, one)], 1, 2, None) is None

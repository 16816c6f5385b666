"""The candidates before the exact sums, compared with the same search without a limit, which omits no document."""

import random

import numpy as np
import pytest

from hybrid_search.accelerated import posting, text_candidates
from hybrid_search.accelerated.posting import Posting
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.query_builder.expressions import MatchTextExpr
from hybrid_search.query_builder.tree import AnyOf, Boost, Phrase, Term

WORDS = [f"w{place}" for place in range(60)]
FREQUENT_FIRST = [1.0 / (place + 1) for place in range(60)]
FIELDS = [
    (("body_ltks", 1.0),),
    (("body_ltks", 2.0), ("title_tks", 10.0), ("tag_kwd", 30.0)),
    (("title_tks", 1.0), ("body_ltks", 0.0)),
    (("body_ltks", 1e200),),
]


def filled(seed: int, variant: str) -> MemoryDocStore:
    chance = random.Random(seed)
    store = MemoryDocStore(bm25=variant, kernels="fast")
    for batch in range(3):
        documents = []
        for place in range(150):
            words = chance.choices(WORDS, FREQUENT_FIRST, k=chance.randint(1, 25))
            document = {"id": f"{batch}-{chance.random()}", "body_ltks": " ".join(words), "kb_id": f"k{place % 7}"}
            if batch < 2:  # the others' indexes end before the last slots
                document |= {"title_tks": " ".join(words[:4]), "tag_kwd": words[:2]}
            documents.append(document)
        store.insert(documents)
        store.delete([document["id"] for document in documents[::9]])
    return store


def asked(chance: random.Random) -> MatchTextExpr:
    nodes = []
    for word in chance.sample(WORDS, chance.choice([1, 3, 12, 40])):
        node = Phrase((word, "w0"), chance.choice([0, 3])) if chance.random() < 0.2 else Term(word)
        nodes.append(Boost(node, chance.choice([0.0, 1e-17, 0.3, 7.0])) if chance.random() < 0.3 else node)
    options = chance.choice([{}, {}, {"minimum_should_match": 0.3}])
    return MatchTextExpr(chance.choice(FIELDS), AnyOf(tuple(nodes)), 10_000, options)


@pytest.mark.parametrize("variant", ["okapi", "lucene"])
@pytest.mark.parametrize(("groups", "few", "common", "factors"), [(8, 1, 16, (128.0,)), (64, 64, 4, (0.5, 1e-3))])
def test_a_limit_omits_only_results_after_it(monkeypatch, variant, groups, few, common, factors):
    monkeypatch.setattr(text_candidates, "FEWEST_GROUPS", groups)
    monkeypatch.setattr(text_candidates, "GROUPS_PER_PLACE", 1)
    monkeypatch.setattr(text_candidates, "FEW", few)
    monkeypatch.setattr(text_candidates, "USUAL_FACTORS", factors)
    monkeypatch.setattr(posting, "COMMON", common)
    store = filled(common, variant)
    chance = random.Random(groups)
    for _ in range(150):
        query = asked(chance)
        filters = chance.choice([None, None, {"kb_id": ["k1", "k2"]}])
        everybody = store.text_leg(query, filters)
        for limit in (1, 3, 10, 64):
            assert store.text_leg(query.with_topn(limit), filters) == everybody[:limit]


LIMITS = [1, 2, 10, 100, 1024]


def random_clauses(chance: np.random.Generator, slots: int) -> list[tuple[float, Posting]]:
    """Clauses of any frequency with few different scores, so that many sums are equal or nearly so."""
    clauses = []
    unboosted = chance.random() < 0.5
    largest = chance.choice([0.01, 1.0, 30.0, 3000.0])
    for _ in range(chance.integers(1, 9)):
        ends = chance.integers(slots // 2, slots + 1)
        count = chance.integers(1, max(2, int(ends * chance.random() ** 3)))
        held = np.sort(chance.choice(ends, count, replace=False))
        levels = np.append(chance.random(3) * largest, 0.0)
        scores = levels[chance.integers(0, 4, count)] * (1.0 + 1e-15 * chance.integers(0, 3, count))
        boost = 1.0 if unboosted else float(chance.choice([0.0, 1e-12, 0.3, 1.0, 40.0]))
        clauses.append((boost, Posting(held, scores, int(ends))))
    return clauses


@pytest.mark.parametrize("slots", [40, 3000])
def test_candidates_contain_the_best_results_with_all_ties(monkeypatch, slots):
    monkeypatch.setattr(text_candidates, "FEWEST_GROUPS", slots // 5)
    chance = np.random.default_rng(slots)
    totals = np.empty(slots, dtype=np.uint16)
    told = 0
    for _ in range(400):
        clauses = random_clauses(chance, slots)
        limit = int(chance.choice(LIMITS))
        counted = None if chance.random() < 0.6 else (chance.random(slots) < 0.3).astype(np.uint8)
        found = text_candidates.TextCandidates(totals).find(clauses, limit, counted)
        if found is None:
            continue
        told += 1
        sums = np.zeros(slots)
        held = np.zeros(slots, dtype=np.bool_)
        for boost, one in clauses:
            sums[one.slots] += boost * one.scores
            held[one.slots] = True
        held &= np.ones(slots, dtype=np.bool_) if counted is None else counted == 1
        least = sorted(sums[held], reverse=True)[limit - 1]
        assert found.tolist() == sorted(set(found.tolist()))
        assert set(np.flatnonzero(held & (sums >= least))) <= set(found.tolist()) <= set(np.flatnonzero(held))
    assert told > 100


def test_candidates_are_few():
    chance = np.random.default_rng(1)
    slots = 100_000
    clauses = []
    for count in (50, 700, 3000, 20_000, 60_000):
        held = np.sort(chance.choice(slots, count, replace=False))
        clauses.append((1.0, Posting(held, chance.random(count) * 20_000 / count**0.8, slots)))
    found = text_candidates.TextCandidates(np.empty(slots, dtype=np.uint16)).find(clauses, 10, None)
    assert found is not None
    assert 10 <= len(found) < 30


@pytest.mark.parametrize("scores", [[-1.0, 2.0], [1.0, 1e30], [0.0, 0.0]])
def test_scores_that_steps_cannot_distinguish_are_left_to_the_sums(scores):
    clauses = [(1.0, Posting(np.array([0, 3]), np.array(scores), 5))]
    assert text_candidates.TextCandidates(np.empty(5, dtype=np.uint16)).find(clauses, 1, None) is None

"""A model reranks the head of a list, and the rest is unchanged (RNK-8), for any order of the input."""

from hypothesis import given
from hypothesis import strategies as st

from hybrid_search.fusion import normalizer
from hybrid_search.reranker.partial_rerank import PartialRerank

# Few distinct scores, so that there are ties.
SCORES = st.lists(st.sampled_from([0.0, -0.0, 0.25, 0.5, 0.75, 1.0, 2.0]), max_size=12)


def listed(stage1: list[float]) -> dict[str, float]:
    return {f"d{index}": score for index, score in enumerate(stage1)}


def entries(stage1: dict[str, float], top_k: int, **options):
    rerank = PartialRerank(lambda _query, texts: [len(text) * 7 % 5 - 1.0 for text in texts], top_k, **options)
    return rerank.rerank("q", list(stage1), list(stage1.values()), lambda name: "x" * (int(name[1:]) % 4)).entries


@given(SCORES, st.integers(0, 14), st.randoms(use_true_random=False), st.sampled_from(["replace", "linear"]))
def test_the_order_of_the_input_does_not_matter(stage1, top_k, chance, fusion):
    table = listed(stage1)
    shuffled = list(table.items())
    chance.shuffle(shuffled)
    assert entries(table, top_k, rerank_fusion=fusion) == entries(dict(shuffled), top_k, rerank_fusion=fusion)


@given(SCORES, st.integers(0, 14))
def test_every_entry_occurs_once_and_the_tail_keeps_its_order(stage1, top_k):
    table = listed(stage1)
    found = entries(table, top_k)
    assert sorted(entry.id for entry in found) == sorted(table)
    assert [entry.tier for entry in found] == sorted(entry.tier for entry in found)
    rest = [(-entry.score, entry.id) for entry in found if entry.tier == 1]
    assert rest == sorted(rest)
    assert all(entry.score == entry.stage1_score == table[entry.id] for entry in found if entry.tier == 1)
    best = sorted(table, key=lambda name: (-table[name], name))[:top_k]
    assert {entry.id for entry in found if entry.tier == 0} <= set(best)


@given(SCORES, st.integers(1, 14), st.floats(0, 1))
def test_linear_scores_add_up(stage1, top_k, weight):
    table = listed(stage1)
    head = sorted(table, key=lambda name: (-table[name], name))[:top_k]
    normalized = dict(zip(head, normalizer.min_max([table[name] for name in head]), strict=True)) if head else {}
    for entry in entries(table, top_k, rerank_fusion="linear", rerank_weight=weight):
        if entry.tier == 0:
            assert entry.normalized_score == normalized[entry.id]
            assert entry.score == weight * entry.model_score + (1.0 - weight) * entry.normalized_score

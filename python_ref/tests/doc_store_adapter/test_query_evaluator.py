"""The estimates before the exact sums, against the same search without a limit, which leaves nobody out."""

import random

import pytest

from hybrid_search.doc_store_adapter import posting, query_evaluator
from hybrid_search.doc_store_adapter.memory import MemoryDocStore
from hybrid_search.expressions import MatchTextExpr
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
    store = MemoryDocStore(bm25=variant)
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
@pytest.mark.parametrize(("groups", "few", "promising", "common"), [(8, 1, 0.8, 16), (8, 2, 5.0, 4), (64, 1, 0.1, 64)])
def test_a_limit_leaves_out_only_what_is_behind_it(monkeypatch, variant, groups, few, promising, common):
    monkeypatch.setattr(query_evaluator, "FEWEST_GROUPS", groups)
    monkeypatch.setattr(query_evaluator, "GROUPS_PER_PLACE", 1)
    monkeypatch.setattr(query_evaluator, "FEW", few)
    monkeypatch.setattr(query_evaluator, "PROMISING", promising)
    monkeypatch.setattr(posting, "COMMON", common)
    store = filled(common, variant)
    chance = random.Random(groups)
    for _ in range(150):
        query = asked(chance)
        filters = chance.choice([None, None, {"kb_id": ["k1", "k2"]}])
        everybody = store.text_leg(query, filters)
        for limit in (1, 3, 10, 64):
            assert store.text_leg(query.with_topn(limit), filters) == everybody[:limit]


def test_few_candidates_are_found_without_adding_common_clauses_to_all(monkeypatch):
    monkeypatch.setattr(query_evaluator, "FEWEST_GROUPS", 8)
    taken = []
    original = query_evaluator.QueryEvaluator._few

    def spy(self, *arguments):
        taken.append(original(self, *arguments))
        return taken[-1]

    monkeypatch.setattr(query_evaluator.QueryEvaluator, "_few", spy)
    store = MemoryDocStore()
    store.insert(
        [
            {"id": f"{place:03}", "body_ltks": "often" + " rare" * (place % 100 == 7) + f" x{place}"}
            for place in range(400)
        ]
    )
    found = store.text_leg(MatchTextExpr((("body_ltks", 1.0),), AnyOf((Term("often"), Term("rare"))), 4))
    assert [identifier for identifier, _ in found] == ["007", "107", "207", "307"]
    assert taken[0].tolist() == [7, 107, 207, 307]

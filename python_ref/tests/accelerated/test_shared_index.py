"""Fields whose tokens have had no parts so far share one inverted index, which changes no result of a search."""

import random

import pytest

from hybrid_search import MemoryDocStore
from hybrid_search.adapter_kit import MatchTextExpr
from hybrid_search.query_builder.tree import AnyOf, Phrase, Term
from python_ref.tests.rounds import seeds

FIELDS = ("content_ltks", "content_sm_ltks", "title_tks", "title_sm_tks")
WORDS = [f"w{place}" for place in range(12)]
QUERIES = [Term("w1"), Phrase(("w2", "w3"), 0), AnyOf((Term("w4"), Term("w5"), Term("p")))]


def document(source, identifier, divided):
    made = {"id": identifier}
    for whole, parts in (FIELDS[:2], FIELDS[2:]):
        tokens = " ".join(source.choices(WORDS, k=source.randrange(1, 300)))
        made[whole] = tokens
        made[parts] = f"{tokens} p" if source.random() < divided else tokens
    if source.random() < divided / 2:
        del made[source.choice(FIELDS)]
    return dict(source.sample(sorted(made.items()), len(made)))


def found(store):
    return [store.rank([MatchTextExpr(((field, 1.0),), query, 50)]) for field in FIELDS for query in QUERIES]


@pytest.mark.parametrize("seed", seeds(4, 12))
def test_sharing_an_index_changes_no_result(seed):
    source = random.Random(seed)
    plain, fast = MemoryDocStore(kernels="plain"), MemoryDocStore(kernels="fast")
    stored = []
    for step in range(8):
        divided = 0.0 if step < source.randrange(6) else source.choice([0.0, 0.3])
        fresh = [document(source, f"d{step}.{place}", divided) for place in range(source.randrange(1, 30))]
        changed = [document(source, one, divided) for one in source.sample(stored, min(len(stored), 3))]
        gone = source.sample(stored, min(len(stored), 2)) if source.random() < 0.5 else []
        before = fast._snapshot
        seen = found(fast)
        for store in (plain, fast):
            store.upsert([*fresh, *changed])
            store.delete(gone)
        stored = [*({*stored, *(one["id"] for one in fresh)} - {*gone})]
        stored.sort()
        assert found(fast) == found(plain)
        after, fast._snapshot = fast._snapshot, before
        assert found(fast) == seen
        fast._snapshot = after


def test_english_fields_share_an_index_until_a_token_has_parts():
    store = MemoryDocStore(kernels="fast")

    def shared():
        indexes = store._snapshot._documents._text_indexes
        return indexes["content_ltks"] is indexes["content_sm_ltks"]

    store.insert([{"id": "1", "content_ltks": "one two", "content_sm_ltks": "one two"}])
    assert shared()
    store.insert([{"id": "2", "content_ltks": "two", "content_sm_ltks": "two"}])
    assert shared()
    before = store._snapshot
    store.insert([{"id": "3", "content_ltks": "onetwo", "content_sm_ltks": "one two"}])
    assert not shared()
    assert [hit for hit, _ in store.rank([MatchTextExpr((("content_sm_ltks", 1.0),), Term("one"))])] == ["1", "3"]
    assert [hit for hit, _ in store.rank([MatchTextExpr((("content_ltks", 1.0),), Term("one"))])] == ["1"]
    store._snapshot = before  # as after an abandoned change
    store.insert([{"id": "4", "content_ltks": "one", "content_sm_ltks": "one"}])
    assert shared()
    assert {hit for hit, _ in store.rank([MatchTextExpr((("content_sm_ltks", 1.0),), Term("one"))])} == {"1", "4"}

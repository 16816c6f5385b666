"""Arranged hits: the limits of windows and depths, and near duplicates compared with all pairs (ARR-1 … ARR-4)."""

import random

from hybrid_search import Index, MemoryDocStore
from hybrid_search.search import content_tokens
from hybrid_search.search.diversity import DEPTH, Diversity
from hybrid_search.search.near_duplicates import WINDOW, NearDuplicates
from hybrid_search.search.ranking_key import RankingKey


def keys_of(count, tier=1):
    return [RankingKey((), tier, 1.0 - place / 1000, 0.0, f"k{place:04}") for place in range(count)]


def test_near_duplicates_equal_those_found_by_comparing_all_pairs():
    chance = random.Random(33)
    words = [f"w{number}" for number in range(12)]
    texts = [" ".join(chance.choices(words, k=chance.randint(0, 9))) for _ in range(300)]
    texts += [f"{text} w{chance.randint(0, 3)}" for text in texts]
    chance.shuffle(texts)
    keys = keys_of(len(texts))
    documents = {key.id: {"content_ltks": text} for key, text in zip(keys, texts, strict=True)}
    for lowest in (0.5, 0.6, 2 / 3, 0.75, 0.9, 1.0):
        kept, folded = [], {}
        for key in keys:
            own = content_tokens.shingles(documents[key.id])
            similar = [
                other
                for other in kept[-WINDOW:]
                if content_tokens.jaccard(own, content_tokens.shingles(documents[other.id])) >= lowest
            ]
            if similar:
                folded.setdefault(similar[0].id, []).append(key.id)
            else:
                kept.append(key)
        near = NearDuplicates(lowest)
        assert near.fold(keys, documents) == kept
        assert {better: [one.id for one in found] for better, found in near.duplicates.items()} == folded
        assert len(folded) >= 10


def test_a_duplicate_is_folded_up_to_64_hits_after_the_better_one():
    for between, folded in ((WINDOW - 1, 1), (WINDOW, 0)):
        keys = keys_of(between + 2)
        documents = {key.id: {"content_ltks": f"a{key.id} b{key.id} c{key.id}"} for key in keys}
        documents[keys[-1].id] = documents[keys[0].id]
        assert len(NearDuplicates(0.9).fold(keys, documents)) == len(keys) - folded


def test_the_first_512_tokens_are_compared():
    shared = " ".join(f"w{number}" for number in range(510))
    for tail, folded in ((["x y", "x z"], 0), (["x y z", "x y u"], 1)):
        keys = keys_of(2)
        documents = {key.id: {"content_ltks": f"{shared} {end}"} for key, end in zip(keys, tail, strict=True)}
        assert len(NearDuplicates(1.0).fold(keys, documents)) == 2 - folded


def test_only_the_first_hundred_hits_of_one_tier_change_places():
    store = MemoryDocStore()
    keys = keys_of(DEPTH + 20)
    store.insert(
        [{"id": key.id, "content_ltks": "same" if place < DEPTH else "other"} for place, key in enumerate(keys)]
    )
    diversity = Diversity(store, 1.0, None)
    assert diversity.order(keys) == keys
    assert len(diversity.parts) == DEPTH
    mixed = [*keys_of(3, tier=0), *keys[3:]]
    assert len(_parts(store, mixed)) == 3


def _parts(store, keys):
    diversity = Diversity(store, 0.5, None)
    diversity.order(keys)
    return diversity.parts


def test_a_search_with_its_own_order_or_groups_is_not_arranged():
    index = Index(store=(store := MemoryDocStore()))
    index.add([{"id": f"d{number}", "content": f"carrier fee {number}"} for number in range(30)])
    asked = []
    store.get_many = lambda identifiers, *rest: (
        asked.append(len(identifiers)) or MemoryDocStore.get_many(store, identifiers, *rest)
    )
    index.search("carrier", explain=True, order_by="metadata.year")
    assert asked == [10]
    index.search("carrier", collapse="doc_id")
    assert asked == [10, 30, 10]

"""Random documents, filters and questions, to compare one store with another."""

import random
from typing import Any

from hybrid_search import DocStoreAdapter
from hybrid_search.adapter_kit import FusionExpr, MatchDenseExpr, MatchTextExpr
from hybrid_search.errors import HybridSearchError
from hybrid_search.query_builder.tree import AnyOf, Boost, Node, Phrase, Term

WORDS = [*(f"w{place}" for place in range(10)), "太阳", "\0", "é"]
FIELDS = (("content_ltks", 1.0), ("important_kwd", 2.5), ("title_tks", 3.0))


def value(source: random.Random, depth: int = 0) -> Any:
    """A value that metadata may contain."""
    simple = [
        True,
        False,
        source.randrange(5),
        source.random(),
        -0.0,
        source.choice(WORDS),
        10 ** source.randrange(5000),
    ]
    kind = source.randrange(len(simple) + 2)
    if kind < len(simple):
        return simple[kind]
    if kind == len(simple):
        return source.choices([*WORDS, 1, 1.0, None], k=source.randrange(3))
    return {"a": value(source, depth + 1), "b.c": 1, "\0": 1, "\0\0x": None} if depth < 3 else None


def document(source: random.Random, identifier: str) -> dict[str, Any]:
    """A document with some of many fields, in any order."""
    fields = {
        "content_ltks": " ".join(source.choices(WORDS, k=source.randrange(9) * source.choice([1, 1, 6]))),
        "title_tks": " ".join(source.choices(WORDS, k=3)),
        "important_kwd": source.sample(WORDS, source.randrange(3)),
        "kb_id": source.choice(["k1", "k2"]),
        "available_int": source.randrange(2),
        "metadata": {"x": value(source), "y": value(source)},
        "tag_feas": {"t.u": source.randrange(3)},
        "pagerank_fea": source.choice([0, 1, 2.5]),
        "q_2_vec": [source.choice([0.5, 1.0, -0.0, source.random()]), source.choice([0.5, 1.0])],
        "q_3_vec": [0.5, 1.0, float(source.randrange(3))],
        "content_with_weight": f"Text w1. w2 {source.choice(WORDS)}",
    }
    chosen = [(name, one) for name, one in fields.items() if source.random() < 0.8]
    source.shuffle(chosen)
    return {"id": identifier, **dict(chosen)}


def change(source: random.Random, stored: list[str]) -> tuple[str, list[Any]]:
    """A method of stores that changes something, and its argument."""
    method = source.choice(["insert", "update", "upsert", "delete"])
    if method == "insert" or len(stored) < 5:
        fresh = [f"d{place}" for place in source.sample(range(40), source.randrange(12))]
        return "insert", [document(source, one) for one in fresh if one not in stored]
    if method == "delete":
        return method, [*source.sample(stored, source.randrange(min(len(stored), 6))), "none"]
    changed = [document(source, one) for one in source.sample(stored, source.randrange(5))]
    if method == "upsert":
        return method, [*(one for one in changed if one["id"] != "fresh"), document(source, "fresh")]
    return method, [
        {**one, **{name: None for name in ("metadata", "q_2_vec") if source.random() < 0.3}} for one in changed
    ]


def filters(source: random.Random, depth: int = 0) -> dict[str, Any]:
    """Filters of every kind of condition."""
    if depth < 3 and source.random() < 0.25:
        kind = source.choice(["not", "any", "all"])
        several = [filters(source, depth + 1) for _ in range(source.randrange(3))]
        return {kind: filters(source, depth + 1) if kind == "not" else several}
    there = ["kb_id", "metadata.x", "q_2_vec", "content_ltks", "important_kwd"]
    return source.choice(
        [
            {},
            {"available_int": source.randrange(2)},
            {"kb_id": ["k1"]},
            {"must_not": {"exists": source.sample(there, 2)}},
            {"metadata.x": {"exists": source.random() < 0.5}},
            {"metadata.x.a": {"gt": 0}},
            {"metadata.x": [True, 3, 0.0]},
            {"metadata.x": None},
            {"metadata.x": [3, None, {"gt": 0, "lt": 3}]},
            {"metadata.y": {"not": WORDS[:3]}, "kb_id": {"not": None}, "not": {"metadata.x": 3}},
            {"id": {"not": ["d1", "d5"]}},
            {"metadata.y": source.choice(WORDS)},
            {"metadata.y": {"gte": "w3", "lt": "w6"}},
            {"metadata.y": {"starts_with": "w", "ends_with": source.choice("123")}},
            {"metadata.y": {"contains": source.choice(["w", "阳", "\0", "é", "none"])}},
            {"id": {"contains": "1", "lt": "d5"}},
            {"tag_feas.t.u": {"gte": 1}},
            {"id": {"gte": "d3"}},
            {"id": ["d1", "d5", "none"]},
            {"important_kwd": WORDS[:3]},
            {"q_3_vec": {"exists": True}},
            {"content_ltks": {"exists": False}},
            {"content_with_weight": "Text w1. w2 w3"},
            {"pagerank_fea": {"gte": 1, "exists": True}},
        ]
    )


def search(source: random.Random) -> dict[str, Any]:
    """The arguments of a search."""
    minimum = {"minimum_should_match": source.choice([None, 0.5, 2])}
    text = MatchTextExpr(FIELDS[: source.randrange(1, 4)], _tree(source), source.choice([2, 5, 100]), minimum)
    least = {"similarity": source.choice([None, 0.2, 0.9])}
    vector = (source.random(), source.random() - 0.5)
    dense = MatchDenseExpr("q_2_vec", vector, topn=source.choice([2, 100]), extra_options=least)
    fusion = FusionExpr("weighted_sum", 10, {"weights": "0.05,0.95"})
    return {
        "filters": filters(source),
        "match_exprs": source.choice([[], [text], [dense], [text, dense, fusion]]),
        "limit": 20,
        "order_by": source.choice([[], [["metadata.x", "desc"]], [["kb_id", "asc"]]]),
        "agg_fields": ["kb_id", "metadata.x"],
        "highlight_fields": ["content_with_weight"],
        "keywords": ["w1", "w2"],
        "select_fields": source.choice([None, ["q_2_vec", "kb_id", "metadata"]]),
    }


def hold_alike(store: DocStoreAdapter, memory: DocStoreAdapter, source: random.Random, batches: int) -> None:
    """Change two stores alike, and ask them the same after every batch.

    Args:
        store: the one that is tested.
        memory: the store that has the expected results.
        source: draws the changes and the searches.
        batches: the number of changes.
    """
    for _ in range(batches):
        stored = [identifier for identifier, _ in memory.rank([])]
        method, argument = change(source, stored)
        assert _done(store, method, argument) == _done(memory, method, argument)
        assert store.stats() == memory.stats()
        assert store.health() == memory.health()
        for _ in range(4):
            wanted = search(source)
            assert told(store.search(**wanted)) == told(memory.search(**wanted)), wanted
        for identifier in stored[:5]:
            assert exact(store.get(identifier)) == exact(memory.get(identifier))


def _done(store: DocStoreAdapter, method: str, argument: Any) -> Any:
    """Return the result of a method, or its error."""
    try:
        return getattr(store, method)(argument)
    except HybridSearchError as problem:
        return repr(problem)


def told(result: Any) -> Any:
    """Return a result completely, with the bits of its floats."""
    return (
        result.total,
        result.ids,
        exact(dict(result.fields)),
        exact(dict(result.scores)),
        dict(result.highlight),
        exact(dict(result.aggs)),
        exact(list(result.query_vector or [])),
    )


def exact(given: Any) -> Any:
    """Return a value that equals another one only if the types, the bits and the order of keys are the same."""
    if isinstance(given, dict):
        return [(key, exact(one)) for key, one in given.items()]
    if isinstance(given, (list, tuple)):
        return [exact(one) for one in given]
    return (type(given).__name__, given.hex() if isinstance(given, float) else given)


def _tree(source: random.Random, depth: int = 0) -> Node:
    kind = source.randrange(5)
    if kind == 0 and depth < 2:
        return AnyOf(tuple(_tree(source, depth + 1) for _ in range(3)))
    if kind == 1 and depth < 2:
        return Boost(_tree(source, depth + 1), source.random() * 3)
    if kind == 2:
        return Phrase(tuple(source.choices(WORDS, k=source.randrange(1, 4))), source.randrange(3))
    return Term(source.choice(WORDS))

"""Documents, questions and results for tests of stores that write to one file in turn."""

import random

from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from hybrid_search.query_builder.expressions import MatchDenseExpr, MatchTextExpr
from hybrid_search.query_builder.tree import AnyOf, Phrase, Term

WORDS = ["solar", "wind", "power", "roof", "heat", "pump", "panel", "tariff", "grid", "storage"]
FILTERS = ({}, {"kb_id": "k1"}, {"kb_id": ["k0", "k1"]}, {"kb_id": ["k0", "k2"], "available_int": 1})
TEXT = MatchTextExpr(
    (("content_ltks", 1.5), ("title_tks", 1.0)),
    AnyOf((Phrase(("solar", "roof"), 2), Phrase(("wind", "wind"), 3), Phrase(("heat", "pump"), 0), Term("grid"))),
    topn=30,
)
DENSE = MatchDenseExpr("q_3_vec", (1.0, 0.5, 0.25), topn=5)


def document(number, source):
    vector = [source.choice([0.0, 1.0, 2.0, source.uniform(-2.0, 2.0)]) for _ in range(3)]
    given = {"q_3_vec": vector} if any(vector) and source.random() < 0.9 else {}
    return {
        "id": f"d{number}",
        "content_ltks": " ".join(source.choices(WORDS[:6], k=source.randrange(12))),
        "title_tks": " ".join(source.choices(WORDS, k=3)),
        "kb_id": f"k{source.randrange(2)}",
        **given,
    }


def documents(count, seed=1):
    source = random.Random(seed)
    return [document(number, source) for number in range(count)]


def answers(store):
    found = [store.rank([query], filters) for query in (TEXT, DENSE) for filters in FILTERS]
    found.append(sorted(identifier for identifier, _ in store.rank([], {"kb_id": "k1"})))
    found.append(store.vector_fields())
    return found


def same(store, path):
    """Check that a store returns the results of one that has just opened the file."""
    with SqliteDocStore(path) as fresh:
        assert answers(store) == answers(fresh)

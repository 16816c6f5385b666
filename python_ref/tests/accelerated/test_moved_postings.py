"""After a change, cached postings are moved to the new state; questions get the results of the plain form (DOC-9)."""

import random

import pytest

from hybrid_search import Index
from hybrid_search.accelerated import best_sums, known_postings
from hybrid_search.accelerated.known_postings import KnownPostings
from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from hybrid_search.query_builder.expressions import MatchBm25fExpr

WORDS = [f"w{place}" for place in range(40)]
WEIGHTS = [1.0 / (place + 1) for place in range(40)]
FIELDS = (("title_tks", 3.0), ("content_ltks", 1.0))
COUNT = 400


def document(draw, place):
    """A document in which rare words are common enough to be moved."""
    return {
        "id": f"d{place:04}",
        "title_tks": " ".join(draw.choices(WORDS, WEIGHTS, k=draw.randint(0, 3))),
        "content_ltks": " ".join(draw.choices(WORDS, WEIGHTS, k=draw.randint(1, 25))),
        "kb_id": draw.choice("ab"),
        "q_4_vec": [draw.uniform(-1, 1) for _ in range(4)],
    }


def change(draw, stores):
    """Change some documents of all stores: the same ones, new ones, or fewer."""
    kind = draw.choice(["upsert", "upsert", "insert", "delete"])
    places = draw.sample(range(COUNT), draw.choice([1, 1, 3, 40]))
    found = [document(draw, place + (COUNT * draw.randint(1, 9) if kind == "insert" else 0)) for place in places]
    for store in stores:
        if kind == "delete":
            store.delete([one["id"] for one in found])
        else:
            store.upsert(found)


def shown(index, question, options):
    """Everything of a page that depends on scores."""
    page = index.search(question, limit=20, **options)
    return page.total, [(hit.id, numeric.to_bits(hit.score)) for hit in page]


@pytest.mark.parametrize("many", [False, True])
def test_moved_postings_give_the_results_of_the_plain_form(many, tmp_path, monkeypatch):
    monkeypatch.setattr(known_postings, "MANY", 1)
    if many:
        monkeypatch.setattr(best_sums, "FEWEST_GROUPS", 0)
    moved = []
    before = KnownPostings.moved
    monkeypatch.setattr(KnownPostings, "moved", lambda *given: moved.append(before(*given)) or moved[-1])
    draw = random.Random(f"moved {many}")
    plain, writer = MemoryDocStore(kernels="plain"), SqliteDocStore(tmp_path / "shared.hsx")
    reader = SqliteDocStore(tmp_path / "shared.hsx", kernels="fast")
    documents = [document(draw, place) for place in range(COUNT)]
    for store in (plain, writer):
        store.insert(documents)
    vectors = {}

    def embed(texts):
        return [vectors.setdefault(text, [draw.uniform(-1, 1) for _ in range(4)]) for text in texts]

    for step in range(60):
        change(draw, (plain, writer))
        tokens = tuple(draw.choices(WORDS, k=draw.randint(1, 6)))
        filters = draw.choice([None, {"kb_id": "a"}])
        expr = MatchBm25fExpr(FIELDS, tokens, draw.choice([10, 110, 5000]))
        assert reader.rank([expr], filters) == plain.rank([expr], filters)
        options = {"filters": filters, "candidates": draw.choice([110, 1024])}
        for embedding in (None, embed):
            pages = [shown(Index(store=one, embedding=embedding), " ".join(tokens), options) for one in (reader, plain)]
            assert pages[0] == pages[1], (step, tokens)
    assert sum(one is not None for one in moved) > 50

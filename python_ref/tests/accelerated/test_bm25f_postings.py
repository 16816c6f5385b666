"""The fast form of a bag of tokens returns the results of the plain form, in memory and in a file (DOC-9)."""

import random

import pytest

from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from hybrid_search.query_builder.expressions import MatchBm25fExpr

WORDS = [f"w{place}" for place in range(30)]
FIELDS = (("title_tks", 3.0), ("content_ltks", 1.0), ("important_kwd", 0.5), ("question_tks", 0.0))


def document(draw, place):
    fields = {"id": str(place), "kb_id": draw.choice("ab")}
    for name, most in (("title_tks", 3), ("content_ltks", 20), ("question_tks", 2)):
        if draw.random() < 0.8:
            fields[name] = " ".join(
                draw.choices(WORDS, [1.0 / (rank + 1) for rank in range(30)], k=draw.randint(0, most))
            )
    if draw.random() < 0.3:
        fields["important_kwd"] = draw.sample(WORDS, 2)
    return fields


@pytest.mark.parametrize("count", [1, 40, 300, pytest.param(1500, marks=pytest.mark.nightly)])
def test_memory_and_files_agree_in_plain_and_fast_form(count, tmp_path):
    draw = random.Random(count)
    stores = [MemoryDocStore(kernels=kernels) for kernels in ("plain", "fast")]
    stores += [SqliteDocStore(tmp_path / f"{kernels}.hsx", kernels=kernels) for kernels in ("plain", "fast")]
    documents = [document(draw, place) for place in range(count)]
    removed = [str(place) for place in range(count) if draw.random() < 0.2]
    later = [document(draw, place) for place in range(count, count + count // 3)]
    for store in stores:
        store.insert(documents)
        store.delete(removed)
        store.insert(later)
    for _ in range(30):
        tokens = tuple(draw.choices([*WORDS, "nowhere"], k=draw.randint(1, 8)))
        fields = tuple(draw.sample(FIELDS, draw.randint(1, 4)))
        expr = MatchBm25fExpr(fields, tokens, draw.choice([1, 10, 128, 129, 5000]))
        filters = draw.choice([None, {"kb_id": "a"}])
        rankings = [store.rank([expr], filters) for store in stores]
        assert rankings[1:] == rankings[:1] * 3

"""One index file for both languages: each reads what the other writes, with the results of memory (SQL-1)."""

import random

import pytest

from conformance.tests.index_files import RubyFile
from hybrid_search.adapter_kit import MatchDenseExpr, MatchTextExpr
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from hybrid_search.query_builder.tree import Phrase
from python_ref.tests.doc_store_adapter import random_stores
from python_ref.tests.rounds import seeds

pytestmark = pytest.mark.programs


@pytest.fixture
def ruby(tmp_path):
    with RubyFile(tmp_path / "index.hsx") as asked:
        yield asked


def ask(store, method, argument):
    """The same for a store of this process."""
    if method == "text":
        fields = (("content_ltks", 1.0), ("important_kwd", 2.5))
        expr = MatchTextExpr(fields, Phrase(tuple(argument["words"]), 1), topn=100)
        return store.rank([expr], argument["filters"])
    if method == "dense":
        return store.rank([MatchDenseExpr("q_2_vec", tuple(argument["vector"]), topn=100)], argument["filters"])
    return store.stats() if method == "stats" else getattr(store, method)(argument)


@pytest.mark.parametrize("seed", seeds(1, 3))
def test_both_languages_write_and_read_one_file_in_turn(tmp_path, ruby, seed):
    source = random.Random(seed)
    memory = MemoryDocStore()
    with SqliteDocStore(tmp_path / "index.hsx", synchronous="normal") as store:
        for step in range(20):
            stored = [identifier for identifier, _ in memory.rank([])]
            method, argument = random_stores.change(source, stored)
            expected = getattr(memory, method)(argument)
            assert (ruby(method, argument) if step % 2 else ask(store, method, argument)) == expected
            if step == 5:
                store.keep_vector_model("q_2_vec", "a model")
                memory.keep_vector_model("q_2_vec", "a model")
            chosen = random_stores.filters(source)
            questions = [
                ("stats", None),
                ("text", {"words": source.choices(random_stores.WORDS, k=source.randrange(1, 3)), "filters": chosen}),
                ("dense", {"vector": [source.random(), 0.5], "filters": chosen}),
                *(("get", identifier) for identifier in stored[:3]),
            ]
            for question in questions:
                answer = random_stores.exact(ask(memory, *question))
                assert random_stores.exact(ask(store, *question)) == answer
                assert random_stores.exact(ruby(*question)) == answer

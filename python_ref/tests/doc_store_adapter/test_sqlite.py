"""A store in a file returns the bits of one in memory, after any changes."""

import asyncio
import os
import random
import sqlite3

import pytest

from hybrid_search.async_index import AsyncIndex
from hybrid_search.base.kernels import INCLUDED
from hybrid_search.doc_store_adapter.documents import stored_json
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.embedding.hashing import HashingEmbedder
from hybrid_search.errors import DocStoreError, InvalidInputError
from hybrid_search.index import Index
from hybrid_search.query_builder.expressions import MatchDenseExpr, MatchTextExpr
from hybrid_search.query_builder.tree import Phrase, Term
from python_ref.tests.doc_store_adapter import random_stores
from python_ref.tests.rounds import seeds

CONTENTS = ("documents", "texts", "terms", "postings", "frequencies", "vectors", "sketches")


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "index.hsx")


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("kernels", INCLUDED)
@pytest.mark.parametrize("seed", seeds(2, 4))
def test_results_equal_those_of_memory(path, kernels, seed):
    source = random.Random(seed)
    bm25 = source.choice(["okapi", "lucene"])
    memory = MemoryDocStore(bm25)
    with SqliteDocStore(path, bm25, kernels, synchronous="normal", memory=source.choice([0, 1])) as store:
        random_stores.hold_alike(store, memory, source, batches=14)
        store.delete([identifier for identifier, _ in memory.rank([])])
        assert_empty(path)


def assert_empty(path):
    with sqlite3.connect(path) as database:
        assert {
            name: database.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in CONTENTS
        } == dict.fromkeys(CONTENTS, 0)
        assert database.execute("SELECT total(documents), total(tokens) FROM fields").fetchone() == (0, 0)


def test_values_are_returned_unchanged(path):
    values = [
        2**64,
        -(2**63),
        10**4999,
        -(10**20000),
        5e-324,
        1.7976931348623157e308,
        -0.0,
        1.0,
        1,
        True,
        None,
        "\0",
        "",
    ]
    document = {"id": "\0", "z": values, "metadata": {"\0": {"\0\0": 1}, "a": {}}, "b_flt": 0.1, "a": "太\0é\u2028"}
    with SqliteDocStore(path) as store:
        store.insert([document])
    with SqliteDocStore(path) as store:
        assert random_stores.exact(store.get("\0")) == random_stores.exact(document)


@pytest.mark.parametrize(
    "value", [{"\0": 1}, {"\0\0": {"\0": 2**20000}}, ["\0", {"a\0": "\0"}], 2**10000, 2**10000 - 1]
)
def test_the_encoding_of_large_integers_is_distinguished_from_values_that_look_like_it(value):
    assert stored_json.read(stored_json.write(value)) == value


def test_vectors_are_stored_with_as_many_bits_as_they_need(path):
    with SqliteDocStore(path) as store:
        store.insert([{"id": "a", "q_2_vec": [0.5, -0.0], "q_3_vec": [0.1, 1e100, 5e-324]}])
        assert random_stores.exact(store.get("a")["q_3_vec"]) == random_stores.exact([0.1, 1e100, 5e-324])
        assert random_stores.exact(store.get("a")["q_2_vec"]) == random_stores.exact([0.5, -0.0])
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT length(content) FROM vectors ORDER BY vector").fetchall() == [(16,), (32,)]


def test_numbers_of_removed_documents_are_reused(path):
    with SqliteDocStore(path) as store:
        for _ in range(5):
            store.insert([{"id": f"{place}", "content_ltks": "x y"} for place in range(20)])
            store.delete([f"{place}" for place in range(20)])
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT numbers FROM state").fetchone() == (20,)


def test_a_question_reads_only_its_tokens_not_all_documents(path, monkeypatch):
    """Reads are counted: the shown documents, the ranked ids, and nothing for other tokens."""
    from hybrid_search.doc_store_adapter.sqlite.sqlite_connection import SqliteConnection

    with SqliteDocStore(path) as store:
        documents = [
            {
                "id": f"{place}",
                "content_ltks": f"w{place % 50} w{place}",
                "available_int": 1,
                "q_2_vec": [1.0, place / 500],
            }
            for place in range(500)
        ]
        store.insert(documents)
    read = []
    rows = SqliteConnection.rows

    def counted(self, statement, *values):
        found = rows(self, statement, *values)
        read.append(len(found))
        return found

    monkeypatch.setattr(SqliteConnection, "rows", counted)
    monkeypatch.setattr(
        SqliteConnection, "row", lambda self, statement, *values: next(iter(counted(self, statement, *values)), None)
    )
    with SqliteDocStore(path) as store:
        expr = MatchTextExpr((("content_ltks", 1.0),), Term("w7"), topn=5)
        assert store.search(match_exprs=[expr], filters={"available_int": 1}, limit=5).total == 5
        cold = sum(read)
        read.clear()
        store.search(match_exprs=[expr], filters={"available_int": 1}, limit=5)
        assert sum(read) < cold < 100
        read.clear()
        store.rank([MatchDenseExpr("q_2_vec", (1.0, 0.0), topn=5)])
        assert sum(read) < 100


def test_a_cached_state_is_used_only_for_its_generation(path):
    """Two stores use one file: the cache of one is not mistaken for what the other has written since."""
    exprs = [MatchTextExpr((("content_ltks", 1.0),), Phrase(("x", "y"), 1)), MatchDenseExpr("q_2_vec", (1.0, 0.5))]
    with SqliteDocStore(path) as one, SqliteDocStore(path) as other:
        memory = MemoryDocStore()
        for place in range(6):
            batch = [{"id": f"{place}", "content_ltks": "x z y" if place % 2 else "x y", "q_2_vec": [1.0, place / 5]}]
            (one if place % 2 else other).insert(batch)
            memory.insert(batch)
            for store in (one, other):
                assert [store.rank([expr]) for expr in exprs] == [memory.rank([expr]) for expr in exprs]
                assert store.rank([], {"id": {"gte": "2"}}) == memory.rank([], {"id": {"gte": "2"}})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bm26": "okapi"}, 'unknown option "bm26"; did you mean "bm25"?'),
        ({"bm25": "x"}, 'bm25 must be one of okapi, lucene, not "x"'),
        ({"timeout": -1}, "timeout must be a finite number from 0 to 86400.0, not -1"),
        ({"synchronous": "off"}, 'synchronous must be one of full, normal, not "off"'),
        ({"memory": 1.5}, "memory must be an integer of at least 0, not 1.5"),
        ({"read_only": 1}, "read_only must be true or false, not 1"),
    ],
)
def test_options_are_checked(path, options, message):
    with pytest.raises(InvalidInputError, match=f"^{message.replace('?', '[?]')}"):
        SqliteDocStore(path, **options)


@pytest.mark.parametrize("path", [1, "", "a\0b", b"x"])
def test_a_path_must_be_text(path):
    with pytest.raises(InvalidInputError, match=r"^path must be "):
        SqliteDocStore(path)


def test_an_index_opens_a_file_and_closes_it(path):
    record = {"id": "1", "content": "Rule 6-2-1: no assignment in sub-expressions"}
    with Index.open(path, vector_similarity_weight=0) as index:
        index.add([record])
        expected = index.search("assignment").hits
    with pytest.raises(DocStoreError, match=r"index\.hsx\" is closed$"):
        index.count()
    index = Index(path=path, vector_similarity_weight=0)
    assert index.search("assignment").hits == expected
    index.close()
    with pytest.raises(InvalidInputError, match=r"^store and path exclude each other$"):
        Index(path=path, store=MemoryDocStore())
    Index().close()
    with SqliteDocStore(path) as store:
        Index(store=store).close()
        assert store.count() == 1


WRONG_OPTIONS = {
    "embedding": 1, "tokenizer": 1, "synonyms": 1, "term_weight": 1, "fields": 1, "title_weight": 2.0, "any_vectors": 1,
    "max_question_length": 0, "max_results": 0, "cursor_secret": "", "ranking_cache": 1,
    "kernels": "slow", "observer": 1, "limit": 0, "candidates": 0, "nonsense": 1,
}  # fmt: skip


@pytest.mark.parametrize("option", WRONG_OPTIONS)
def test_a_refused_option_leaves_no_file(path, option):
    with pytest.raises(InvalidInputError, match=option):
        Index(path=path, **{option: WRONG_OPTIONS[option]})
    with pytest.raises(InvalidInputError, match=option):
        AsyncIndex(path=path, **{option: WRONG_OPTIONS[option]})
    assert not os.path.exists(path)


def test_a_file_with_vectors_of_another_model_is_closed(path):
    def embedding(model):
        return Embedding(HashingEmbedder(8), model=model)

    with Index(path=path, embedding=embedding("one")) as index:
        index.add([{"id": "1", "content": "assignment"}])
    with pytest.raises(InvalidInputError, match=r"^the vectors of q_8_vec were made by the model ") as refused:
        Index(path=path, embedding=embedding("other"))
    assert os.listdir(os.path.dirname(path)) == ["index.hsx"], refused  # closing removes SQLite's own files


def test_an_index_for_asyncio_closes_its_file(path):
    async def run():
        async with AsyncIndex(path=path, vector_similarity_weight=0) as index:
            await index.add([{"id": "1", "content": "assignment"}])
            assert (await index.search("assignment")).total == 1
        with pytest.raises(DocStoreError, match=r" is closed$"):
            await index.count()

    asyncio.run(run())


def test_ordering_and_counting_read_only_the_values(path, monkeypatch):
    """Reads are counted: of the texts, only those of the shown documents."""
    from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteTables

    memory = MemoryDocStore()
    batch = [
        {
            "id": f"{place:03}",
            "title_tks": f"w{place % 3}",
            "metadata": {"n": [place % 7, "x"] if place % 5 else {"no": "value"}, "z": [[place]]},
            "docnm_kwd": f"d{place % 4}",
        }
        for place in range(200)
    ]
    wanted = {"order_by": [["metadata.n", "desc"], ["docnm_kwd", "asc"]], "limit": 9, "offset": 30}
    counted = ["metadata.n", "metadata.z", "docnm_kwd", "nothing"]
    read = []
    fields_of = SqliteTables.fields_of
    monkeypatch.setattr(
        SqliteTables, "fields_of", lambda self, numbers: read.append(len(numbers)) or fields_of(self, numbers)
    )
    with SqliteDocStore(path) as store:
        for one in (store, memory):
            one.insert(batch)
        found = store.search(**wanted, agg_fields=counted)
        assert random_stores.told(found) == random_stores.told(memory.search(**wanted, agg_fields=counted))
        assert sum(read) == 9
        assert store.search(order_by=[["title_tks", "asc"]]).ids == memory.search(order_by=[["title_tks", "asc"]]).ids

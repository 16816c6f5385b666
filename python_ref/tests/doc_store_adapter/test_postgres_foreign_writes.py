"""The reads of a question after another program has written, and its cache (PG-5)."""

import random

import pytest
from psycopg import connect, sql

from hybrid_search import HashingEmbedder
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.doc_store_adapter.postgres.postgres_connection import PostgresConnection
from hybrid_search.errors import DocStoreError
from hybrid_search.index import Index
from hybrid_search.query_builder.expressions import MatchDenseExpr, MatchTextExpr
from hybrid_search.query_builder.tree import AnyOf, Phrase, Term

pytestmark = pytest.mark.engines

WORDS = ["solar", "wind", "power", "roof", "heat", "pump", "panel", "tariff", "grid", "storage"]
FILTERS = ({}, {"kb_id": "k1"}, {"kb_id": ["k0", "k2"], "available_int": 1})


@pytest.fixture
def read(monkeypatch):
    """The number of rows and bytes received for each statement since the last reset."""
    seen = []
    rows_of, together = PostgresConnection.rows_of, PostgresConnection.together

    def watched_together(self, *questions):
        answers = together(self, *questions)
        seen.extend((question[0], len(rows), 0) for question, rows in zip(questions, answers, strict=True))
        return answers

    def watched(self, text, values):
        rows = rows_of(self, text, values)
        sizes = [len(value) for row in rows for value in row if isinstance(value, bytes)]
        seen.append((text, len(rows), sum(sizes)))  # whole numbers
        return rows

    monkeypatch.setattr(PostgresConnection, "rows_of", watched)
    monkeypatch.setattr(PostgresConnection, "together", watched_together)
    return seen


def record(number, source):
    content = " ".join(source.choices(WORDS, k=source.randint(0, 9)))
    return {
        "id": f"d{number}",
        "title": source.choice(WORDS),
        "content": f"{content} n{number}",
        "kb_id": f"k{number % 3}",
    }


def rare(number, size):
    """A document of a collection in which each token is in eight documents, and half pass a filter."""
    return {
        "id": f"d{number}",
        "content_ltks": f"t{number % (size // 8)} u{number % (size // 8)}",
        "title_tks": f"t{number % (size // 8)}",
        "kb_id": f"k{number % 2}",
        "q_2_vec": [1.0, number + 0.5],
    }


def test_a_question_repeated_after_a_foreign_write_reads_only_the_written_document_and_its_page(collections, read):
    store = collections.make()
    store.insert([rare(number, 256) for number in range(256)])
    index = Index(store=store, embedding=lambda texts: [[1.0, 8.0]] * len(texts))
    assert index.search("t3 u5", filters={"kb_id": "k1"}, limit=4).total == 128
    collections.beside(store).upsert([{**rare(3, 256), "id": "new"}])
    read.clear()
    assert index.search("t3 u5", filters={"kb_id": "k1"}, limit=4).total == 129
    assert not [text for text, _, _ in read if ".terms" in text or "<=>" in text]
    assert sum(rows for text, rows, _ in read if '".documents' in text) == 1 + 4  # whole numbers


@pytest.mark.parametrize("similarity", [None, 0.5])
@pytest.mark.parametrize("allowed", [{}, {"kb_id": "k1"}])
def test_the_nearest_documents_after_foreign_writes_equal_those_of_memory(collections, similarity, allowed):
    source = random.Random(6)
    store, memory = collections.make(), MemoryDocStore()
    other = collections.beside(store)

    def near(number):
        vector = [source.choice([0.0, 1.0, 2.0, source.uniform(-2.0, 2.0)]) for _ in range(3)]
        given = {"q_3_vec": vector} if any(vector) and source.random() < 0.9 else {}
        return {"id": f"d{number}", "kb_id": f"k{source.randrange(2)}", **given}

    documents = [near(number) for number in range(200)]
    options = {"similarity": similarity} if similarity else {}
    query = MatchDenseExpr("q_3_vec", (1.0, 0.5, 0.25), topn=5, extra_options=options)
    for one in (other, memory):
        one.insert(documents)
    for _ in range(60):
        best = [identifier for identifier, _ in memory.rank([query], allowed)]
        gone = source.sample(best, min(len(best), source.randrange(4)))
        changed = [near(source.randrange(200)) for _ in range(source.randrange(3))]
        for one in (other, memory):
            one.delete(gone)
            one.upsert(list({document["id"]: document for document in changed}.values()))
        assert store.rank([query], allowed) == memory.rank([query], allowed)


def test_phrases_after_foreign_writes_match_as_in_memory(collections):
    source = random.Random(7)
    store, memory = collections.make(), MemoryDocStore()
    other = collections.beside(store)
    phrases = [Phrase(("solar", "roof"), 2), Phrase(("wind", "wind"), 3), Phrase(("heat", "pump"), 0), Term("grid")]
    query = MatchTextExpr((("content_ltks", 1.5), ("title_tks", 1.0)), AnyOf(tuple(phrases)), topn=30)
    for turn in range(40):
        fresh = [
            {
                "id": f"d{source.randrange(40)}",
                "content_ltks": " ".join(source.choices(WORDS[:6], k=source.randrange(12))),
                "title_tks": " ".join(source.choices(WORDS[:9], k=3)),
            }
            for _ in range(1 + 30 * (turn == 0))
        ]
        gone = [f"d{source.randrange(40)}"] * source.randrange(2)
        for one in (other, memory):
            one.delete(gone)
            one.upsert(list({document["id"]: document for document in fresh}.values()))
        assert store.rank([query]) == memory.rank([query])


@pytest.mark.parametrize("filters", [{}, pytest.param({"kb_id": "k1"}, marks=pytest.mark.nightly)])
def test_a_question_after_a_foreign_write_reads_no_more_in_a_larger_collection(collections, read, filters):
    amounts = []
    for size in (1024, 8 * 1024):
        store = collections.make()
        store.insert([rare(number, size) for number in range(size)])
        index = Index(store=store)
        index.search("t3 u5", filters=filters)
        collections.beside(store).insert([{**rare(1, size), "id": "new"}])
        read.clear()
        assert index.search("t3 u5", filters=filters).total == 16
        amounts.append((len(read), sum(rows for _, rows, _ in read)))  # whole numbers
    assert amounts[0] == amounts[1]


@pytest.mark.parametrize("turns", [8, pytest.param(25, marks=pytest.mark.nightly)])
def test_the_cache_equals_the_stored_documents_after_foreign_writes(collections, turns):
    source = random.Random(3)
    store, memory = collections.make(), MemoryDocStore()
    other = collections.beside(store)
    embedding = HashingEmbedder(dimension=16)
    indexes = [Index(store=one, embedding=embedding) for one in (store, memory)]
    writers = [Index(store=one, embedding=embedding) for one in (other, memory)]
    records = [record(number, source) for number in range(60)]
    for writer in writers:
        writer.add(records)
    for turn in range(turns):
        gone = [f"d{source.randrange(60 + turn)}" for _ in range(source.randrange(3))]
        fresh = [record(source.randrange(60 + turn), source) for _ in range(source.randrange(3))]
        for writer in writers:
            writer.delete(gone)
            writer.upsert(fresh)
        for question in ("solar roof heat", "wind n7 tariff"):
            for filters in FILTERS:
                pages = [index.search(question, filters=filters) for index in indexes]
                first, second = ([(hit.id, hit.score) for hit in page.hits] for page in pages)
                assert first == second


def test_without_memory_nothing_is_cached_and_the_results_are_the_same(collections):
    source = random.Random(4)
    documents = [record(number, source) for number in range(50)]
    stores = [collections.make(memory=0), MemoryDocStore()]
    for store in stores:
        Index(store=store).add(documents)
    for question in ("solar roof", "solar roof", "heat n3"):
        first, second = ([(hit.id, hit.score) for hit in Index(store=store).search(question).hits] for store in stores)
        assert first == second


def test_a_collection_of_the_previous_version_is_converted_when_it_is_opened(collections):
    source = random.Random(5)
    documents = [*(record(number, source) for number in range(40)), {"id": "empty", "content": "", "title": ""}]
    store, memory = collections.make(), MemoryDocStore()
    for one in (store, memory):
        Index(store=one).add(documents)
    name = sql.Identifier
    counted = sql.SQL("select field, filled from {} order by field").format(name(store.collection, "fields"))
    with connect(collections.url, autocommit=True) as connection:
        before = connection.execute(counted).fetchall()
        for statement in ("drop table {}.changes", "alter table {}.fields drop column filled"):
            connection.execute(sql.SQL(statement).format(name(store.collection)))
        connection.execute(sql.SQL("update {} set version = 2").format(name(store.collection, "meta")))
        with pytest.raises(DocStoreError, match=r"reads 3; `hybrid-search postgres migrate` converts it$"):
            collections.beside(store, migrate=False)
        converted = collections.beside(store)
        assert connection.execute(counted).fetchall() == before
    for one in (converted, memory):
        Index(store=one).add([{"id": "later", "content": "solar heat"}])
    first, second = (
        [(hit.id, hit.score) for hit in Index(store=one).search("solar roof").hits] for one in (converted, memory)
    )
    assert first == second

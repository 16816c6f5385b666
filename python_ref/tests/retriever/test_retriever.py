"""The retriever: checks that fixtures cannot make because they contain one call at a time."""

import threading

import pytest

from hybrid_search import (
    HashingEmbedder,
    Index,
    InvalidInputError,
    MemoryDocStore,
    QueryBuilder,
    RerankError,
    Retriever,
)
from hybrid_search.retriever.window import Window

EMBEDDER = HashingEmbedder(dimension=64)
RECORDS = [
    {"id": f"{number:03d}", "content": f"rule {number % 7}-{number % 3}-{number} about assignment and loops"}
    for number in range(150)
]


def filled(records):
    index = Index(embedding=EMBEDDER)
    index.add(records)
    return Retriever(index.store, QueryBuilder(), EMBEDDER, full_pages=True, similarity_threshold=0.0)


@pytest.fixture(scope="module")
def retriever():
    return filled(RECORDS)


@pytest.mark.parametrize("page_size", [1, 5, 7, 10, 30, 50, 64])
def test_joined_pages_show_every_candidate_once(retriever, page_size):
    pages = list(retriever.each_page("rule 6-2-1 assignment", page_size=page_size))
    shown = [chunk.chunk_id for page in pages for chunk in page.chunks]
    assert len(shown) == pages[-1].total == 150
    assert len(set(shown)) == 150
    assert [page.page for page in pages] == list(range(1, len(pages) + 1))
    third = retriever.retrieve("rule 6-2-1 assignment", page_size=page_size, page=3)
    assert third.chunks == pages[2].chunks


@pytest.mark.parametrize("page_size", range(1, 130))
def test_a_window_is_a_whole_number_of_pages(page_size):
    for top in (1, 30, 64, 1000):
        for with_model in (False, True):
            window = Window.length(page_size, top, with_model)
            assert page_size <= window
            assert window % page_size == 0


def test_the_order_of_insertion_does_not_matter(retriever):
    other = filled(reversed(RECORDS))
    question = "rule 6-2-1 loops"
    assert other.retrieve(question, page_size=50).chunks == retriever.retrieve(question, page_size=50).chunks


def test_explained_similarities_can_be_recomputed(retriever):
    result = retriever.retrieve("rule 6-2-1 assignment", explain=True, page_size=20)
    explained = result.explain
    for chunk, parts in zip(result.chunks, explained["chunks"], strict=True):
        assert parts["formula"].startswith("vtweight * vector_similarity")
        again = explained["vtweight"] * parts["vector_similarity"] + explained["tkweight"] * parts["term_similarity"]
        assert again + parts["rank_feature"] == chunk.similarity


def test_timings_are_reported_in_milliseconds(retriever):
    timings = retriever.retrieve("rule").timings
    assert timings["total"] >= timings["recall"] > 0.0
    assert set(timings) == {"recall", "rerank", "total"}


def test_the_model_receives_the_question_as_typed_and_one_text_per_document(retriever):
    seen = []

    def model(query, texts):
        seen.append((query, len(texts)))
        return [0.5] * len(texts)

    result = retriever.retrieve("Rule 6-2-1 ？", rerank_model=model, page_size=10)
    assert seen == [("Rule 6-2-1 ？", 70)]
    assert all(chunk.vector_similarity == 0.5 for chunk in result.chunks)


def test_a_failing_model_is_a_warning_or_an_error(retriever):
    def model(query, texts):
        raise RuntimeError("gone")

    assert retriever.retrieve("rule", rerank_model=model).warnings
    with pytest.raises(RerankError, match="gone"):
        retriever.retrieve("rule", rerank_model=model, fail_open=False)


def test_several_threads_get_the_same_results(retriever):
    questions = [f"rule {number}" for number in range(8)]
    expected = [retriever.retrieve(question).chunks for question in questions]
    found = {}

    def work(place):
        for _ in range(3):
            found[place] = retriever.retrieve(questions[place]).chunks

    threads = [threading.Thread(target=work, args=(place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[place] for place in range(8)] == expected


def test_unknown_options_are_refused_with_the_nearest_name(retriever):
    with pytest.raises(InvalidInputError, match='did you mean "page_size"'):
        retriever.retrieve("rule", pagesize=3)
    with pytest.raises(InvalidInputError, match='unknown option "top_k"'):
        Retriever(MemoryDocStore(), QueryBuilder(), top_k=3)


def test_records_may_be_a_stream():
    index = Index()
    told = []
    assert (
        index.add(
            ({"id": str(number), "content": "x"} for number in range(5)),
            batch_size=2,
            progress=lambda *at: told.append(at),
        )
        == 5
    )
    assert told == [(2, -1), (4, -1), (5, -1)]

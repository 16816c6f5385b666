"""Full pages: checks that fixtures cannot make because they contain only results (RET-7)."""

import pytest

from hybrid_search import Index, MemoryDocStore, QueryBuilder, Retriever

QUESTION = "red"
FUSED = {"profile": "balanced", "similarity_threshold": 0.0}
SIZE = 200


class WatchedStore(MemoryDocStore):
    """Counts its searches, and runs a function before one of them."""

    def __init__(self):
        super().__init__()
        self.searches = []
        self.before = {}

    def search(self, *args, **options):
        self.before.pop(len(self.searches), lambda: None)()
        self.searches.append((options["offset"], options["limit"]))
        return super().search(*args, **options)


class WatchedEmbedder:
    """Every third text is near to the question, the others are not."""

    def __init__(self):
        self.asked = 0

    def encode_queries(self, text):
        self.asked += 1
        return [1.0, 0.0]


@pytest.fixture
def store():
    return WatchedStore()


@pytest.fixture
def embedder():
    return WatchedEmbedder()


def _retriever(store, embedder, near=lambda number: number % 3 == 0, **options):
    weighed = {"full_pages": True, "vector_similarity_weight": 1.0, "similarity_threshold": 0.5}
    Index(store=store, embedding=embedder).add(
        {"id": f"{number:03}", "content": "red", "vector": [1.0, number / 1000] if near(number) else [0.1, 1.0]}
        for number in range(SIZE)
    )
    return Retriever(store, QueryBuilder(), embedder, **{**weighed, **options})


def _ids(pages):
    return [chunk.chunk_id for page in pages for chunk in page.chunks]


def test_a_page_filled_by_its_first_block_costs_one_search(store, embedder):
    page = _retriever(store, embedder, near=lambda number: True).retrieve(QUESTION, page_size=10, **FUSED)
    assert len(page.chunks) == 10
    assert store.searches == [(0, 70)]
    assert (page.total, page.total_is_lower_bound, page.total_is_upper_bound) == (SIZE, False, False)
    assert embedder.asked == 1


def test_a_page_that_needs_more_blocks_costs_one_more_search(store, embedder):
    page = _retriever(store, embedder, near=lambda number: True).retrieve(QUESTION, page=9, page_size=10, **FUSED)
    assert len(page.chunks) == 10
    assert store.searches == [(0, 70), (0, 1024)]
    assert embedder.asked == 1


def test_candidates_that_a_threshold_may_exclude_are_ranked_in_one_search(store, embedder):
    page = _retriever(store, embedder, near=lambda number: number % 20 == 0).retrieve(QUESTION, page_size=10)
    assert len(page.chunks) == page.total == 10
    assert store.searches == [(0, 1024)]
    assert embedder.asked == 1


def test_a_walk_costs_one_search(store, embedder):
    pages = list(_retriever(store, embedder).each_page(QUESTION, page_size=10))
    assert [len(page.chunks) for page in pages] == [10] * 6 + [7]
    assert store.searches == [(0, 1024)]
    assert embedder.asked == 1


def test_documents_are_counted_once_for_each_ranked_block_not_for_each_page(store, embedder):
    pages = list(_retriever(store, embedder, near=lambda number: True).each_page(QUESTION, page_size=1, **FUSED))
    assert len(pages) == SIZE
    assert len({id(page.doc_aggs) for page in pages}) == -(-SIZE // 30)


@pytest.mark.parametrize("page_size", [1, 3, 10, 64])
@pytest.mark.parametrize("exact_total", [False, True])
def test_a_walk_returns_the_pages_one_by_one(store, embedder, page_size, exact_total):
    retriever = _retriever(store, embedder, near=lambda number: number % 13 == 0)
    walked = list(retriever.each_page(QUESTION, page_size=page_size, exact_total=exact_total))
    for page in walked:
        single = retriever.retrieve(QUESTION, page_size=page_size, page=page.page, exact_total=exact_total)
        wanted, given = page.to_dict(), single.to_dict()
        assert wanted.pop("timings").keys() == given.pop("timings").keys()
        assert given == wanted
    assert len(set(_ids(walked))) == walked[-1].total == 16
    assert not walked[-1].total_is_lower_bound
    assert all(len(page.chunks) == page_size for page in walked[:-1])


def test_a_model_scores_no_more_blocks_than_the_page_needs(store, embedder):
    asked = []

    def model(query, texts):
        asked.append(len(texts))
        return [1.0] * len(texts)

    retriever = _retriever(store, embedder, rerank_model=model)
    page = retriever.retrieve(QUESTION, page_size=10)
    assert (page.total, page.total_is_lower_bound, page.total_is_upper_bound) == (SIZE, False, True)
    assert page.to_dict()["total_is_upper_bound"] is True
    assert asked == [70]
    exact = retriever.retrieve(QUESTION, page_size=10, exact_total=True)
    assert (exact.total, exact.pages, exact.total_is_upper_bound) == (SIZE, 20, False)
    assert "total_is_upper_bound" not in exact.to_dict()
    assert asked == [70, 70, 70, 60]


def test_a_page_repeats_nothing_when_the_store_changes_between_its_searches(store, embedder):
    retriever = _retriever(store, embedder)
    before = _ids([retriever.retrieve(QUESTION, page_size=100, **FUSED)])
    store.searches.clear()
    more = [{"id": "!", "content": "red", "vector": [1.0, 0.0]}]
    store.before = {1: lambda: Index(store=store, embedding=embedder).add(more)}
    shown = _ids([retriever.retrieve(QUESTION, page_size=100, **FUSED)])
    assert store.searches == [(0, 100), (0, 1024)]
    assert sorted(shown) == sorted(["!", *before[:99]])


TOTALS = [
    FUSED,
    {"profile": "balanced", "similarity_threshold": 0.3},
    {**FUSED, "topk": 100},
    {**FUSED, "profile": "dify"},
    {**FUSED, "profile": "dify", "fusion": "weighted_sum"},
    {"profile": "ragflow"},
    {"profile": "ragflow", "vector_similarity_weight": 0.0},
    {"profile": "ragflow", "order_by": [["id", "asc"]]},
    {"profile": "ragflow", "rerank_model": lambda query, texts: [0.9] * len(texts)},
    {**FUSED, "rerank_model": lambda query, texts: [-0.9] * len(texts)},
]


@pytest.mark.parametrize("options", TOTALS, ids=str)
def test_totals_pages_and_facets_are_the_same_on_every_page(store, embedder, options):
    retriever = _retriever(store, embedder)
    asked = {"page_size": 10, "facets": ["doc_id"], "facet_limit": 1000, **options}
    pages = list(retriever.each_page(QUESTION, **asked))
    told = {(page.total, page.pages, page.total_is_lower_bound, page.total_is_upper_bound) for page in pages}
    assert len(told) == 1
    ((total, count, is_lower, is_upper),) = told
    assert is_lower == (options.get("topk") == 100)
    assert is_upper == ("rerank_model" in options and options["profile"] == "ragflow")
    assert len(_ids(pages)) == total
    assert len(pages) == count
    for page in pages:
        assert sum(entry["count"] for entry in page.facets["doc_id"]) == total
    single = retriever.retrieve(QUESTION, **{**asked, "page": count})
    assert {(single.total, single.pages, single.total_is_lower_bound, single.total_is_upper_bound)} == told
    assert single.facets == pages[0].facets


def test_windows_are_returned_if_full_pages_are_turned_off(store, embedder):
    retriever = _retriever(store, embedder, near=lambda number: number % 20 == 0, full_pages=False)
    page = retriever.retrieve(QUESTION, page_size=10, page=2)
    assert page.chunks == ()
    assert page.has_more
    assert "pages" not in page.to_dict()
    assert not retriever.retrieve(QUESTION, page_size=10, page=1, full_pages=True).has_more


def test_everything_is_read_block_by_block(store, embedder):
    pages = list(_retriever(store, embedder).each_page(match_all=True, page_size=7))
    assert [len(page.chunks) for page in pages] == [7] * 28 + [4]
    assert {page.total for page in pages} == {SIZE}
    assert store.searches == [(0, 70), (70, 70), (140, 70)]

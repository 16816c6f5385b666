"""Pages of a search (CUR-1 … CUR-4, CUR-7): checks that cases cannot make, or not for every course of events."""

import asyncio
import threading
import traceback
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybrid_search import AsyncIndex, Index, InvalidInputError, MemoryDocStore, RankingCache
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.errors import DocStoreError, InvalidCursorError
from hybrid_search.text.tokenizer import Tokenizer
from python_ref.tests.rounds import examples

TOKENIZER = Tokenizer()
WORDS = ("red", "wine", "cheese", "door")
SECRET = "a secret that must stay one"


class CountingStore(MemoryDocStore):
    """A memory store that records the number of documents that each search returned."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[int] = []

    def search(self, *arguments: Any, **options: Any) -> SearchResult:
        found = super().search(*arguments, **options)
        self.given.append(len(found.ids))
        return found


def record(number: int) -> dict[str, Any]:
    """One of the documents: many have equal scores."""
    words = [word for place, word in enumerate(WORDS) if number >> place & 1]
    return {
        "id": f"{number * 37 % 97:02}-{number}",
        "content": " ".join(["red", *words]),
        "metadata": {"n": number % 5},
    }


def filled(count: int, **options: Any) -> Index:
    index = Index(profile="ragflow", tokenizer=TOKENIZER, min_score=0.0, **options)
    index.add([record(number) for number in range(count)])
    return index


def walk(index: Index, question: str = "red wine", **options: Any) -> list[list[str]]:
    pages, cursor = [], None
    while True:
        page = index.search(question, cursor=cursor, **options)
        pages.append([hit.id for hit in page])
        cursor = page.next_cursor
        if cursor is None:
            return pages


COURSES = st.lists(
    st.tuples(
        st.integers(min_value=1, max_value=5),
        st.lists(st.integers(min_value=0, max_value=39), max_size=4),
        st.lists(st.integers(min_value=40, max_value=79), max_size=4),
    ),
    min_size=1,
    max_size=8,
)
ASKED = (
    {"question": "red wine"},
    {"question": "red wine", "order_by": [["metadata.n", "desc"]]},
    {"match_all": True},
    {"match_all": True, "order_by": [["metadata.n", "asc"]]},
)


@pytest.mark.parametrize("asked", ASKED, ids=("question", "question, ordered", "all", "all, ordered"))
@settings(max_examples=examples(10, 25), deadline=None)
@given(course=COURSES)
def test_documents_that_stay_are_shown_once_while_others_are_added_and_removed(asked, course):
    index = filled(40)
    staying = {record(number)["id"] for number in range(40)}
    shown: list[str] = []
    added: set[int] = set()
    cursor = None
    for limit, gone, new in course:
        page = index.search(**asked, limit=limit, cursor=cursor)
        shown += [hit.id for hit in page]
        cursor = page.next_cursor
        if cursor is None:
            break
        names = [record(number)["id"] for number in gone]
        index.delete(names)
        staying -= set(names)
        fresh = sorted(set(new) - added)
        added |= set(fresh)
        index.add([record(number) for number in fresh])
    if cursor is not None:
        shown += [hit.id for hit in index.each(**asked, cursor=cursor)]
    assert len(shown) == len(set(shown))
    assert staying <= set(shown)


def test_every_limit_walks_through_the_same_order():
    index = filled(64)
    everything = [hit.id for hit in index.each("red wine")]
    assert len(everything) == 64
    for limit in (1, 3, 10, 64, 100):
        pages = walk(index, limit=limit)
        assert [one for page in pages for one in page] == everything
        assert all(len(page) == limit for page in pages[:-1])


@pytest.mark.parametrize("wrong", ["", b"", 5, ["x"], bytearray(b"x")])
def test_a_secret_is_bytes_or_text_and_no_error_shows_it(wrong):
    with pytest.raises(InvalidInputError, match=r"^cursor_secret must be bytes or a text, not empty$"):
        Index(tokenizer=TOKENIZER, cursor_secret=wrong)


def test_a_secret_as_bytes_or_text_signs_alike_and_is_never_printed():
    index = filled(8, cursor_secret=SECRET)
    other = filled(8, cursor_secret=SECRET.encode())
    cursor = index.search("red", limit=1).next_cursor
    assert other.search("red", limit=1, cursor=cursor).page == 2
    with pytest.raises(InvalidCursorError) as caught:
        filled(8, cursor_secret="another").search("red", limit=1, cursor=cursor)
    told = "".join(traceback.format_exception(caught.value))
    assert "wrong check value" in told
    for one in (index, index._searcher, index._searcher._settings, index._searcher._settings.codec):
        told += repr(one) + str(one)
    assert SECRET not in told
    assert "another'" not in told


def test_the_budget_is_ranked_once_a_page_and_with_a_cache_once_a_walk():
    for cache, searches in ((None, 4), (RankingCache(), 1)):
        store = CountingStore()
        index = filled(40, store=store, ranking_cache=cache)
        assert len(walk(index, limit=10)) == 4
        assert store.given == [40] * searches


class Lengths:
    """A rerank model that counts its calls."""

    def __init__(self):
        self.asked = 0

    def score(self, _question, texts):
        self.asked += 1
        return [1.0 / len(text) for text in texts]


def test_a_cached_ranking_is_used_only_for_the_same_model():
    cache = RankingCache()
    index = filled(20, ranking_cache=cache)
    models = [Lengths(), Lengths()]
    for model in models:
        cursor = None
        for _ in range(4):
            cursor = index.search("red wine", limit=5, rerank_model=model.score, cursor=cursor).next_cursor
    assert [model.asked for model in models] == [1, 1]
    assert (cache.misses, cache.hits, cache.size) == (2, 6, 2)


def test_a_walk_over_everything_reads_a_page_at_a_time():
    store = CountingStore()
    index = filled(60, store=store)
    assert len(walk(index, "", match_all=True, limit=7)) == 9
    assert len(store.given) == 9
    assert max(store.given) <= 9
    store.given.clear()
    assert len(list(index.each(match_all=True, limit=7))) == 60
    assert store.given == [60]


def test_the_position_in_a_changed_index_is_found_in_few_steps():
    store = CountingStore()
    index = filled(64, store=store)
    cursor = index.search(match_all=True, limit=40).next_cursor
    index.delete([record(number)["id"] for number in range(0, 64, 2)])
    store.given.clear()
    index.search(match_all=True, limit=5, cursor=cursor)
    assert len(store.given) <= 2 + 2 * 6


class RestlessStore(MemoryDocStore):
    """A memory store that changes after each search: one document is added at the front, or removed there."""

    def __init__(self) -> None:
        super().__init__()
        self.passing: list[str] = []
        self.coming = True

    def search(self, *arguments: Any, **options: Any) -> SearchResult:
        found = super().search(*arguments, **options)
        if self.coming:
            self.passing.append(f"!{len(self.passing):03}")
            self.insert([{"id": self.passing[-1], "metadata": {"n": 0}}])
        elif self.passing:
            self.delete([self.passing.pop()])
        return found


@pytest.mark.parametrize("order_by", [[], [["metadata.n", "asc"]]], ids=["by id", "ordered"])
@pytest.mark.parametrize("limit", [1, 3, 10])
def test_documents_that_stay_are_shown_once_while_the_index_changes_within_a_page(limit, order_by):
    store = RestlessStore()
    index = filled(40, store=store)
    staying = [hit.id for hit in index.search(match_all=True, order_by=order_by, limit=100).hits]
    shown: list[str] = []
    cursor = None
    while len(shown) < 200:
        page = index.search(match_all=True, order_by=order_by, limit=limit, cursor=cursor)
        shown += [hit.id for hit in page]
        cursor = page.next_cursor
        store.coming = len(shown) < 20
        if cursor is None:
            break
    assert [one for one in shown if not one.startswith("!")] == staying


def test_the_limit_and_the_number_of_candidates_are_capped():
    for options, shown in (({"max_results": 5}, 5), ({"max_results": 100, "candidates": 7}, 7), ({}, 40)):
        store = CountingStore()
        page = filled(40, store=store, **options).search("red wine", limit=50)
        assert store.given == [shown]
        assert (len(page), page.total, page.total_is_lower_bound) == (shown, shown, shown < 40)


def test_a_cache_is_shared_by_threads_and_indexes():
    cache = RankingCache(max_entries=3)
    indexes = [filled(20 + number, ranking_cache=cache) for number in range(4)]
    expected = [walk(index, limit=5) for index in indexes]
    wrong: list[Any] = []

    def work(place: int) -> None:
        for _ in range(5):
            if walk(indexes[place % 4], limit=5) != expected[place % 4]:
                wrong.append(place)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert cache.size <= 3
    cache.clear()
    assert (cache.size, cache.bytes) == (0, 0)


@pytest.mark.parametrize(
    ("name", "value"), [("max_entries", 0), ("max_bytes", 0), ("max_seconds", 0), ("max_seconds", "5"), ("entries", 1)]
)
def test_a_cache_refuses_invalid_bounds(name, value):
    with pytest.raises(InvalidInputError, match=name):
        RankingCache(**{name: value})


def test_a_ranking_cache_must_be_a_ranking_cache():
    with pytest.raises(InvalidInputError, match=r"^ranking_cache must be a RankingCache, not true$"):
        Index(tokenizer=TOKENIZER, ranking_cache=True)  # type: ignore[arg-type]


def test_a_generation_that_does_not_fit_a_cursor_is_refused():
    class OddStore(MemoryDocStore):
        @property
        def generation(self) -> Any:
            return 1.5

    with pytest.raises(DocStoreError, match=r"^the generation of the store must be an integer or a text, not 1\.5$"):
        Index(tokenizer=TOKENIZER, store=OddStore()).search("red")


def test_defaults_of_the_constructor_apply_to_the_methods_that_have_them():
    index = filled(40, limit=3, candidates=6)
    assert [len(page) for page in walk(index)] == [3, 3]
    with pytest.raises(InvalidInputError, match=r'^unknown option "cursor"'):
        Index(tokenizer=TOKENIZER, cursor="x")  # type: ignore[call-arg]


def test_an_asynchronous_walk_is_the_same_and_may_await_its_model():
    async def model(query: str, texts: list[str]) -> list[float]:
        await asyncio.sleep(0)
        return [len(text) / 100.0 for text in texts]

    async def walked() -> tuple[list[str], list[str]]:
        async with AsyncIndex(profile="ragflow", tokenizer=TOKENIZER, min_score=0.0, rerank_model=model) as index:
            await index.add([record(number) for number in range(30)])
            shown, cursor = [], None
            while True:
                page = await index.search("red wine", limit=8, cursor=cursor)
                shown += [hit.id for hit in page]
                cursor = page.next_cursor
                if cursor is None:
                    return shown, [hit.id async for hit in index.each("red wine")]

    shown, everything = asyncio.run(walked())
    plain = filled(30, rerank_model=lambda query, texts: [len(text) / 100.0 for text in texts])
    assert shown == everything == [hit.id for hit in plain.each("red wine")]


def test_each_reads_all_documents_and_logs_the_end_of_a_limited_question(caplog):
    index = Index(max_results=5)
    index.add({"id": f"{number:02}", "content": "red"} for number in range(12))
    assert len(list(index.each(match_all=True, limit=2))) == 12
    assert caplog.messages == []
    assert len(list(index.each("red", limit=2))) == 5
    assert len(list(index.each("red", candidates=4))) == 4
    assert caplog.messages == [
        "the hits end at 5 candidates; more may match",
        "the hits end at 4 candidates; more may match",
    ]


def test_a_page_reads_only_the_documents_that_it_shows():
    read: list[str] = []

    class Reading(MemoryDocStore):
        def get_many(self, identifiers: Any, vector_fields: Any = None) -> Any:
            read.extend(identifiers)
            return super().get_many(identifiers, vector_fields)

    index = filled(40, store=Reading(), ranking_cache=RankingCache())
    page = index.search("red wine", limit=3, page=2)
    assert read == [hit.id for hit in page]


def test_a_page_is_filled_if_documents_of_a_cached_ranking_were_removed():
    index = filled(40, ranking_cache=RankingCache())
    first = index.search("red wine", limit=5)
    following = [hit.id for hit in index.each("red wine", cursor=first.next_cursor)]
    index.delete(following[:7:2])
    page = index.search("red wine", limit=5, cursor=first.next_cursor)
    assert [hit.id for hit in page] == [one for one in following if one not in following[:7:2]][:5]
    assert page.index_changed

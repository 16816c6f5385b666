"""The index for asyncio has the results and errors of the synchronous one (ASY-2), which refuses to await (ASY-1)."""

import asyncio
import functools
import threading

import pytest

from hybrid_search import (
    AsyncIndex,
    Embedding,
    EmbeddingError,
    Index,
    InvalidInputError,
    RankingCache,
    RerankError,
    RetrievalService,
)
from python_ref.tests.async_index.support import (
    HASHING,
    QUESTIONS,
    RECORDS,
    AsyncEmbedder,
    Together,
    awaited_shares,
    embed,
    plain_index,
    shares,
)


@pytest.mark.parametrize(
    "provider",
    [embed, AsyncEmbedder(), HASHING, Embedding(HASHING), HASHING.encode, functools.partial(embed), lambda t: embed(t)],
    ids=["function", "methods", "plain object", "Embedding", "plain function", "partial", "returns a coroutine"],
)
def test_results_equal_those_of_index(provider):
    expected = plain_index()

    async def run():
        async with AsyncIndex(embedding=provider) as index:
            assert await index.add(RECORDS, batch_size=256) == len(RECORDS)
            assert await index.count() == len(RECORDS)
            assert await index.get("7") == expected.get("7")
            for question in QUESTIONS:
                got = await index.search(question, explain=True)
                assert got == expected.search(question, explain=True)
            pages = [hit async for hit in index.each("assignment reload", limit=30)]
            assert pages == list(expected.each("assignment reload", limit=30))
            assert len(pages) > 30
            assert await index.search_many(QUESTIONS) == expected.search_many(QUESTIONS)
            assert await index.similar("7") == expected.similar("7")
            assert await index.get_many(["7", "x"]) == expected.get_many(["7", "x"])
            assert await index.count(filters={"id": "7"}) == 1
            assert await index.exists("7")
            assert await index.delete(["7", "no such"]) == 1
            assert await index.delete(filters={"id": ["8"]}) == 1
            assert await index.get("7") is None

    asyncio.run(run())


@pytest.mark.parametrize("model", [awaited_shares, shares, lambda q, t: awaited_shares(q, t)])
def test_rerank_models_score_as_in_index(model):
    expected = plain_index().search("assignment reload", rerank_model=shares, explain=True)

    async def run():
        index = AsyncIndex(embedding=embed, rerank_model=model)
        await index.add(RECORDS)
        by_default = await index.search("assignment reload", explain=True)
        named = await AsyncIndex(embedding=embed, store=index.store).search(
            "assignment reload", rerank_model=model, explain=True
        )
        assert by_default == named == expected

    asyncio.run(run())


class Shares:
    """Models, as attributes of one object."""

    async def awaited(self, query, texts):
        return shares(query, texts)

    def similarity(self, query, texts):
        return shares(query, texts)


@pytest.mark.parametrize("named", ["function", "object", "method"])
def test_a_cached_ranking_is_used_as_long_as_the_model_is_the_same(named):
    models = Shares(), Shares()
    give = {
        "function": lambda place: (awaited_shares, shares)[place],
        "object": lambda place: models[place],
        "method": lambda place: models[place].awaited,
    }[named]

    async def run():
        cache = RankingCache()
        async with AsyncIndex(embedding=embed, ranking_cache=cache) as index:
            await index.add(RECORDS)
            page = await index.search("assignment reload", limit=5, rerank_model=give(0))
            for _ in range(3):
                page = await index.search("assignment reload", limit=5, rerank_model=give(0), cursor=page.next_cursor)
            assert (cache.misses, cache.hits, cache.size) == (1, 3, 1)
            await index.search("assignment reload", limit=5, rerank_model=give(1))
            assert (cache.misses, cache.hits, cache.size) == (2, 3, 2)

    asyncio.run(run())


CHANGES = [{"id": f"{place}", "content": f"changed {place}", "title": None} for place in range(0, 300, 7)]
REPLACED = [{"id": f"{place}", "content": f"replaced {place}"} for place in range(290, 310)]


def test_updates_and_upserts_behave_as_in_index():
    expected = plain_index()
    told = []

    async def stream():
        for record in REPLACED:
            yield record

    async def tell(done, total):
        told.append((done, total))

    async def run():
        index = AsyncIndex(embedding=embed)
        await index.add(RECORDS)
        assert await index.update(CHANGES, batch_size=20, progress=tell) == expected.update(CHANGES) == 43
        assert await index.upsert(stream(), batch_size=15) == expected.upsert(REPLACED) == 20
        for place in (0, 7, 8, 294, 309):
            assert await index.get(f"{place}") == expected.get(f"{place}")
        for question in ("changed 7", "replaced 309", *QUESTIONS):
            assert (await index.search(question)).hits == expected.search(question).hits
        with pytest.raises(InvalidInputError, match=r'^records\[1\]\.id "new" is not stored; use add or upsert$'):
            await index.update([{"id": "1"}, {"id": "new"}])

    asyncio.run(run())
    assert told == [(20, 43), (40, 43), (43, 43)]


def test_a_function_may_state_the_dimension_of_its_vectors():
    async def three(texts):
        return [[1.0, 0.5, 0.25] for _ in texts]

    three.dimension = 4
    with pytest.raises(EmbeddingError, match=r"must have 4 components, not 3"):
        asyncio.run(AsyncIndex(embedding=three).add(RECORDS[:1]))


def test_a_stream_is_read_only_as_far_as_records_are_stored():
    read, told = [], []

    async def stream():
        for record in RECORDS[:5]:
            read.append(record)
            yield record

    async def run():
        await AsyncIndex().add(stream(), batch_size=2, progress=lambda done, _total: told.append((done, len(read))))

    asyncio.run(run())
    assert told == [(2, 2), (4, 4), (5, 5)]


def test_records_may_be_an_asynchronous_stream():
    loop_thread = threading.current_thread()
    told = []

    async def records():
        for record in RECORDS:
            assert threading.current_thread() is loop_thread
            yield record

    async def tell(added, total):
        assert threading.current_thread() is loop_thread
        told.append((added, total))

    async def run():
        index = AsyncIndex(embedding=embed)
        assert await index.add(records(), batch_size=128, progress=tell) == 300
        assert told == [(128, -1), (256, -1), (300, -1)]
        assert await index.add([{"id": "new", "content": "x"}], progress=lambda *told_now: told.append(told_now)) == 1
        assert told[-1] == (1, 1)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Index(embedding=embed), "embedding is a coroutine function (async def)"),
        (lambda: Index(embedding=functools.partial(embed)), "embedding is a coroutine function (async def)"),
        (lambda: Index(embedding=Together(1)), "embedding is a coroutine function (async def)"),
        (lambda: Index(embedding=AsyncEmbedder()), "embedding.encode is a coroutine function (async def)"),
        (lambda: Embedding(AsyncEmbedder().encode), "provider is a coroutine function (async def)"),
        (lambda: RetrievalService(Index().store, embedding=embed), "embedding is a coroutine function (async def)"),
        (lambda: Index(rerank_model=awaited_shares), "rerank_model is a coroutine function (async def)"),
        (lambda: Index().search("x", rerank_model=awaited_shares), "rerank_model is a coroutine function (async def)"),
        (
            lambda: RetrievalService(Index().store, models={"m": awaited_shares}),
            'models["m"] is a coroutine function (async def)',
        ),
    ],
)
def test_coroutine_functions_are_refused_by_name(make, message):
    with pytest.raises(InvalidInputError) as refused:
        make()
    assert str(refused.value) == f"{message}, which only AsyncIndex awaits"


def test_returned_awaitables_are_refused():
    index = Index(embedding=lambda texts: embed(texts))
    with pytest.raises(EmbeddingError, match=r"^the embedding provider returned an awaitable, which only AsyncIndex"):
        index.add(RECORDS[:1])
    index = plain_index(rerank_model=lambda query, texts: awaited_shares(query, texts))
    with pytest.raises(RerankError, match=r"^the rerank model returned an awaitable, which only AsyncIndex awaits$"):
        index.search("assignment", fail_open=False)


def test_a_rewrite_may_be_awaited():
    expected = plain_index().search("assignment reload", limit=5)

    async def translate(question):
        await asyncio.sleep(0)
        return {"zuweisung": "assignment reload"}[question]

    def plain(question):
        return "assignment reload"

    async def run():
        index = AsyncIndex(embedding=embed, rewrite=translate)
        await index.add(RECORDS)
        for rewrite in (translate, plain, lambda question: translate(question)):
            found = await index.search("zuweisung", limit=5, rewrite=rewrite)
            assert found.hits == expected.hits
        assert [hit.id async for hit in index.each("zuweisung", limit=5)][:5] == [hit.id for hit in expected]
        following = await index.search(
            "zuweisung", limit=5, cursor=(await index.search("zuweisung", limit=5)).next_cursor
        )
        assert (following.page, following.warnings) == (2, ())
        failed = await index.search("assignment reload", limit=5)
        assert failed.hits == expected.hits
        assert failed.warnings == ("searched as given: the rewrite failed: KeyError: 'assignment reload'",)

    asyncio.run(run())


def test_the_synchronous_index_refuses_an_asynchronous_rewrite():
    async def translate(question):
        return question

    with pytest.raises(InvalidInputError, match="rewrite is a coroutine function"):
        Index(rewrite=translate)
    index = plain_index()
    found = index.search("assignment", rewrite=lambda question: translate(question))
    assert found.warnings[0].endswith("the rewrite returned an awaitable, which only AsyncIndex awaits")


def test_tags_equal_those_of_index():
    index = plain_index()
    index.add([{"id": f"tag {n}", "content": f"reload {n}", "metadata": {"tags": ["a", f"b{n}"]}} for n in range(9)])

    async def run():
        found = AsyncIndex(store=index.store, embedding=embed)
        record = {"id": "x", "content": "reload 3"}
        assert await found.tags_of_question("reload 3") == index.tags_of_question("reload 3") != {}
        options = {"limit": 1, "smoothing": 0}
        assert await found.tags_of_record(record, **options) == index.tags_of_record(record, **options)
        with pytest.raises(InvalidInputError, match="did you mean"):
            await found.tags_of_record(record, limits=1)

    asyncio.run(run())

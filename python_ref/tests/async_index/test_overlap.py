"""Concurrency: which calls overlap, in which threads they run, and what blocks the loop (ASY-2)."""

import asyncio
import contextvars
import threading
import time

import pytest

from hybrid_search import AsyncIndex
from python_ref.tests.async_index.support import (
    HASHING,
    PATIENCE,
    RECORDS,
    WORDS,
    AsyncEmbedder,
    Together,
    embed,
    plain_index,
    shares,
)


@pytest.mark.parametrize("role", ["embedding", "rerank_model"])
def test_a_hundred_searches_wait_for_their_provider_concurrently(role):
    async def run():
        together = Together(100)
        store = plain_index().store

        async def score(query, texts):
            await together([query])
            return shares(query, texts)

        providers = (
            {"embedding": together} if role == "embedding" else {"embedding": AsyncEmbedder(), "rerank_model": score}
        )
        index = AsyncIndex(store=store, fail_open=False, min_score=0, **providers)
        results = await asyncio.gather(*(index.search(f"assignment {WORDS[place % 10]}") for place in range(100)))
        assert together.most == 100
        assert all(result.total > 0 and not result.warnings for result in results)

    asyncio.run(run())


def test_the_event_loop_stays_responsive_and_computes_almost_nothing():
    """The CPU time of the loop's own thread in one turn is counted, which does not depend on a busy machine."""

    async def run():
        index = AsyncIndex(embedding=embed)
        await index.add({**record, "id": f"{copy}-{record['id']}"} for copy in range(10) for record in RECORDS)
        turns: list[float] = []
        before = time.thread_time()
        while len(turns) <= 20:  # a busy machine may give the loop few turns while twenty searches run
            searches = [asyncio.create_task(index.search("assignment 加载 table")) for _ in range(20)]
            while not all(search.done() for search in searches):
                await asyncio.sleep(0.001)
                turns.append(time.thread_time() - before)
                before = time.thread_time()
        return turns

    turns = asyncio.run(run())
    assert max(turns) < 0.02


def test_providers_are_called_in_the_documented_threads():
    places = {}

    async def run():
        loop_thread = threading.current_thread()

        async def awaited(texts):
            places["awaited"] = threading.current_thread() is loop_thread
            return HASHING.encode(texts)

        def called(query, texts):
            places["called"] = threading.current_thread() is loop_thread
            return shares(query, texts)

        index = AsyncIndex(embedding=awaited, rerank_model=called)
        await index.add(RECORDS[:5])
        await index.search("assignment")

    asyncio.run(run())
    assert places == {"awaited": True, "called": False}


def test_at_most_as_many_calls_compute_at_once_as_workers():
    computing = 0
    most = 0
    lock = threading.Lock()

    class Watched(type(plain_index().store)):
        def search(self, *arguments, **options):
            nonlocal computing, most
            with lock:
                computing += 1
                most = max(most, computing)
            time.sleep(0.002)
            try:
                return super().search(*arguments, **options)
            finally:
                with lock:
                    computing -= 1

    async def run():
        index = AsyncIndex(store=Watched(), embedding=embed, threads=2)
        await index.add(RECORDS[:20])
        await asyncio.gather(*(index.search("assignment") for _ in range(20)))

    asyncio.run(run())
    assert most == 2


def test_a_waiting_provider_frees_its_worker():
    """With one worker: a synchronous embedder that waits for another search would otherwise wait for ever."""
    other_done = threading.Event()

    def embedder(texts):
        if texts == ["assignment first"]:
            assert other_done.wait(PATIENCE)
        return HASHING.encode(texts)

    async def run():
        index = AsyncIndex(embedding=embedder, threads=1)
        await index.add(RECORDS[:5])
        first = asyncio.create_task(index.search("assignment first"))
        await asyncio.sleep(0)
        assert (await index.search("assignment second")).hits
        other_done.set()
        assert (await first).hits

    asyncio.run(run())


def test_context_variables_reach_providers():
    tenant = contextvars.ContextVar("tenant")
    seen = []

    async def embedder(texts):
        seen.append(tenant.get())
        return HASHING.encode(texts)

    def model(query, texts):
        seen.append(tenant.get())
        return shares(query, texts)

    async def search(index, name):
        tenant.set(name)
        await index.search("assignment")

    async def run():
        tenant.set("filling")
        index = AsyncIndex(embedding=embedder, rerank_model=model)
        await index.add(RECORDS[:5])
        await asyncio.gather(search(index, "a"), search(index, "b"))

    asyncio.run(run())
    assert seen[0] == "filling"
    assert sorted(seen[1:]) == ["a", "a", "b", "b"]


def test_several_event_loops_use_one_index():
    index = AsyncIndex(embedding=embed)
    asyncio.run(index.add(RECORDS))
    answers = []

    def in_a_loop():
        answers.append([hit.id for hit in asyncio.run(index.search("assignment reload")).hits])

    threads = [threading.Thread(target=in_a_loop) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [answers[0]] * 4
    assert answers[0]

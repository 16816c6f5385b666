"""Failures, deadlines, cancellation, and the ends of loops, processes and interpreters (ASY-2)."""

import asyncio
import gc
import inspect
import os
import subprocess
import sys
import threading

import pytest

from hybrid_search import (
    AsyncIndex,
    DocStoreError,
    EmbeddingError,
    InvalidInputError,
    MemoryDocStore,
    RerankError,
    SqliteDocStore,
)
from python_ref.tests.async_index.support import HASHING, PATIENCE, RECORDS, embed, plain_index, threads_of_indexes


async def cancelled_on_its_way(task, begun, go_on):
    """Cancel a running call: it ends once it was allowed to continue, not before."""
    await asyncio.to_thread(begun.wait, PATIENCE)
    task.cancel()
    await asyncio.sleep(0.01)
    assert not task.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_errors_equal_those_of_index():
    async def fails(texts):
        raise OSError("no route")

    async def run():
        with pytest.raises(EmbeddingError, match=r"^the embedding provider failed: OSError: no route$"):
            await AsyncIndex(embedding=fails).search("assignment")
        index = AsyncIndex(embedding=embed)
        await index.add(RECORDS[:5])
        with pytest.raises(InvalidInputError, match=r'^unknown option "limits"; did you mean "limit"'):
            index.each("assignment", limits=3)
        with pytest.raises(
            InvalidInputError, match=r"^records must be a list or a stream of records, or one record, not 5$"
        ):
            await index.add(5)
        with pytest.raises(InvalidInputError, match=r"^rerank_model must be a callable or an object with similarity"):
            await index.search("assignment", rerank_model=5)
        with pytest.raises(InvalidInputError, match=r"^threads must be an integer of at least 1, not 0$"):
            AsyncIndex(threads=0)
        with pytest.raises(
            InvalidInputError, match=r"^embedding must be an Embedding, a callable, or an object with encode"
        ):
            AsyncIndex(embedding=5)
        with pytest.raises(RuntimeError, match=r"^no more$"):
            await index.add([{"id": "new", "content": "x"}], progress=_raises)

    asyncio.run(run())


def _raises(added, total):
    raise RuntimeError("no more")


def test_a_late_coroutine_is_cancelled_and_the_search_continues_without_it():
    ended = []

    async def run():
        async def late(query, texts):
            try:
                await asyncio.sleep(PATIENCE)
            except asyncio.CancelledError:
                ended.append(query)
                raise

        index = AsyncIndex(embedding=embed, rerank_model=late, rerank_timeout=0.02)
        await index.add(RECORDS)
        result = await index.search("assignment")
        assert result.warnings == (
            "ranked without the rerank model: the rerank model gave no answer within 0.02 seconds",
        )
        assert result.hits
        with pytest.raises(RerankError, match=r"gave no answer within 0\.02 seconds"):
            await index.search("assignment", fail_open=False)
        while len(ended) < 2:
            await asyncio.sleep(0.001)

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


@pytest.mark.parametrize("role", ["embedding", "rerank_model"])
def test_a_cancelled_search_cancels_its_awaitables(role, caplog):
    async def run():
        begun, ended = asyncio.Event(), asyncio.Event()

        async def waits(*_):
            begun.set()
            try:
                await asyncio.sleep(PATIENCE)
            finally:
                ended.set()

        providers = {"embedding": waits} if role == "embedding" else {"embedding": embed, "rerank_model": waits}
        index = AsyncIndex(store=plain_index().store, threads=1, **providers)
        search = asyncio.create_task(index.search("assignment"))
        await begun.wait()
        search.cancel()
        with pytest.raises(asyncio.CancelledError):
            await search
        await ended.wait()
        assert await index.count() == 300, "the place of the cancelled search is free"
        assert caplog.records == [], "to be cancelled is no failure of a provider"

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


def test_a_cancelled_add_stops_and_leaves_whole_batches():
    async def run():
        begun = asyncio.Event()

        async def waits_at_the_third(texts):
            if await index.count() == 20:
                begun.set()
                await asyncio.sleep(PATIENCE)
            return HASHING.encode(texts)

        index = AsyncIndex(embedding=waits_at_the_third)
        adding = asyncio.create_task(index.add(RECORDS, batch_size=10))
        await begun.wait()
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding
        assert await index.count() == 20

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


def test_a_cancelled_update_leaves_whole_batches():
    async def run():
        began = asyncio.Event()

        async def stuck(texts):
            if any(text.startswith("changed") for text in texts):
                if began.is_set():
                    await asyncio.sleep(PATIENCE)
                began.set()
            return HASHING.encode(texts)

        index = AsyncIndex(embedding=stuck)
        await index.add(RECORDS[:30])
        changes = [{"id": record["id"], "content": f"changed {record['id']}"} for record in RECORDS[:30]]
        updating = asyncio.create_task(index.update(changes, batch_size=10))
        await began.wait()
        await asyncio.sleep(0.05)
        updating.cancel()
        with pytest.raises(asyncio.CancelledError):
            await updating
        documents = [await index.get(record["id"]) for record in RECORDS[:30]]
        changed = [document["content"].startswith("changed") for document in documents]
        assert changed in ([True] * 10 + [False] * 20, [False] * 30)

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


def test_a_cancelled_add_waits_for_a_synchronous_embedder_and_stores_nothing_more():
    begun, go_on = threading.Event(), threading.Event()

    def embedder(texts):
        begun.set()
        assert go_on.wait(PATIENCE)
        return HASHING.encode(texts)

    async def run():
        index = AsyncIndex(embedding=embedder)
        await cancelled_on_its_way(asyncio.create_task(index.add(RECORDS)), begun, go_on)
        assert index.store.count() == 0

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


def test_a_cancelled_add_without_an_embedder_stores_no_further_batch():
    begun, go_on = threading.Event(), threading.Event()

    def records():
        yield RECORDS[0]
        begun.set()
        assert go_on.wait(PATIENCE)
        yield from RECORDS[1:]

    async def run():
        index = AsyncIndex()
        await cancelled_on_its_way(asyncio.create_task(index.add(records(), batch_size=2)), begun, go_on)
        assert index.store.count() == 2

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


def test_a_coroutine_without_a_waiter_is_closed():
    begun, go_on = threading.Event(), threading.Event()
    made = []

    def embedder(texts):
        begun.set()
        assert go_on.wait(PATIENCE)
        made.append(embed(texts))
        return made[0]

    async def run():
        search = asyncio.create_task(AsyncIndex(embedding=embedder).search("assignment"))
        await asyncio.to_thread(begun.wait, PATIENCE)
        search.cancel()
        with pytest.raises(asyncio.CancelledError):
            await search
        go_on.set()
        while not made or inspect.getcoroutinestate(made[0]) != inspect.CORO_CLOSED:
            await asyncio.sleep(0.001)

    asyncio.run(asyncio.wait_for(run(), 5.0))


def test_a_cancelled_delete_waits_for_its_work():
    begun, go_on = threading.Event(), threading.Event()

    class SlowStore(MemoryDocStore):
        def delete(self, identifiers):
            begun.set()
            assert go_on.wait(PATIENCE)
            return super().delete(identifiers)

    async def run():
        index = AsyncIndex(store=SlowStore())
        await index.add(RECORDS[:2])
        await cancelled_on_its_way(asyncio.create_task(index.delete(["0"])), begun, go_on)
        assert index.store.count() == 1

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


def test_the_file_of_an_index_is_closed_with_it_and_the_callers_store_stays_open(tmp_path):
    async def run():
        index = AsyncIndex(path=str(tmp_path / "index.hsx"))
        await index.add(RECORDS[:2])
        await index.aclose()
        with pytest.raises(DocStoreError, match="closed"):
            index.store.count()
        store = SqliteDocStore(str(tmp_path / "index.hsx"))
        async with AsyncIndex(store=store) as index:
            assert await index.count() == 2
        assert store.count() == 2
        store.close()

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


def test_iteration_over_pages_may_stop_early():
    async def run():
        index = AsyncIndex(embedding=embed)
        await index.add(RECORDS)
        async for hit in index.each("assignment reload", limit=10):
            assert hit.content
            break
        return await index.count()

    assert asyncio.run(run()) == 300


def test_a_closed_index_works_again():
    async def run():
        index = AsyncIndex(embedding=embed)
        async with index:
            await index.add(RECORDS[:5])
        return await index.count()

    assert asyncio.run(run()) == 5


def test_a_call_ends_when_its_loop_is_closed():
    loop = asyncio.new_event_loop()
    begun, before = threading.Event(), threads_of_indexes()

    async def waits(texts):
        begun.set()
        await asyncio.sleep(PATIENCE)

    index = AsyncIndex(embedding=waits)
    task = loop.create_task(index.search("assignment"))
    while not begun.is_set():
        loop.run_until_complete(asyncio.sleep(0.001))
    for pending in (task, *asyncio.all_tasks(loop)):
        pending._log_destroy_pending = False
    parked = threads_of_indexes() - before
    loop.close()
    asyncio.run(index.aclose())
    for thread in parked:
        thread.join(PATIENCE)
    assert parked
    assert not any(thread.is_alive() for thread in parked)


def test_threads_end_with_their_index():
    before = threads_of_indexes()

    async def run():
        index = AsyncIndex(embedding=embed)
        await index.add(RECORDS[:5])
        return threads_of_indexes() - before

    started = asyncio.run(run())
    gc.collect()
    for thread in started:
        thread.join(PATIENCE)
    assert started
    assert not any(thread.is_alive() for thread in started)


ENDING = """
import asyncio, sys, threading
from hybrid_search import AsyncIndex
async def waits(texts):
    begun.set()
    await asyncio.sleep(600)
begun = threading.Event()
index = AsyncIndex(embedding=waits)
{end}
print("ended")
"""
ENDS = {
    "asyncio.run is left by an error": """
async def run():
    search = asyncio.create_task(index.search("assignment"))
    await asyncio.to_thread(begun.wait)
    raise SystemExit(print("ended"))
asyncio.run(run())
""",
    "the loop stands still": """
loop = asyncio.new_event_loop()
search = loop.create_task(index.search("assignment"))
while not begun.is_set():
    loop.run_until_complete(asyncio.sleep(0.001))
""",
}


@pytest.mark.parametrize("end", ENDS)
def test_the_interpreter_exits_while_a_search_waits(end):
    program = ENDING.format(end=ENDS[end])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "ended\n"), done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_child_has_its_own_threads():
    index = AsyncIndex(embedding=embed)
    asyncio.run(index.add(RECORDS[:5]))
    child = os.fork()
    if not child:
        status = 1
        try:
            status = 0 if asyncio.run(asyncio.wait_for(index.count(), PATIENCE)) == 5 else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

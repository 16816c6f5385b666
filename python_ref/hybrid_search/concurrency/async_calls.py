"""Runs the work of an `AsyncIndex` in threads, and waits for the caller's loop (ASY-2); Python only.

The plain library runs unchanged in a worker thread. It calls providers through an `AsyncCall`: meanwhile another thread
may compute, and awaitables are awaited on the caller's loop.
"""

import asyncio
import contextlib
import contextvars
import inspect
import threading
from collections.abc import AsyncIterable, Callable, Coroutine, Iterator
from concurrent.futures import wait
from functools import partial
from typing import Any, Protocol, TypeVar

from hybrid_search.concurrency.worker_threads import WorkerThreads

LOOK_UP = 1.0
"""The interval in seconds at which a waiting thread checks whether its loop still runs."""

Value = TypeVar("Value")

_CURRENT: contextvars.ContextVar["AsyncCall"] = contextvars.ContextVar("hybrid_search_async_call")


class Abandoned(BaseException):
    """Ends abandoned work; not an `Exception`, so that it is not mistaken for a provider's error."""


class Workers:
    """The threads of an `AsyncIndex`, started on first use, and started again in a forked child.

    Args:
        workers: the maximum number of threads that compute at the same time; the others wait.
        max_calls: the maximum number of threads; further calls wait until one is free.
    """

    def __init__(self, workers: int, max_calls: int) -> None:
        self._workers = workers
        self._max_calls = max_calls
        self._lock = threading.Lock()
        self._threads: WorkerThreads | None = None

    async def run(self, work: Callable[[], Value], settled: bool = False) -> Value:
        """Return the result of `work`, which runs in a thread with the context variables of the caller.

        Args:
            work: the work to do.
            settled: whether a cancelled call waits until its work has ended; otherwise the work is abandoned.
        """
        threads, places = self._ready()
        call = AsyncCall(asyncio.get_running_loop(), places)
        submitted = threads.submit(partial(contextvars.copy_context().run, call.perform, work))
        future = asyncio.wrap_future(submitted)
        try:
            return await (asyncio.shield(future) if settled else future)
        except asyncio.CancelledError:
            call.cancel()
            submitted.cancel()
            if settled:
                await _ended(future)
            raise

    def close(self) -> None:
        """Let the threads end when they have finished their work; a later call starts new ones."""
        with self._lock:
            if self._threads is not None:
                self._threads.end()
            self._threads = None

    def _ready(self) -> tuple[WorkerThreads, threading.Semaphore]:
        with self._lock:
            if self._threads is None or not self._threads.of_this_process:
                self._threads = WorkerThreads(self._max_calls)
                self._places = threading.Semaphore(self._workers)
            return self._threads, self._places


class AsyncCall:
    """One call of an `AsyncIndex`, as seen by the thread that works for it.

    Args:
        loop: the caller's loop, on which everything is awaited.
        places: the places of the threads that compute.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, places: threading.Semaphore) -> None:
        self._loop = loop
        self._places = places
        self._lock = threading.Lock()
        self._cancelled = False
        self._asked: _Cancelled | None = None

    @staticmethod
    def current() -> "AsyncCall":
        """Return the call that this thread works for."""
        return _CURRENT.get()

    def perform(self, work: Callable[[], Value]) -> Value:
        """Return the result of `work`, which runs once a place to compute is free."""
        _CURRENT.set(self)
        with self._places:
            self.check()
            return work()

    def check(self) -> None:
        """End the work here if its call was cancelled.

        Raises:
            Abandoned: the call was cancelled.
        """
        if self._cancelled:
            raise Abandoned

    def cancel(self) -> None:
        """Cancel pending awaitables at once, and end the work at its next check."""
        with self._lock:
            self._cancelled = True
            asked = self._asked
        if asked is not None:
            asked.cancel()

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Give the place to compute to another thread during the block."""
        self._places.release()
        try:
            yield
        finally:
            self._places.acquire()
        self.check()

    @contextlib.contextmanager
    def part(self) -> Iterator["AsyncCall"]:
        """Open a part of this call; awaitables that are pending at the end of the block are cancelled."""
        part = AsyncCall(self._loop, self._places)
        self._ask(part)
        try:
            yield part
        finally:
            part.cancel()

    def ask(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a provider in this thread, and await its result on the loop if necessary."""
        with self.waiting():
            return self.awaited(function(*arguments))

    def tell(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of the caller on the loop, and await its result there if necessary."""

        async def on_loop() -> Any:
            answer = function(*arguments)
            return await answer if inspect.isawaitable(answer) else answer

        return self.ask(on_loop)

    def drawn(self, records: AsyncIterable[Any], count: int) -> Iterator[Any]:
        """Yield the records of an asynchronous stream, fetched `count` at a time."""
        iterator = aiter(records)

        async def some() -> list[Any]:
            found: list[Any] = []
            while len(found) < count:
                try:
                    found.append(await anext(iterator))
                except StopAsyncIteration:
                    break
            return found

        while found := self.ask(some):
            yield from found

    def awaited(self, answer: Any) -> Any:
        """Return a result as it is, or the value of an awaitable after awaiting it on the loop.

        Raises:
            Abandoned: the call was cancelled.
            RuntimeError: the loop has ended.
        """
        if not inspect.isawaitable(answer):
            return answer

        async def result() -> Any:
            return await answer

        waiting = result()
        try:
            self.check()
            future = asyncio.run_coroutine_threadsafe(waiting, self._loop)
            self._ask(future)
            while not wait([future], LOOK_UP).done:
                self._check_loop()
        except BaseException:
            _close(waiting, answer)
            raise
        if future.cancelled():
            self.check()
        return future.result()

    def _ask(self, asked: "_Cancelled") -> None:
        with self._lock:
            self._asked = asked
        if self._cancelled:
            asked.cancel()

    def _check_loop(self) -> None:
        """Stop waiting for a loop that is closed."""
        if self._loop.is_closed():
            raise RuntimeError("the event loop ended before it could be awaited")


class _Cancelled(Protocol):
    def cancel(self) -> Any: ...


def _close(*waiting: Any) -> None:
    """Close coroutines that no loop will run any more."""
    for one in waiting:
        if isinstance(one, Coroutine):
            one.close()


async def _ended(future: "asyncio.Future[Any]") -> None:
    """Wait for a future that cannot be stopped, however often this is cancelled; its result is discarded."""
    while not future.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([future])
    if not future.cancelled():
        future.exception()

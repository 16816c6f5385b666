"""Where the work of an `AsyncIndex` runs, and how it waits for the caller's loop (ASY-2); Python only.

The plain library runs unchanged in a worker thread. What it asks of a provider goes through an `AsyncCall`: meanwhile
another thread may compute, and what has to be awaited is awaited on the caller's loop.
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
"""Seconds after which a thread that waits looks whether its loop can still answer."""

Value = TypeVar("Value")

_CURRENT: contextvars.ContextVar["AsyncCall"] = contextvars.ContextVar("hybrid_search_async_call")


class Abandoned(BaseException):
    """Ends work that nobody waits for any more; not an `Exception`, so that nothing takes it for a provider's."""


class Workers:
    """The threads of an `AsyncIndex`, made when they are first needed, and anew in a forked child.

    Args:
        workers: how many of them compute at the same time; the others wait.
        max_calls: how many there are at the most; further calls wait until one is free.
    """

    def __init__(self, workers: int, max_calls: int) -> None:
        self._workers = workers
        self._max_calls = max_calls
        self._lock = threading.Lock()
        self._threads: WorkerThreads | None = None

    async def run(self, work: Callable[[], Value], settled: bool = False) -> Value:
        """What `work` gives, from a thread that sees the context variables of the caller.

        Args:
            work: what to do.
            settled: whether a cancelled call ends only when its work has; else the work is left behind.
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
        """Let the threads end when they have done what they were given; a later call makes new ones."""
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
    """One call of an `AsyncIndex`, as the thread that works for it sees it.

    Args:
        loop: the caller's, where everything is awaited.
        places: of the threads that compute.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, places: threading.Semaphore) -> None:
        self._loop = loop
        self._places = places
        self._lock = threading.Lock()
        self._cancelled = False
        self._asked: _Cancelled | None = None

    @staticmethod
    def current() -> "AsyncCall":
        """The call that this thread works for."""
        return _CURRENT.get()

    def perform(self, work: Callable[[], Value]) -> Value:
        """What `work` gives, once there is a place to compute."""
        _CURRENT.set(self)
        with self._places:
            self.check()
            return work()

    def check(self) -> None:
        """End the work here if nobody waits for it any more.

        Raises:
            Abandoned: the call was cancelled.
        """
        if self._cancelled:
            raise Abandoned

    def cancel(self) -> None:
        """End what is awaited at once, and the work where it asks next."""
        with self._lock:
            self._cancelled = True
            asked = self._asked
        if asked is not None:
            asked.cancel()

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Leave the place to compute to another thread meanwhile."""
        self._places.release()
        try:
            yield
        finally:
            self._places.acquire()
        self.check()

    @contextlib.contextmanager
    def part(self) -> Iterator["AsyncCall"]:
        """A part of this call that ends with the block: what it still awaits then is cancelled."""
        part = AsyncCall(self._loop, self._places)
        self._ask(part)
        try:
            yield part
        finally:
            part.cancel()

    def ask(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What a provider answers: called in this thread, and awaited on the loop if it has to be."""
        with self.waiting():
            return self.awaited(function(*arguments))

    def tell(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What a function of the caller's gives: called on the loop, and awaited there if it has to be."""

        async def on_loop() -> Any:
            answer = function(*arguments)
            return await answer if inspect.isawaitable(answer) else answer

        return self.ask(on_loop)

    def drawn(self, records: AsyncIterable[Any], count: int) -> Iterator[Any]:
        """The records of an asynchronous stream, which are fetched so many at a time."""
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
        """An answer as it is, or what the loop gives for one that has to be awaited.

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
        """Wait no longer for a loop that is closed."""
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
    """Wait for what cannot be stopped, however often this is cancelled; what it gives is not wanted."""
    while not future.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([future])
    if not future.cancelled():
        future.exception()

"""Threads for an event loop, in which submitting work never blocks the caller (ASY-2); Python only."""

import os
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

Value = TypeVar("Value")


class WorkerThreads:
    """A bounded number of threads that take work in turn.

    Starting a thread means waiting for it, which takes long while others compute. Therefore a thread starts the next
    one, when it takes work and no other thread is free. The threads end with the object, and do not prevent the
    interpreter from ending.

    Args:
        most: the maximum number of threads, at least 1.
    """

    def __init__(self, most: int) -> None:
        self._crew = _Crew(most)
        weakref.finalize(self, self._crew.end)

    def submit(self, work: Callable[[], Value]) -> "Future[Value]":
        """Return a future for the result of `work`, which a thread will run."""
        future: Future[Value] = Future()
        self._crew.give(lambda: _perform(work, future))
        return future

    def end(self) -> None:
        """Let the threads end when they have finished their work."""
        self._crew.end()

    @property
    def of_this_process(self) -> bool:
        """Return whether the threads belong to this process: a forked child has none of the threads of its parent."""
        return self._crew.process == os.getpid()


class _Crew:
    """The state that the threads share."""

    def __init__(self, most: int) -> None:
        self.process = os.getpid()
        self._most = most
        self._work: SimpleQueue[Callable[[], Any] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._free = 0

    def give(self, work: Callable[[], Any]) -> None:
        self._work.put(work)
        if self._threads == 0:
            self._start_one_if_none_is_free()

    def end(self) -> None:
        self._work.put(None)

    def _start_one_if_none_is_free(self) -> None:
        with self._lock:
            wanted = self._free == 0 and self._threads < self._most
            if wanted:
                self._threads += 1
                self._free += 1
        if wanted:
            threading.Thread(target=self._run, name="AsyncIndex", daemon=True).start()

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            with self._lock:
                self._free -= 1
            self._start_one_if_none_is_free()
            work()
            del work
            with self._lock:
                self._free += 1
        self._work.put(None)


def _perform(work: Callable[[], Value], future: "Future[Value]") -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        value = work()
    except BaseException as problem:
        future.set_exception(problem)
    else:
        future.set_result(value)

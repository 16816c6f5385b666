"""Runs several processes that serve one address (CUR-6)."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import connection
from multiprocessing.context import SpawnProcess
from typing import Any

from hybrid_search.base import validation
from hybrid_search.errors import ConfigurationError, HybridSearchError
from hybrid_search.server.http_server import CUT_OFF, DRAIN_SECONDS, SIGNALS

MOST = 256
"""The maximum number of processes."""
PAUSE_SECONDS = 1.0
"""The minimum number of seconds from the start of a process to the start of the one that replaces it."""
READY = "ready"


class WorkerProcesses:
    """Runs processes that do the same work until a signal stops them all; a process that ends before is replaced.

    Args:
        count: the number of processes, 1 to `MOST`.
        work: a function of a module, called in each process with `arguments` and `ready`, which it calls; it returns
            after SIGTERM.
        report: called with a message for each process that ends before the signal.

    Raises:
        InvalidInputError: the count is not acceptable.
        ConfigurationError: this system cannot run several processes.
    """

    def __init__(self, count: int, work: Callable[..., None], report: Callable[[str], object]) -> None:
        self._count = validation.integer("workers", count, 1, MOST)
        if self._count > 1 and not hasattr(signal, "pthread_sigmask"):
            raise ConfigurationError(f"workers must be 1 on this system, not {count}: it has no signals of POSIX")
        self._work = work
        self._report = report
        self._workers: list[_Worker] = []

    def run(self, arguments: Sequence[Any], ready: Callable[[], object], stopping: Callable[[], object]) -> None:
        """Start the processes, and wait for SIGINT or SIGTERM; then wait until all have ended.

        Args:
            arguments: the arguments of the work; each process gets a copy of them.
            ready: called once all processes are ready.
            stopping: called when no more processes are started.

        Raises:
            ConfigurationError: a process ended before it was ready.
        """
        woken, wake = os.pipe()
        os.set_blocking(wake, False)
        for one in SIGNALS:
            signal.signal(one, lambda *_: _wake(wake))
        try:
            self._workers = [_Worker(self._work, arguments) for _ in range(self._count)]
            if self._all_ready(woken):
                ready()
                while woken not in connection.wait([woken, *(one.process.sentinel for one in self._workers)]):
                    self._replace(arguments, woken)
        finally:
            stopping()
            cut_off = self._end()
            for one in SIGNALS:
                signal.signal(one, signal.SIG_IGN)  # the pipe is closed, and the process ends soon
            os.close(woken)
            os.close(wake)
        if cut_off:
            os._exit(CUT_OFF)

    def _all_ready(self, woken: int) -> bool:
        """Wait until all processes are ready; return false after a signal."""
        for one in self._workers:
            if woken in connection.wait([woken, one.state]):
                return False
            state = one.told()
            if state != READY:
                raise ConfigurationError(f"a worker process could not start: {state}")
        return True

    def _replace(self, arguments: Sequence[Any], woken: int) -> None:
        """Replace the processes that have ended."""
        for place, one in enumerate(self._workers):
            if not one.process.is_alive():
                self._report(f"worker process {one.process.pid} ended ({one.ending()}); another one takes its place")
                if connection.wait([woken], max(0.0, one.begun + PAUSE_SECONDS - time.monotonic())):
                    return
                self._workers[place] = _Worker(self._work, arguments)

    def _end(self) -> bool:
        """End all processes; return whether one was ended while it still computed."""
        limit = time.monotonic() + DRAIN_SECONDS
        for one in self._workers:
            one.process.terminate()
        for one in self._workers:
            one.process.join(max(0.0, limit - time.monotonic()))
        late = [one for one in self._workers if one.process.is_alive()]
        for one in late:
            one.process.kill()
            one.process.join()
        return bool(late) or any(one.process.exitcode == CUT_OFF for one in self._workers)


class _Worker:
    """One process.

    Args:
        work: its work.
        arguments: the arguments of the work.
    """

    def __init__(self, work: Callable[..., None], arguments: Sequence[Any]) -> None:
        context = multiprocessing.get_context("spawn")
        self.begun = time.monotonic()
        self.state, told = context.Pipe(duplex=False)
        self.process: SpawnProcess = context.Process(target=_run, args=(work, arguments, told))
        # A new process receives no signal before its server does: the mask is inherited, and `_run` ends it.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            told.close()

    def told(self) -> str:
        """Return `READY`, or the reason why the process is not ready; waits for the process."""
        try:
            return str(self.state.recv())
        except EOFError:
            self.process.join()
            return self.ending()

    def ending(self) -> str:
        """Return the way in which the process has ended."""
        code = self.process.exitcode or 0
        return f"status {code}" if code >= 0 else f"signal {-code}"


def _run(work: Callable[..., None], arguments: Sequence[Any], told: Any) -> None:
    """Do the work of one process."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        work(*arguments, ready=lambda: _is_ready(told))
    except HybridSearchError as problem:
        with suppress(OSError):
            told.send(str(problem))
        raise SystemExit(CUT_OFF) from None


def _is_ready(told: Any) -> None:
    told.send(READY)
    told.close()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        os.kill(os.getpid(), signal.SIGTERM)


def _wake(pipe: int) -> None:
    with suppress(OSError):
        os.write(pipe, b".")

"""Makes calls with the Python clients, as a process of its own; see `calls.rb`, which does the same in Ruby.

Reads a job from standard input: {package, secret, where, calls: [{id, kind, url, options, texts}]}. `where` is `main`:
one call after the other in the main thread; `thread`: in another; `measured`: in the main thread, with memory; or
`crowd`: by eight threads and the main thread at once. Writes what came of it:

    calls        {id, class, message, value, seconds, later, shown, memory} of each
    later        what was raised, warned of or logged where nobody had asked
    threads      how many threads are left that were not there before
    descriptors  how many descriptors are left
"""

import gc
import json
import logging
import os
import queue
import sys
import threading
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

from hybrid_search.embedding.open_ai import OpenAiEmbedder
from hybrid_search.errors import HybridSearchError
from hybrid_search.reranker.http_reranker import HttpReranker

CROWD = 8
LATER: list[str] = []


class Log(logging.Handler):
    """Keeps what anybody logs."""

    def emit(self, record: logging.LogRecord) -> None:
        """Keep it."""
        LATER.append(f"logged: {record.getMessage()}")


def watch() -> None:
    """Note whatever happens where nobody asks."""
    warnings.simplefilter("always")
    warnings.showwarning = lambda message, *_rest, **_more: LATER.append(f"warned: {message}")
    threading.excepthook = lambda told: LATER.append(f"raised in a thread: {told.exc_type.__name__} {told.exc_value}")
    sys.unraisablehook = lambda told: LATER.append(f"unraisable: {told.exc_value!r}")
    logging.basicConfig(level=logging.DEBUG, handlers=[Log()])


def work(seconds: float) -> str | None:
    """The caller's own work after a call: what is raised in it was thrown by someone else."""
    until = time.monotonic() + seconds
    try:
        while time.monotonic() < until:
            time.sleep(0.001)
    except BaseException as problem:
        return repr(problem)
    return None


def memory(field: str) -> int:
    """A figure of this process's memory in bytes: `VmRSS` now, `VmHWM` at the most."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    return 0


def shown(problem: BaseException, package: str) -> list[str]:
    """All that can be seen of an error: its words, its traceback, the locals of our own frames, its causes too."""
    told: list[str] = []
    waiting: list[BaseException | None] = [problem]
    while waiting:
        current = waiting.pop()
        if current is None:
            continue
        told += [str(current), repr(current), repr(vars(current))]
        told += traceback.format_exception(current)
        frames = [frame for frame, _ in traceback.walk_tb(current.__traceback__)]
        own = [frame for frame in frames if frame.f_code.co_filename.startswith(package)]
        told += [
            f"{frame.f_code.co_name}: {name} = {value!r}" for frame in own for name, value in frame.f_locals.items()
        ]
        waiting += [current.__cause__, current.__context__]
    return told


def client_of(call: dict[str, Any], secret: str) -> Any:
    """The client of a call."""
    options = {"api_key": lambda: secret, **call["options"]}
    if call["kind"] == "embedder":
        return OpenAiEmbedder(call["url"], "model", **options)
    return HttpReranker(call["url"], "model", **options)


def make(call: dict[str, Any], job: dict[str, Any]) -> dict[str, Any]:
    """Make a call; what came of it."""
    made: dict[str, Any] = {"id": call["id"], "class": None, "message": None, "value": None, "memory": None}
    client = client_of(call, job["secret"])
    texts = [text * call["repeat"] for text in call["texts"]]
    measured = job["where"] == "measured"
    if measured:
        gc.collect()
        Path("/proc/self/clear_refs").write_text("5")
        before = memory("VmRSS")
    started = time.monotonic()
    try:
        made["value"] = client.encode(texts) if call["kind"] == "embedder" else client.similarity("q", texts)
        made["seconds"] = time.monotonic() - started
        made["shown"] = []
    except HybridSearchError as problem:
        made["seconds"] = time.monotonic() - started
        made["class"], made["message"] = type(problem).__name__, str(problem)
        made["shown"] = shown(problem, job["package"])
    except BaseException as problem:
        made["seconds"] = time.monotonic() - started
        made["class"], made["message"] = f"undocumented {type(problem).__name__}", str(problem)
        made["shown"] = shown(problem, job["package"])
    if measured:
        made["memory"] = memory("VmHWM") - before
    made["shown"].append(repr(client))
    made["later"] = work(0.02)
    return made


def crowd(job: dict[str, Any]) -> list[dict[str, Any]]:
    """Make the calls in eight threads and the main one."""
    waiting: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    for call in job["calls"]:
        waiting.put(call)
    made: list[dict[str, Any]] = []

    def run() -> None:
        while True:
            try:
                call = waiting.get_nowait()
            except queue.Empty:
                return
            made.append(make(call, job))

    threads = [threading.Thread(target=run) for _ in range(CROWD)]
    for thread in threads:
        thread.start()
    run()
    for thread in threads:
        thread.join()
    return made


def run(job: dict[str, Any]) -> list[dict[str, Any]]:
    """Make the calls of a job where it says."""
    if job["where"] == "crowd":
        return crowd(job)
    if job["where"] != "thread":
        return [make(call, job) for call in job["calls"]]
    made: list[dict[str, Any]] = []
    thread = threading.Thread(target=lambda: made.extend(make(call, job) for call in job["calls"]))
    thread.start()
    thread.join()
    return made


def main() -> None:
    """Read a job, do it, tell what came of it."""
    watch()
    job = json.load(sys.stdin)
    for call in job.get("before", []):
        make(call, job)
    descriptors, threads = len(os.listdir("/proc/self/fd")), threading.active_count()
    made = run(job)
    later = work(0.3)
    gc.collect()
    until = time.monotonic() + job.get("patience", 0.0)
    while threading.active_count() > threads and time.monotonic() < until:
        time.sleep(0.05)
    outcome = {
        "calls": made,
        "later": [*LATER, *([later] if later else [])],
        "threads": threading.active_count() - threads,
        "descriptors": len(os.listdir("/proc/self/fd")) - descriptors,
    }
    print(json.dumps(outcome))


if __name__ == "__main__":
    main()

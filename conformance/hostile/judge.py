"""What is demanded of every call."""

import json
from collections.abc import Iterator
from typing import Any

from conformance.hostile.behaviours import LATE, MEGABYTE
from conformance.hostile.plan import KEY, QUERY_KEY, Call
from conformance.hostile.run import Done, made_by

GRACE = 0.2
CONSTANT = 4 * MEGABYTE
"""What a runtime takes and gives back besides."""

REQUEST = 10
"""How many times a request may be in memory: its texts, its JSON, its bytes, and what is copied between them."""

PIECE = 6
ERRORS = {"embedder": "EmbeddingError", "reranker": "RerankError"}
DEMANDS = ("answered", "documented", "told", "in_time", "memory", "secret", "nothing_later", "nothing_left")
PIECES = [key[start : start + PIECE] for key in (KEY, QUERY_KEY) for start in range(len(key) - PIECE + 1)]


def failures(call: Call, made: dict[str, Any] | None) -> Iterator[tuple[str, str]]:
    """The demands that a call did not meet, and what was seen instead."""
    if made is None:
        yield "answered", "its process did not tell"
        return
    if made["class"] not in (None, ERRORS[call.given["kind"]]):
        yield "documented", f"{made['class']}: {made['message']}"
    if not told(call, made):
        yield "told", str(made["message"])
    limit = call.given["options"]["deadline"] + GRACE
    if made["seconds"] > limit:
        yield "in_time", f"{made['seconds']:.3f} s for {limit:.1f} s"
    request = call.given["repeat"] * sum(map(len, call.given["texts"]))
    most = 2 * call.given["options"]["max_response_bytes"] + CONSTANT + REQUEST * request
    if made["memory"] is not None and made["memory"] > most:
        yield "memory", f"{made['memory'] / MEGABYTE:.1f} MiB for {most / MEGABYTE:.1f} MiB"
    shown = json.dumps([made["shown"], made["message"]])
    if piece := next((piece for piece in PIECES if piece in shown), None):
        where = next(item for item in [*made["shown"], str(made["message"])] if piece in item)
        yield "secret", where[max(0, where.index(piece) - 80) :][:200]
    if made["later"]:
        yield "nothing_later", made["later"]


def told(call: Call, made: dict[str, Any]) -> bool:
    """Whether the outcome is the one that the behaviour must have; crowds may keep a call waiting to its end."""
    wanted = call.behaviour.told
    if not wanted:
        return made["class"] is None or (call.where == "crowd" and LATE in made["message"])
    if made["class"] is None:
        return False
    return any(words in made["message"] for words in wanted) or (call.where == "crowd" and LATE in made["message"])


def failures_of_process(done: Done) -> Iterator[tuple[str, str]]:
    """The demands that a process did not meet."""
    for line in done.later:
        yield "nothing_later", line
    if done.threads > 0:
        yield "nothing_left", f"{done.threads} threads"
    if done.descriptors > 0:
        yield "nothing_left", f"{done.descriptors} descriptors"


def depends_on_others(demand: str) -> bool:
    """Whether a busy machine alone may be why a demand is not met."""
    return demand in ("told", "in_time")


def judged(done: Done) -> Iterator[tuple[Call, str, str]]:
    """All that is wrong with a job's calls, and, with its first call, with its process."""
    for call in done.job.calls:
        for demand, seen in failures(call, made_by(done, call)):
            yield call, demand, seen
    for demand, seen in failures_of_process(done):
        yield done.job.calls[0], demand, seen

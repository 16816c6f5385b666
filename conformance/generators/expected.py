"""Computes what a case expects, and writes the case as a line of a fixture file (CNF-1 … CNF-4).

A line is UTF-8 without blanks or times. The keys of a case are in the order of CNF-3, all others are sorted. A stage of
a trace whose canonical JSON is longer than `LARGEST_STAGE` bytes is stored as its SHA-256: enough to name the first
wrong stage.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from conformance.cases import choices
from conformance.implementations.python import codec, execute, registry
from hybrid_search.base.kernels import PLAIN, VARIABLE

if TYPE_CHECKING:
    from conformance.generators.case_files import Case

LARGEST_STAGE = 4096


def line(case: "Case") -> bytes:
    """Return the case with the answer of the reference as a line of a fixture file, with its line feed.

    Raises:
        Exception: whatever the operation raised that is not an error of the library; that is a bug.
    """
    with _plain_kernels():
        return to_line(expected(case))


def to_line(case: dict[str, Any]) -> bytes:
    """Return a case as JSON on one line."""
    members = (f"{json.dumps(key)}:{codec.canonical(value)}" for key, value in case.items())
    return f"{{{','.join(members)}}}\n".encode()


def beginning(case: "Case") -> bytes:
    """Return how the line of a case begins: all of it but the answer."""
    return to_line(described(case))[: -len("}\n")] + b',"expect":'


def expected(case: "Case") -> dict[str, Any]:
    """Return the case with the answer of the reference (CNF-3)."""
    made = described(case)
    outcome = choices.shortened(execute.execute(case.operation, made["params"], made["input"]))
    outcome["trace"] = [compact(stage) for stage in outcome["trace"]]
    return {**made, "expect": outcome}


def described(case: "Case") -> dict[str, Any]:
    """Return the case as a fixture describes it, without an answer."""
    defaults = registry.find(case.operation).defaults
    params = _sorted(codec.encode({**defaults, **_written(case.params)}))
    given = _sorted(codec.encode(_written(case.input)))
    return {
        "id": case.id,
        "operation": case.operation,
        "summary": case.summary,
        "clauses": list(case.clauses),
        "flags": list(case.flags),
        "level": case.level,
        "compare": case.compare,
        "origin": case.origin,
        "fingerprint": fingerprint(case.operation, params, given),
        "params": params,
        "input": given,
    }


def fingerprint(operation: str, params: Any, given: Any) -> str:
    """Return the SHA-256 of the canonical JSON of operation, params and input (encoded)."""
    return codec.digest({"operation": operation, "params": params, "input": given})


def compact(stage: dict[str, Any]) -> dict[str, Any]:
    """Return the stage, with the SHA-256 of its value in the value's place if the value is long."""
    text = codec.canonical(stage["value"]).encode("utf-8")
    if len(text) <= LARGEST_STAGE:
        return stage
    return {"stage": stage["stage"], "sha256": hashlib.sha256(text).hexdigest(), "size": len(text)}


@contextlib.contextmanager
def _plain_kernels() -> Iterator[None]:
    """Whatever is built meanwhile takes the plain kernels."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = PLAIN
    try:
        yield
    finally:
        os.environ.pop(VARIABLE)
        if before is not None:
            os.environ[VARIABLE] = before


def _sorted(encoded: Any) -> Any:
    """Encoded data as it will be read back from the file: objects by key."""
    return json.loads(codec.canonical(encoded))


def _written(value: Any) -> Any:
    """Written values: `{utf8: hex}` made into the text it stands for, `{entries: [[key, value], …]}` into an object."""
    if isinstance(value, list):
        return [_written(item) for item in value]
    if isinstance(value, dict):
        if value.keys() == {"utf8"}:
            return codec.decode(value)
        if value.keys() == {"entries"}:
            return codec.Ordered((_written(key), _written(item)) for key, item in value["entries"])
        return {key: _written(item) for key, item in value.items()}
    return value

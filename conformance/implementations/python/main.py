"""The reference as a child of the conformance harness (CNF-9): JSON Lines on stdin and stdout.

`python -m conformance.implementations.python.main`
"""

import gc
import json
import os
import sys
import traceback
from typing import Any

from conformance.implementations.python import execute, registry, stores

PROTOCOL = 1
ALLOCATIONS = 20_000
"""The number of new objects after which Python looks for unused cycles: most objects of a case have none."""


def hello() -> dict[str, Any]:
    """Who answers, and the modules of operations it has."""
    from importlib import metadata

    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "name": "reference",
        "language": "python",
        "version": metadata.version("hybrid-search"),
        "versions": {"python": sys.version.split()[0], "jieba": metadata.version("jieba")},
        "capabilities": stores.operations() or registry.modules(),
    }


def answer(message: dict[str, Any]) -> dict[str, Any]:
    """The answer to a `case` message."""
    seq = message["seq"]
    if not stores.is_asked(message["op"]):
        return {"seq": seq, "unsupported": message["op"]}
    try:
        outcome = execute.execute(message["op"], message["params"], message["input"])
    except registry.UnknownOperationError:
        return {"seq": seq, "unsupported": message["op"]}
    except Exception as problem:
        traceback.print_exc()
        return {"seq": seq, "error": {"class": f"internal:{type(problem).__name__}", "message": str(problem)}}
    if not message["want_trace"]:
        outcome.pop("trace", None)
    return {"seq": seq, **outcome}


def main() -> int:
    """Answer until `bye` or the end of stdin."""
    gc.set_threshold(ALLOCATIONS, 20, 20)
    output = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", newline="\n")
    sys.stdout = sys.stderr  # whatever a library prints must not come between the answers
    for line in sys.stdin.buffer:
        message = json.loads(line)
        kind = message["type"]
        reply = hello() if kind == "hello" else {"type": "bye"} if kind == "bye" else answer(message)
        output.write(json.dumps(reply, ensure_ascii=False, separators=(",", ":")) + "\n")
        output.flush()
        if kind == "bye":
            break
    return 0


if __name__ == "__main__":
    sys.exit(main())

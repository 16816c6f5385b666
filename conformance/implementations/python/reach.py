"""Tells which functions of the reference a case passes through: who asks wants to know where a failure may come from.

`python -m conformance.implementations.python.reach`, a worker: a line `{op, params, input}` is answered with the
functions in the order in which they are called first, and after how many of them each stage was recorded.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import hybrid_search
from conformance.implementations.python import codec, registry
from hybrid_search.errors import HybridSearchError

LIBRARY = str(Path(hybrid_search.__file__).parent) + os.sep


class Reach(registry.Trace):
    """The functions that are called, and the stages between them."""

    def __init__(self) -> None:
        super().__init__()
        self.codes: dict[CodeType, None] = {}
        self.until: list[int] = []

    def stage(self, name: str, value: Any) -> None:
        """Record how many functions were called before a stage."""
        super().stage(name, None)
        self.until.append(len(self.codes))

    def note(self, frame: FrameType, _event: str, _argument: Any) -> None:
        """Called by the interpreter where a function begins."""
        if frame.f_code.co_filename.startswith(LIBRARY):
            self.codes.setdefault(frame.f_code)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The functions as `[file, name, line]`, and `[stage, how many of them were called before it]`."""
    reach = Reach()
    function = registry.find(request["op"]).function
    _traced(lambda: function(codec.decode(request["params"]), codec.decode(request["input"]), reach), reach)
    functions = [
        [code.co_filename.removeprefix(LIBRARY), code.co_qualname, code.co_firstlineno] for code in reach.codes
    ]
    stages = [[name, until] for (name, _), until in zip(reach.stages, reach.until, strict=True)]
    return {"functions": functions, "stages": stages}


def _traced(run: Callable[[], Any], reach: Reach) -> None:
    sys.settrace(reach.note)
    try:
        run()
    except HybridSearchError:
        pass  # a case that expects it
    finally:
        sys.settrace(None)


def main() -> int:
    """Answer until the end of stdin."""
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

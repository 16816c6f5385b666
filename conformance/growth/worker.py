"""A worker process in Python: `python -m conformance.growth.worker`, spoken to by `conformance.growth.workers`.

A line of JSON names an operation, texts and how often each is tried; a line of JSON gives the fewest seconds of
processor time for each text. Without an operation it gives the names of all.
"""

import gc
import json
import sys
from collections.abc import Callable
from time import process_time
from typing import Any

from conformance.growth import arrangements as arrangements
from conformance.growth import exchanges as exchanges
from conformance.growth.operations import PROOFS
from conformance.growth.registry import OPERATIONS


def seconds(operation: Callable[[str], Callable[[], Any]], texts: list[str], repeats: int) -> list[float]:
    """The fewest seconds of processor time for each text; what makes the operation ready does not count."""
    best = [float("inf")] * len(texts)
    for _ in range(repeats):
        for place, text in enumerate(texts):
            ready = operation(text)
            begun = process_time()
            ready()
            best[place] = min(best[place], process_time() - begun)
    return best


def main() -> None:
    """Answer until there is no more to answer."""
    answers, sys.stdout = sys.stdout, sys.stderr
    known = {**OPERATIONS, **PROOFS}
    known["tokenize"]("warm")()
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        request = json.loads(line)
        value: Any = list(OPERATIONS)
        if "operation" in request:
            value = seconds(known[request["operation"]], request["texts"], request["repeats"])
        answers.write(json.dumps({"value": value}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()

"""The reference with a fault, as a child of the harness: `python -m conformance.known_bad.serve NAME`."""

import json
import os
import sys

from conformance.implementations.python import main as serve
from conformance.known_bad import answers as answers
from conformance.known_bad import convergence as convergence
from conformance.known_bad import library as library
from conformance.known_bad import pages as pages
from conformance.known_bad import wire as wire
from conformance.known_bad.fault import FAULTS, Message


def main(name: str) -> None:
    """Answer until bye or the end of stdin, in the way of this fault."""
    fault = FAULTS[name]()
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    sys.stdout = sys.stderr
    fault.begin()
    for raw in sys.stdin.buffer:
        message = json.loads(raw)
        fault.read(message)
        fault.send(message, _right(message), out)
        if message["type"] == "bye":
            break


def _right(message: Message) -> Message:
    if message["type"] == "hello":
        return serve.hello()
    return serve.answer(message) if message["type"] == "case" else {"type": "bye"}


if __name__ == "__main__":
    main(sys.argv[1])

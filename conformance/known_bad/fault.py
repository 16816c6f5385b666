"""What a fault is: the reference's answers pass through it on their way out."""

import json
import os
import time
from collections.abc import Callable
from typing import IO, Any

from conformance.implementations.python import codec

Message = dict[str, Any]
AT = "KNOWN_BAD_AT"
"""The environment variable with the fingerprint of the case at which a fault strikes."""

A_LONG_TIME = 3600.0


class Fault:
    """Does nothing wrong; faults are subclasses that do."""

    def begin(self) -> None:
        """Called before the first message is read: the place to break the library itself."""

    def read(self, message: Message) -> None:
        """Called with every message, before the library is asked."""

    def hello(self, reply: Message) -> Message:
        """The hello that is sent."""
        return reply

    def change(self, message: Message, reply: Message) -> Message:
        """The answer to a case that is sent."""
        return reply

    def send(self, message: Message, reply: Message, out: IO[bytes]) -> None:
        """Send the answer to any message."""
        if message["type"] == "hello":
            reply = self.hello(reply)
        elif message["type"] == "case":
            reply = self.change(message, reply)
        out.write(line(reply))


FAULTS: dict[str, type[Fault]] = {"honest": Fault}


def fault(name: str) -> Callable[[type[Fault]], type[Fault]]:
    """Register the decorated class under a name."""

    def register(made: type[Fault]) -> type[Fault]:
        FAULTS[name] = made
        return made

    return register


def is_here(message: Message) -> bool:
    """Whether this is the case at which the fault strikes."""
    if message["type"] != "case":
        return False
    asked = {"operation": message["op"], "params": message["params"], "input": message["input"]}
    return codec.digest(asked) == os.environ.get(AT)


def line(reply: Message) -> bytes:
    """A reply as the reference writes it."""
    return (json.dumps(reply, ensure_ascii=False, separators=(",", ":")) + "\n").encode("utf-8")


def hang() -> None:
    """Sleep for an hour."""
    time.sleep(A_LONG_TIME)

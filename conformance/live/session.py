"""One implementation working through one collection: it loads it and answers every query with digests."""

import time
from dataclasses import dataclass, field
from typing import Any

from conformance.errors import ChildDiedError, ChildTimeoutError, ProtocolError
from conformance.judging.passes import GIVE_UP_AFTER
from conformance.judging.runner import Progress
from conformance.live.folders import Folder
from conformance.wire.child import Child
from conformance.wire.protocol import Message

LOAD_SECONDS = 900.0
QUERY_SECONDS = 120.0
FAILURES = (ChildDiedError, ChildTimeoutError, ProtocolError)
STATUS = {ChildDiedError: "crash", ChildTimeoutError: "timeout", ProtocolError: "protocol"}


@dataclass
class Answers:
    """What one implementation said about one collection.

    Attributes:
        loaded: the answer to `collection.load`.
        by_query: place of the query → answer, or a (status, message) where there was none.
        load_seconds: how long loading took.
        query_seconds: place of the query → how long the answer took.
    """

    loaded: Message = field(default_factory=dict)
    by_query: dict[int, Message | tuple[str, str]] = field(default_factory=dict)
    load_seconds: float = 0.0
    query_seconds: dict[int, float] = field(default_factory=dict)


class Session:
    """A child with a collection loaded; loads it again when the child had to be replaced."""

    def __init__(self, child: Child, folder: Folder, depth: int | None) -> None:
        self.child = child
        self.folder = folder
        self.depth = depth
        self.answers = Answers()
        self._starts = -1

    def load(self) -> Message:
        """Load the collection, if the running process has not."""
        self.child.start()
        if self._starts != self.child.starts:
            began = time.monotonic()
            params = {"model": self.folder.model, "depth": self.depth}
            answer = self.child.ask("collection.load", params, {"path": str(self.folder.path)}, False, LOAD_SECONDS)
            self.answers.loaded = answer
            self.answers.load_seconds = time.monotonic() - began
            self._starts = self.child.starts
        return self.answers.loaded

    def ask(self, operation: str, given: Any) -> Message:
        """Ask about the loaded collection."""
        self.load()
        return self.child.ask(operation, {}, given, False, QUERY_SECONDS)

    def run(self, places: list[int], progress: Progress) -> None:
        """Ask every query; what goes wrong is kept as the query's answer."""
        silent = 0
        for place in places:
            began = time.monotonic()
            if silent >= GIVE_UP_AFTER:
                self.answers.by_query[place] = ("crash", "not tried: no answer to the queries before")
            else:
                try:
                    self.answers.by_query[place] = self.ask("collection.query", {"query": place})
                    silent = 0
                except FAILURES as problem:
                    self.answers.by_query[place] = (STATUS[type(problem)], str(problem))
                    silent += 1
            self.answers.query_seconds[place] = time.monotonic() - began
            progress(self.child.implementation.name, "")

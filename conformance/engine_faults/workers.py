"""Processes of both languages that hold a store and do what they are told."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance.paths import CONFORMANCE
from conformance.wire.worker import WorkerProcess, python_module

COMMANDS = {
    "python": python_module("conformance.engine_faults.worker"),
    "ruby": ["ruby", str(CONFORMANCE / "engine_faults" / "worker.rb")],
}


@dataclass(frozen=True)
class Answer:
    """What a store has answered.

    Attributes:
        value: what it gave; none where it raised.
        error: the class of what it raised, empty where it did not.
        message: what that says.
        seconds: how long it took.
    """

    value: Any
    error: str
    message: str
    seconds: float


class Worker(WorkerProcess):
    """A process with a store.

    Args:
        language: python or ruby.
        kind: of the store, "postgres", "opensearch" or "oceanbase".
        options: how it is opened.
    """

    def __init__(self, language: str, kind: str, options: Mapping[str, Any]) -> None:
        self.language = language
        super().__init__(COMMANDS[language], language)
        self._lock = threading.Lock()
        self._kind = kind
        self._options = options

    def open(self, **changed: Any) -> Answer:
        """Open its store, or open it again with other options; a store that cannot be opened leaves the one before."""
        return self._answer({"do": "open", "kind": self._kind, "options": {**self._options, **changed}})

    def ask(self, method: str, given: Any = None) -> Answer:
        """What its store answers."""
        return self._answer({"do": method, "given": given})

    def _answer(self, request: Mapping[str, Any]) -> Answer:
        with self._lock:
            told = self.exchange(request, str(request["do"]))
        return Answer(told.get("value"), told.get("error", ""), told.get("message", ""), told["seconds"])

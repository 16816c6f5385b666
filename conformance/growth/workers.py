"""The worker processes, one for each language."""

from collections.abc import Sequence

from conformance.paths import CONFORMANCE
from conformance.wire.worker import WorkerProcess, python_module

COMMANDS: dict[str, Sequence[str]] = {
    "python": python_module("conformance.growth.worker"),
    "ruby": ("ruby", str(CONFORMANCE / "growth" / "ruby" / "worker.rb")),
}


class Worker(WorkerProcess):
    """A process that times operations.

    Args:
        language: python or ruby.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        super().__init__(COMMANDS[language], language)

    def operations(self) -> list[str]:
        """The names of the operations."""
        names: list[str] = self.exchange({}, "the names of operations")["value"]
        return names

    def seconds(self, operation: str, texts: Sequence[str], repeats: int) -> list[float]:
        """The fewest seconds of processor time that an operation takes for each text."""
        request = {"operation": operation, "texts": list(texts), "repeats": repeats}
        found: list[float] = self.exchange(request, operation)["value"]
        return found

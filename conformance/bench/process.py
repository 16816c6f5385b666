"""Worker processes: each runs one contestant, measures inside itself, and answers line by line."""

import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

from conformance.bench.timing import Seconds
from conformance.errors import BrokenError
from conformance.paths import ROOT
from conformance.wire.worker import WorkerProcess, python_module

RUBY = ["ruby", str(ROOT / "conformance" / "bench" / "ruby" / "worker.rb")]
YJIT_FLAGS = ["--yjit", "--yjit-exec-mem-size=8"]


class Worker(WorkerProcess):
    """A process that holds one contestant.

    Args:
        command: what to start.
        subject: the contestant in it.
        variables: of its environment, in addition to the suite's own.
    """

    def __init__(self, command: Sequence[str], subject: str, variables: Mapping[str, str] | None = None) -> None:
        self._subject = subject
        super().__init__(command, subject, variables)

    @staticmethod
    def python(subject: str, variables: Mapping[str, str] | None = None) -> "Worker":
        """A worker in Python: an anchor, or the reference."""
        return Worker(python_module("conformance.bench.worker"), subject, variables)

    @staticmethod
    def ruby(subject: str, yjit: bool, variables: Mapping[str, str] | None = None) -> "Worker":
        """A worker in Ruby: the port."""
        return Worker([RUBY[0], *(YJIT_FLAGS if yjit else []), *RUBY[1:]], subject, variables)

    def ask(self, method: str, **params: Any) -> Any:
        """What the contestant answers.

        Raises:
            BrokenError: it failed.
        """
        answer = self.exchange({"subject": self._subject, "method": method, "params": params}, method)
        if "error" in answer:
            raise BrokenError(f"{self._subject} failed in {method}: {answer['error']}")
        return answer["value"]


def seconds(answer: dict[str, Any]) -> Seconds:
    """The time in a worker's answer."""
    return Seconds(answer["cpu"], answer["wall"])


def yjit_is_there() -> bool:
    """Whether this Ruby has YJIT."""
    try:
        asked = subprocess.run(["ruby", *YJIT_FLAGS, "-e", "0"], capture_output=True, check=False)
    except OSError:
        raise BrokenError("ruby is not installed") from None
    return asked.returncode == 0

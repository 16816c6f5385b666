"""Worker processes: each runs one contestant, measures inside itself, and answers line by line."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

from conformance.bench.timing import Seconds
from conformance.errors import BrokenError
from conformance.paths import ROOT

RUBY = ["ruby", str(ROOT / "conformance" / "bench" / "ruby" / "worker.rb")]
YJIT_FLAGS = ["--yjit", "--yjit-exec-mem-size=8"]
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
LAST_WORDS = 2000


class Worker:
    """A process that holds one contestant.

    Args:
        command: what to start.
        subject: the contestant in it.
    """

    def __init__(self, command: Sequence[str], subject: str) -> None:
        self._subject = subject
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the worker
        try:
            self._process = subprocess.Popen(
                command,
                cwd=ROOT,
                env={**os.environ, **ONE_THREAD, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'python_ref'}"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                encoding="utf-8",
            )
        except OSError as problem:
            self._errors.close()
            raise BrokenError(f"{command[0]} cannot be started: {problem}") from None

    @staticmethod
    def python(subject: str) -> "Worker":
        """A worker in Python: an anchor, or the reference."""
        return Worker([sys.executable, "-W", "ignore", "-m", "conformance.bench.worker"], subject)

    @staticmethod
    def ruby(subject: str, yjit: bool) -> "Worker":
        """A worker in Ruby: the port."""
        return Worker([RUBY[0], *(YJIT_FLAGS if yjit else []), *RUBY[1:]], subject)

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, method: str, **params: Any) -> Any:
        """What the contestant answers.

        Raises:
            BrokenError: it failed.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps({"subject": self._subject, "method": method, "params": params}) + "\n")
            self._process.stdin.flush()
        except OSError:
            pass  # it is gone; reading will say so
        line = self._process.stdout.readline()
        if not line.endswith("\n"):
            self._process.wait()
            raise BrokenError(f"{self._subject} ended without an answer to {method}:\n{self._last_words()}")
        answer = json.loads(line)
        if "error" in answer:
            raise BrokenError(f"{self._subject} failed in {method}: {answer['error']}")
        return answer["value"]

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def _last_words(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode("utf-8", "replace")[-LAST_WORDS:]


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

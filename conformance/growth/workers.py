"""The worker processes, one for each language."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

from conformance.errors import BrokenError
from conformance.paths import CONFORMANCE, ROOT

COMMANDS: dict[str, Sequence[str]] = {
    "python": (sys.executable, "-W", "ignore", "-m", "conformance.growth.worker"),
    "ruby": ("ruby", str(CONFORMANCE / "growth" / "ruby" / "worker.rb")),
}
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
LAST_WORDS = 2000


class Worker:
    """A process that times operations.

    Args:
        language: python or ruby.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the worker
        try:
            self._process = subprocess.Popen(
                COMMANDS[language],
                cwd=ROOT,
                env={**os.environ, **ONE_THREAD, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'python_ref'}"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                encoding="utf-8",
            )
        except OSError as problem:
            self._errors.close()
            raise BrokenError(f"{COMMANDS[language][0]} cannot be started: {problem}") from None

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def operations(self) -> list[str]:
        """The names of the operations."""
        names: list[str] = self._ask({})
        return names

    def seconds(self, operation: str, texts: Sequence[str], repeats: int) -> list[float]:
        """The fewest seconds of processor time that an operation takes for each text."""
        found: list[float] = self._ask({"operation": operation, "texts": list(texts), "repeats": repeats})
        return found

    def _ask(self, request: dict[str, Any]) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except OSError:
            pass  # it is gone; reading will say so
        line = self._process.stdout.readline()
        if not line.endswith("\n"):
            self._process.wait()
            self._errors.seek(0)
            last_words = self._errors.read().decode("utf-8", "replace")[-LAST_WORDS:]
            raise BrokenError(f"{self.language} ended without an answer to {request.get('operation')}:\n{last_words}")
        return json.loads(line)["value"]

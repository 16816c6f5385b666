"""A worker: a process of the suite's own that is asked in lines of JSON, one at a time, and trusted to answer."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any, Self

from conformance.errors import BrokenError
from conformance.paths import ROOT

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
LAST_WORDS = 2000


def python_module(module: str) -> list[str]:
    """What starts a worker in Python."""
    return [sys.executable, "-W", "ignore", "-m", module]


class WorkerProcess:
    """A started worker. It sees both packages, and numpy keeps to one thread.

    Args:
        command: what to start.
        name: what it is called in messages.
        variables: of its environment, beside the suite's own.

    Raises:
        BrokenError: it cannot be started.
    """

    def __init__(self, command: Sequence[str], name: str, variables: Mapping[str, str] | None = None) -> None:
        self._name = name
        own = filter(None, (variables or {}).get("PYTHONPATH", "").split(os.pathsep))
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the worker
        try:
            self._process = subprocess.Popen(
                command,
                cwd=ROOT,
                env={
                    **os.environ,
                    **ONE_THREAD,
                    **(variables or {}),
                    "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "python_ref", *own))),
                },
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                encoding="utf-8",
            )
        except OSError as problem:
            self._errors.close()
            raise BrokenError(f"{command[0]} cannot be started: {problem}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def exchange(self, request: Mapping[str, Any], about: str) -> Any:
        """What the worker answers to one line; `about` is what was asked, for the message.

        Raises:
            BrokenError: it ended; the message shows what it said last.
        """
        self.send(request)
        return self.receive(about)

    def send(self, request: Mapping[str, Any]) -> None:
        """Ask; `receive` gives the answer."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except OSError:
            pass  # it is gone; reading will say so

    def receive(self, about: str) -> Any:
        """The answer to what was sent, see `exchange`."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.endswith("\n"):
            self._process.wait()
            raise BrokenError(f"{self._name} ended without an answer to {about}:\n{self._last_words()}")
        return json.loads(line)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def _last_words(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode("utf-8", "replace")[-LAST_WORDS:]

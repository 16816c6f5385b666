"""A process that cuts texts into tokens (IDX-7), from the view of the process that starts it."""

import os
import subprocess
import sys
from collections.abc import Sequence
from multiprocessing import spawn
from typing import Any

from hybrid_search.errors import ConfigurationError
from hybrid_search.records import worker_messages
from hybrid_search.records.record_fields import Ready

PROGRAM = """
import sys
sys.path[:] = sys.argv[1:]
from hybrid_search.records import worker_program
worker_program.main()
"""
"""The program of the process, with the folders of modules as arguments. It imports nothing of the starting program."""


class WorkerProcess:
    """A process that ends with the one that started it, or at the end of its input.

    Raises:
        ConfigurationError: the process cannot be started.
    """

    def __init__(self) -> None:
        command = [os.fsdecode(spawn.get_executable() or sys.executable), "-c", PROGRAM, *sys.path]
        try:
            # In its own session it does not receive the SIGINT of a terminal, which is meant for the program.
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except OSError as problem:
            raise ConfigurationError(f"a worker process could not start: {problem.strerror}") from None
        self._recipe: dict[str, Any] | None = None

    def send_texts(self, recipe: dict[str, Any] | None, texts: Sequence[dict[str, Any]]) -> None:
        """Send the texts of records, with the tokenizer's recipe if it is new.

        Raises:
            ConfigurationError: the process has ended.
        """
        message = (None if recipe == self._recipe else recipe, texts)
        self._recipe = recipe
        assert self._process.stdin is not None
        try:
            worker_messages.write(self._process.stdin, message)
        except OSError:
            raise self._ended() from None

    def receive(self) -> list[Ready]:
        """Return the fields of the texts that were sent.

        Raises:
            ConfigurationError: the process has ended.
        """
        assert self._process.stdout is not None
        try:
            fields: list[Ready] | None = worker_messages.read(self._process.stdout)
        except (EOFError, OSError, ValueError):
            fields = None
        if fields is None:
            raise self._ended()
        return fields

    def end(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._process.communicate()

    def _ended(self) -> ConfigurationError:
        self.end()
        status = self._process.returncode
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        return ConfigurationError(f"a worker process ended before it had cut its texts: {how}")

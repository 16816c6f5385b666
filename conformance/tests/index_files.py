"""An index file that a Ruby process has open, for tests."""

import subprocess
from pathlib import Path
from typing import Any, Self

import pytest

from conformance.paths import ROOT
from hybrid_search.doc_store_adapter.documents import stored_json

GEM = subprocess.run(["ruby", "-e", "require 'sqlite3'"], capture_output=True).returncode == 0


class RubyFile:
    """Asks a Ruby process that has the file open.

    Args:
        path: where the file is.
    """

    def __init__(self, path: Path) -> None:
        if not GEM:
            pytest.skip("the gem sqlite3 is not installed")
        command = ["ruby", "-I", str(ROOT / "ruby/lib"), str(ROOT / "conformance/tests/stores_asked.rb"), str(path)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        with self._process:
            pass

    def __call__(self, method: str, argument: Any) -> Any:
        """Return the result of a method of the store; `text`, `dense` and `page` are those of `stores_asked.rb`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(stored_json.write([method, argument]) + "\n")
        self._process.stdin.flush()
        return stored_json.read(self._process.stdout.readline())

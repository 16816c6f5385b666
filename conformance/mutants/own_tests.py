"""Asks tests what they notice, where cases cannot: of an engine's own scores, and of what Python alone has (CNF-19)."""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from conformance.errors import BrokenError
from conformance.mutants.table import PYTHON_ALONE
from conformance.paths import ROOT

PREFIX = "own_tests"
TESTS = "python_ref/tests"
AGAINST_A_FAKE = (
    "doc_store_adapter/test_opensearch_certainty", "doc_store_adapter/test_opensearch_faults",
    "doc_store_adapter/test_opensearch_reindex", "doc_store_adapter/test_opensearch_ragflow",
    "doc_store_adapter/test_opensearch_requests",
)  # fmt: skip
"""The files whose tests ask a server that answers what a test tells it; a few ask an engine, and come later."""
AGAINST_AN_ENGINE = (
    "doc_store_adapter/test_opensearch", "doc_store_adapter/test_opensearch_reindex",
    "doc_store_adapter/test_opensearch_ragflow",
)  # fmt: skip
"""The files whose tests ask the engine itself."""
FILES = {
    Path(file).name: f"{TESTS}/{file}.py"
    for file in (*AGAINST_A_FAKE, *AGAINST_AN_ENGINE, *(file for files in PYTHON_ALONE.values() for file in files))
}
"""The name of a file of tests → where it is."""
COPIED = ("pyproject.toml", f"{TESTS}/conftest.py", "conformance/errors.py", "conformance/paths.py")
COPIED_FOLDERS = (*dict.fromkeys(str(Path(file).parent) for file in FILES.values()), "conformance/engines")
TIMEOUT = 900.0
"""Seconds for all files."""
FAILED = re.compile(r"^(?:FAILED|ERROR) \S*?(\w+)\.py::(\w+)\S*(?: - (.*))?", re.MULTILINE)


@cache
def names() -> set[str]:
    """The ids of all tests: `own_tests.<file>.<function>`."""
    return {
        f"{PREFIX}.{name}.{node.name}"
        for name, path in FILES.items()
        for node in ast.parse((ROOT / path).read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def noticed(sources: Path, files: Sequence[str], engines: bool, first: str | None = None) -> tuple[str, str] | None:
    """The first test that fails, and how; none: all pass.

    Args:
        sources: the folder that has the sources of both languages.
        files: of the tests, within their folder.
        engines: whether those that ask an engine are meant, or the others.
        first: the id of a test that is asked before all others.
    """
    chosen = ["-m", "engines" if engines else "not engines", *(f"{TESTS}/{file}.py" for file in files)]
    _provide(sources)
    found = one(sources, first) if first is not None and first in names() else None
    return _failed(sources, chosen) if found is None else found


def one(sources: Path, name: str) -> tuple[str, str] | None:
    """What a single test has noticed; none: it passes.

    Args:
        sources: the folder that has the sources of both languages.
        name: the id of the test.
    """
    _provide(sources)
    _, file, function = name.split(".")
    return _failed(sources, [f"{FILES[file]}::{function}"])


def _provide(sources: Path) -> None:
    """Put the tests beside the sources, unless they are there."""
    if (sources / TESTS / "conftest.py").exists():
        return
    for path in COPIED:
        shutil.copy(ROOT / path, _made(sources / path))
    for path in COPIED_FOLDERS:
        shutil.copytree(ROOT / path, _made(sources / path), ignore=shutil.ignore_patterns("__pycache__"))


def _made(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _failed(sources: Path, chosen: Sequence[str]) -> tuple[str, str] | None:
    command = [sys.executable, "-m", "pytest", "-x", "--tb=no", "-rfE", "-p", "no:cacheprovider", *chosen]
    environment = {**os.environ, "PYTHONPATH": str(sources / "python_ref"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        outcome = subprocess.run(
            command, cwd=sources, env=environment, capture_output=True, text=True, timeout=TIMEOUT, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"{PREFIX}.{'.'.join(Path(chosen[-1]).stem.split('::'))}", f"no answer within {TIMEOUT:g} s"
    if outcome.returncode in (0, 5):
        return None
    match = FAILED.search(outcome.stdout)
    if match is None:
        raise BrokenError(f"its tests do not even start: {(outcome.stdout + outcome.stderr)[-300:]}")
    return f"{PREFIX}.{match[1]}.{match[2]}", f"fail: {match[3] or ''}"[:200]

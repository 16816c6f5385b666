"""Compares the checkout with another commit: both run the same tasks in turns.

Each run divides its times by those of its own anchors, which are the same libraries in both. So the ratio of two runs
is not that of two moments of a busy machine.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from conformance.bench.results import Ratio, Report, Row
from conformance.bench.timing import Spread
from conformance.errors import BrokenError
from conformance.paths import ROOT

LOWEST = 0.95
"""The goal: no operation is slower by more than 5 %."""

Key = tuple[str, str, str]
"""Task, contestant, anchor."""


def run(commit: str, flags: Sequence[str], rounds: int, report: Report, say: Callable[[str], None]) -> None:
    """Add a row for each contestant whose speed relative to an anchor both commits measure.

    Args:
        commit: the other commit.
        flags: those of both runs.
        rounds: the number of runs of each.
        report: receives the rows.
        say: shows progress.

    Raises:
        BrokenError: the commit does not exist, or a run failed.
    """
    ours: list[dict[Key, float]] = []
    theirs: list[dict[Key, float]] = []
    with tempfile.TemporaryDirectory(prefix="against-") as folder:
        tree = Path(folder, "tree")
        _git("worktree", "add", "--detach", str(tree), commit)
        try:
            for number in range(1, rounds + 1):
                for name, root, taken in ((commit, tree, theirs), ("this checkout", ROOT, ours)):
                    say(f"against {commit}: round {number} of {rounds}: {name}")
                    taken.append(speeds(_report(root, flags)))
        finally:
            _git("worktree", "remove", "--force", str(tree))
    report.rows += compared(commit, theirs, ours)


def compared(commit: str, theirs: Sequence[dict[Key, float]], ours: Sequence[dict[Key, float]]) -> list[Row]:
    """Return a row for each task and contestant with the same anchor in all runs of both."""
    common = [key for key in ours[0] if all(key in one for one in (*theirs, *ours))]
    rows = []
    for task, contestant, anchor in common:
        key = (task, contestant, anchor)
        spread = Spread.of([new[key] / max(old[key], 1e-9) for old, new in zip(theirs, ours, strict=True)])
        ratio = Ratio(f"{commit}, both by {anchor}", spread, goal=LOWEST)
        rows.append(Row(task, contestant, (), (ratio,)))
    return rows


def speeds(report: dict[str, Any]) -> dict[Key, float]:
    """Return the ratio of each contestant to each anchor in a report."""
    return {
        (row["task"], row["contestant"], ratio["anchor"]): ratio["cpu"]["median"]
        for row in report["rows"]
        for ratio in row["ratios"]
    }


def _report(root: Path, flags: Sequence[str]) -> dict[str, Any]:
    """Run the bench of a checkout and return its report.

    Raises:
        BrokenError: it failed.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(root / "python_ref")])}
    command = [sys.executable, "-m", "conformance", "bench", *flags, "--format", "json"]
    done = subprocess.run(command, cwd=root, env=environment, stdout=subprocess.PIPE, check=False)
    if not done.stdout.strip():
        raise BrokenError(f"the bench of {root} failed with status {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _git(*arguments: str) -> None:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BrokenError(f"git {' '.join(arguments[:2])} failed: {done.stderr.strip()}")

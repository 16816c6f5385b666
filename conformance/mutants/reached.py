"""Finds which cases pass through a function of the reference: mutants are drawn there, and these cases asked first."""

import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby, zip_longest
from pathlib import Path

from conformance.cases.fixtures import Case
from conformance.implementations import listing
from conformance.mutants.table import IMPLEMENTATIONS, SOURCES
from conformance.paths import FIXTURES, ROOT
from conformance.wire.worker import WorkerProcess, python_module

WORKER = "conformance.implementations.python.reach"
CACHE = ROOT / ".cache" / "reached.json"
KERNELS = ("plain", "fast", "files")
"""What the reference is asked with: each has files of its own."""
MOST_ASKED = 24
"""Cases of one fixture file that are asked."""
MOST_OF_CORPORA = 2
"""The same of whole corpora, whose cases take long."""
MOST_NAMED = 24
"""Cases that are named of each function."""
OF_AN_OPERATION = 2
"""Of these, the cases of one operation: those that pass through the fewest other functions."""

Reached = dict[str, dict[str, list[str]]]
"""File under the library → function, with its classes → ids of cases."""


def find(cases: Sequence[Case], stale: bool = False, cache: Path = CACHE) -> Reached:
    """Return the functions that cases pass through, from the cache if neither sources nor fixtures have changed.

    Args:
        cases: all cases.
        stale: take what is in the cache in any case, where the same draw for everybody is not worth minutes.
        cache: where the last result is.
    """
    key = _key()
    if cache.is_file():
        content = json.loads(cache.read_text(encoding="utf-8"))
        if stale or content["key"] == key:
            cached: Reached = content["reached"]
            return cached
    chosen = _chosen(cases)
    with ThreadPoolExecutor(len(KERNELS)) as pool:
        passes = list(pool.map(lambda kernels: _asked(kernels, chosen), KERNELS))
    reached = _gathered([one for each in passes for one in each])
    cache.parent.mkdir(parents=True, exist_ok=True)
    cache.write_text(json.dumps({"key": key, "reached": reached}), encoding="utf-8")
    return reached


def _key() -> str:
    folder, ending = SOURCES["python"]
    whole = hashlib.sha256((FIXTURES / "manifest.json").read_bytes())
    for path in sorted((ROOT / folder).rglob(f"*.{ending}")):
        whole.update(f"{path} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()


def _chosen(cases: Sequence[Case]) -> list[Case]:
    """Some cases of each fixture file, from the first to the last."""
    chosen = []
    for _, group in groupby(cases, key=lambda case: case.path):
        own = list(group)
        most = MOST_OF_CORPORA if own[0].theme == "corpora" else MOST_ASKED
        chosen += own[:: max(1, -(-len(own) // most))]
    return chosen


def _asked(kernels: str, cases: Sequence[Case]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Each case with the functions that it passes through, as file and name."""
    (implementation,) = listing.load([IMPLEMENTATIONS["python"][kernels]])
    found = []
    with WorkerProcess(python_module(WORKER), WORKER, dict(implementation.environment)) as worker:
        for case in cases:
            answer = worker.exchange({"op": case.operation, "params": case.params, "input": case.input}, case.id)
            names = [(file, name.replace(".<locals>", "")) for file, name, _ in answer["functions"]]
            found.append((case.id, names))
    return found


def _gathered(passes: Sequence[tuple[str, list[tuple[str, str]]]]) -> Reached:
    counted: dict[str, dict[str, set[tuple[int, str]]]] = {}
    for identifier, functions in passes:
        for file, name in functions:
            counted.setdefault(file, {}).setdefault(name, set()).add((len(functions), identifier))
    return {
        file: {name: _nearest(counts) for name, counts in sorted(names.items())}
        for file, names in sorted(counted.items())
    }


def _nearest(counts: set[tuple[int, str]]) -> list[str]:
    """The nearest cases of each operation, in turns."""
    operations: dict[str, list[str]] = {}
    for identifier in dict.fromkeys(identifier for _, identifier in sorted(counts)):
        operations.setdefault(identifier.rpartition(".")[0].rpartition(".")[0], []).append(identifier)
    turns = zip_longest(*(own[:OF_AN_OPERATION] for own in operations.values()))
    return [identifier for turn in turns for identifier in turn if identifier is not None][:MOST_NAMED]

"""Loads the fixtures and checks that they are what the manifest says (CNF-2 … CNF-4)."""

import difflib
import gc
import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

from conformance.cases import pieces
from conformance.errors import BrokenError
from conformance.paths import FIXTURES
from conformance.wire import protocol, values
from conformance.wire.protocol import Question

MANIFEST = "manifest.json"
SUFFIX = ".jsonl"
BEGINNING = re.compile(rb'\{"id":"([^"]+)",')
LONG_FLAGS = frozenset(("corpus", "whole_table"))
LONG_MODULES = ("command_lines",)
MOST_NAMED = 3
"""Cases that one message names."""


@dataclass(frozen=True)
class Case:
    """One case of a fixture file, its values still encoded (CNF-3)."""

    id: str
    operation: str
    theme: str
    path: str
    fingerprint: str
    summary: str
    clauses: tuple[str, ...]
    flags: tuple[str, ...]
    level: str
    compare: str
    params: Any
    input: Any
    expect: dict[str, Any]

    @property
    def module(self) -> str:
        """The first part of the operation's name."""
        return self.operation.partition(".")[0]

    @property
    def is_long(self) -> bool:
        """Whether it takes long: it runs over a whole corpus or a whole table, or starts programs."""
        return not LONG_FLAGS.isdisjoint(self.flags) or self.module in LONG_MODULES

    @cached_property
    def question(self) -> Question:
        """What is asked."""
        return Question(self.operation, self.params, self.input)


@dataclass
class Fixtures:
    """Every case in file order, and what is wrong with the files.

    Attributes:
        cases: in the order of files and of the cases in them.
        problems: what is broken, each with its file and, where it can be told, its case.
    """

    cases: list[Case] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Selection:
    """Which cases to run; an empty list selects all. Ids and modules may hold `*`."""

    modules: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()

    def takes(self, case: Case) -> bool:
        """Whether a case is selected."""
        return (
            (not self.modules or any(fnmatchcase(case.module, pattern) for pattern in self.modules))
            and (not self.ids or any(fnmatchcase(case.id, pattern) for pattern in self.ids))
            and (not self.clauses or any(clause in case.clauses for clause in self.clauses))
            and (not self.flags or any(flag in case.flags for flag in self.flags))
        )

    def without_case(self, cases: list[Case]) -> list[str]:
        """What was asked for and is met by no case at all, one line each."""
        have = (
            ("module", self.modules, {case.module for case in cases}),
            ("case", self.ids, {case.id for case in cases}),
            ("clause", self.clauses, {clause for case in cases for clause in case.clauses}),
            ("flag", self.flags, {flag for case in cases for flag in case.flags}),
        )
        lines = []
        for what, wanted, there in have:
            for pattern in wanted:
                if not any(fnmatchcase(name, pattern) for name in there):
                    near = difflib.get_close_matches(pattern, sorted(there), n=1)
                    lines.append(f"there is no {what} {pattern}" + (f"; did you mean {near[0]}?" if near else ""))
        return lines


def load(folder: Path = FIXTURES, modules: tuple[str, ...] = ()) -> Fixtures:
    """The fixtures of a folder, checked against its manifest. A broken file is a problem, not an exception.

    Args:
        folder: the folder with `manifest.json`.
        modules: patterns of the modules to read; none reads all.

    Raises:
        BrokenError: the manifest itself cannot be read.
    """
    with _without_collecting():
        return _load(folder, modules)


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Stop the search for unused cycles while cases are read: a million objects have none."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _load(folder: Path, modules: tuple[str, ...]) -> Fixtures:
    loaded = Fixtures()
    manifest = _manifest(folder, loaded)
    files = manifest["files"]

    def wanted(path: str) -> bool:
        module = path.partition("/")[0]
        return not modules or any(fnmatchcase(module, pattern) for pattern in modules)

    present = {path.relative_to(folder).as_posix(): path for path in sorted(folder.glob(f"*/*{SUFFIX}"))}
    for path, entry in sorted(files.items()):
        if wanted(path) and path not in present:
            loaded.problems.append(
                f"{path} is missing (first wrong stage: the fixture itself); it held {', '.join(entry['cases'])}"
            )
    for path, file in present.items():
        if wanted(path):
            _load_file(path, file, files.get(path), loaded)
    _check_others(folder, manifest, loaded)
    loaded.problems += _strangers(folder)
    seen: dict[str, str] = {}
    for case in loaded.cases:
        if case.id in seen:
            loaded.problems.append(f"{case.path}: {case.id} is in {seen[case.id]} already")
        seen[case.id] = case.path
    return loaded


def _manifest(folder: Path, loaded: Fixtures) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise BrokenError(f"{MANIFEST}: {problem}") from None
    found = protocol.complaint("manifest", manifest)
    if found:
        raise BrokenError(f"{MANIFEST}: {found}")
    digests = {path: entry["sha256"] for path, entry in manifest["files"].items()} | manifest["others"]
    whole = "".join(f"{digests[path]}  {path}\n" for path in sorted(digests))
    if hashlib.sha256(whole.encode("utf-8")).hexdigest() != manifest["digest"]:
        loaded.problems.append(f"{MANIFEST}: its digest over all files is not theirs")
    return manifest


def _load_file(path: str, file: Path, entry: dict[str, Any] | None, loaded: Fixtures) -> None:
    content, begun = file.read_bytes(), len(loaded.cases)
    if entry is None:
        loaded.problems.append(f"{path} is not in the manifest")
    elif hashlib.sha256(content).hexdigest() != entry["sha256"]:
        loaded.problems.append(f"{path} was changed by hand{_where(content, entry)}: its SHA-256 is not the manifest's")
    for number, line in enumerate(content.splitlines(), start=1):
        case = _read_line(f"{path}:{number}", line, loaded)
        if case is not None:
            _add(_case(path, case), loaded)
    if entry is not None:
        there = {case.id for case in loaded.cases[begun:]}
        missing = [name for name in entry["cases"] if name not in there]
        if missing:
            loaded.problems.append(f"{path}: the manifest has {', '.join(missing)} too")


def parse(line: bytes | str) -> Any:
    """Return what a line of a fixture file holds.

    Raises:
        ValueError: the line is not JSON, not UTF-8, or has a bare float.
    """
    text = line.decode("utf-8") if isinstance(line, bytes) else line
    return json.loads(text, parse_float=_no_float, parse_constant=_no_float)


def by_id(content: bytes) -> dict[str, bytes]:
    """Return the lines of a fixture file by the ids of their cases; a line without an id in front has no place there.

    Args:
        content: the file, whole or damaged.
    """
    starts = ((BEGINNING.match(line), line) for line in content.splitlines(keepends=True))
    return {start[1].decode("utf-8", "replace"): line for start, line in starts if start}


def find(pattern: str, folder: Path = FIXTURES) -> list[bytes]:
    """Return the lines of the cases with such an id, unchecked.

    Args:
        pattern: an id, may hold `*`.
        folder: `fixtures/`, or another folder.
    """
    files = sorted(folder.glob(f"*/*{SUFFIX}"))
    lines = (item for path in files for item in by_id(path.read_bytes()).items())
    return [line for name, line in lines if fnmatchcase(name, pattern)]


def _read_line(where: str, line: bytes, loaded: Fixtures) -> dict[str, Any] | None:
    try:
        case = parse(line)
        found = protocol.complaint("fixture", case)
    except ValueError as problem:
        found = str(problem)
    if found:
        loaded.problems.append(f"{where}: {found}")
        return None
    assert isinstance(case, dict)
    return case


def _add(case: Case, loaded: Fixtures) -> None:
    loaded.cases.append(case)
    if case.path != f"{case.module}/{case.operation.partition('.')[2]}.{case.theme}{SUFFIX}":
        loaded.problems.append(f"{case.path}: {case.id}: its operation {case.operation} does not belong into this file")
    described = {"operation": case.operation, "params": case.params, "input": case.input}
    if values.digest(described) != case.fingerprint:
        loaded.problems.append(f"{case.path}: {case.id}: its params or input were changed by hand (fingerprint)")


def _where(content: bytes, entry: dict[str, Any]) -> str:
    """In which cases a file was changed, for a message."""
    found = pieces.changed(content, entry["cases"])
    if not found:
        return " outside its cases"
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return f" in {', '.join(found[:MOST_NAMED])}{more}"


def _case(path: str, case: dict[str, Any]) -> Case:
    return Case(
        id=case["id"],
        operation=case["operation"],
        theme=path.removesuffix(SUFFIX).rpartition(".")[2],
        path=path,
        fingerprint=case["fingerprint"],
        summary=case["summary"],
        clauses=tuple(case["clauses"]),
        flags=tuple(case["flags"]),
        level=case["level"],
        compare=case["compare"],
        params=case["params"],
        input=case["input"],
        expect=case["expect"],
    )


def _check_others(folder: Path, manifest: dict[str, Any], loaded: Fixtures) -> None:
    present = {
        path.relative_to(folder).as_posix(): path
        for name in ("corpora", "schema")
        for path in sorted((folder / name).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    for path, expected in sorted(manifest["others"].items()):
        if path not in present:
            loaded.problems.append(f"{path} is missing")
        elif hashlib.sha256(present[path].read_bytes()).hexdigest() != expected:
            loaded.problems.append(f"{path} was changed: its SHA-256 is not the manifest's")
    loaded.problems += [f"{path} is not in the manifest" for path in present if path not in manifest["others"]]


def _strangers(folder: Path) -> list[str]:
    """Files that are neither fixtures nor among those that the manifest covers."""
    covered = {"cases", "corpora", "schema"}
    return [
        f"{path.relative_to(folder).as_posix()} is no fixture, and nothing else that belongs here"
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not _belongs(path.relative_to(folder).parts, covered)
    ]


def _belongs(parts: tuple[str, ...], covered: set[str]) -> bool:
    if len(parts) == 1:
        return parts[0] == MANIFEST
    return parts[0] in covered or (len(parts) == 2 and parts[1].endswith(SUFFIX))


def _no_float(text: str) -> Any:
    raise ValueError(f"a bare float {text}; floats are written as decimal and bits")

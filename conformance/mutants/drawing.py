"""Draws mutants from the sources with a seed: the same as long as seed, sources and fixtures are the same (CNF-19).

Every change that may be made has a rank, which depends on the seed, the name of its file, its function and its line
alone. The changes with the lowest ranks are drawn: so a commit redraws only what it touches, wherever lines move to.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from conformance.mutants import compiling, equivalents, python_changes, ruby_changes
from conformance.mutants.changes import Change
from conformance.mutants.reached import Reached
from conformance.mutants.table import COMMAND_FILES, SOURCES, Mutant
from conformance.paths import ROOT

COUNT = 800
"""Mutants that are drawn of all sources."""
OF_A_FILE = 12
"""Mutants that are drawn of each file where only some files are looked at."""
WEIGHTS = {"kept": 20.0, "boundary": 6.0, "size": 3.0, "one_off": 2.0, "logic": 1.0}
"""How much likelier a change of a kind is drawn than one of another kind: the rare ones are worth more."""
SPARE = 1.3
"""More are looked at than are drawn, as a few are no programs or are known to change nothing."""


@dataclass(frozen=True)
class Candidate:
    """A change that may be drawn.

    Attributes:
        language: of the source.
        path: of the file, from the root of the repository.
        change: what is changed.
        cases: the cases that pass through its function.
        digest: says which change it is, with the seed; its beginning is part of the name.
    """

    language: str
    path: str
    change: Change
    cases: tuple[str, ...]
    digest: str

    @property
    def rank(self) -> float:
        """The lowest are drawn."""
        return int(self.digest[:13], 16) / WEIGHTS[self.change.kind]


def draw(reached: Reached, count: int = COUNT, seed: str = "1", paths: set[str] | None = None) -> list[Mutant]:
    """Draw mutants of both languages, no two in one line.

    Args:
        reached: the functions that cases pass through; only these are changed, and the files of the command line.
        count: the number of mutants.
        seed: what they are drawn with.
        paths: only of these files; None draws of all.
    """
    known = equivalents.results()
    ordered = sorted(candidates(reached, seed, paths), key=lambda one: (one.rank, one.path, one.change.at))
    drawn: list[Mutant] = []
    lines: set[tuple[str, int]] = set()
    for part in _parts(ordered, int(count * SPARE) + 1):
        mutants = [mutant(one) for one in part if not _is_known(one, known)]
        wrong = {problem.partition(":")[0] for problem in compiling.problems(mutants)}
        for one in mutants:
            line = (one.path, _text(one.path).count("\n", 0, one.at or 0))
            if one.name not in wrong and line not in lines and len(drawn) < count:
                lines.add(line)
                drawn.append(one)
        if len(drawn) == count:
            break
    return sorted(drawn, key=lambda one: one.name)


def candidates(reached: Reached, seed: str, paths: set[str] | None = None) -> Iterator[Candidate]:
    """Give every change that may be drawn."""
    files = {language: _files(language, paths) for language in SOURCES}
    found = {path: python_changes.changes(_text(path)) for path in files["python"]}
    found |= ruby_changes.changes({path: _text(path) for path in files["ruby"]}) if files["ruby"] else {}
    for language, own in files.items():
        for path in own:
            seen: Counter[str] = Counter()
            for change in found[path]:
                key = _key(language, path, change, seed)
                seen[key] += 1
                cases = _cases(language, path, change.inside, reached)
                if cases is not None:
                    digest = hashlib.sha256(f"{key}\0{seen[key]}".encode()).hexdigest()
                    yield Candidate(language, path, change, cases, digest)


def mutant(one: Candidate) -> Mutant:
    """Return the mutant that has this change."""
    change = one.change
    file = _file(one.language, one.path)
    area = file.parts[0] if len(file.parts) > 1 else "root"
    function = change.inside.rpartition(".")[2] or "file"
    name = re.sub(r"\W+", "_", f"{file.stem}_{function}_{change.kind}").strip("_")
    operations = dict.fromkeys(case.rpartition(".")[0].rpartition(".")[0] for case in one.cases)
    return Mutant(
        name=f"{area}.{name}_{one.digest[-6:]}.{one.language}",
        area=area,
        language=one.language,
        kind=change.kind,
        does=f"in {function} of {file}, {change.does}",
        path=one.path,
        function=None,
        replace=change.old,
        by=change.new,
        modules=tuple(operations),
        shuffle=False,
        fast=False,
        at=change.at,
        cases=one.cases,
    )


def _cases(language: str, path: str, inside: str, reached: Reached) -> tuple[str, ...] | None:
    """The cases that pass through a function; None: none does, so that nothing in it is drawn."""
    file = _file(language, path)
    if str(file).startswith(COMMAND_FILES):
        return ()
    names = next((reached[name] for name in _pairs(file) if name in reached), None)
    if names is None:
        return None
    anywhere = tuple(dict.fromkeys(case for cases in names.values() for case in cases))
    if language == "python":
        if not inside or inside not in _functions(path):
            return anywhere
        return tuple(names[inside]) if inside in names else None
    plain = _plain(inside)
    own = [case for name, cases in names.items() if _plain(name.rpartition(".")[2]) == plain for case in cases]
    in_python = next((f"{SOURCES['python'][0]}/{name}" for name in _pairs(file)), "")
    there = {_plain(name.rpartition(".")[2]) for name in _functions(in_python)} if (ROOT / in_python).is_file() else ()
    return tuple(dict.fromkeys(own)) if own else None if plain in there else anywhere


def _plain(name: str) -> str:
    """What functions of both languages are called alike by."""
    return {"initialize": "init", "__init__": "init"}.get(name, name.strip("_?!="))


def _pairs(file: PurePosixPath) -> list[str]:
    """The file of the reference that a file mirrors."""
    return [str(file.with_suffix(".py"))]


def _file(language: str, path: str) -> PurePosixPath:
    """The file within its library."""
    return PurePosixPath(path).relative_to(SOURCES[language][0])


def _files(language: str, paths: set[str] | None) -> list[str]:
    folder, ending = SOURCES[language]
    found = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob(f"*.{ending}"))
    return [path for path in found if paths is None or path in paths]


def _key(language: str, path: str, change: Change, seed: str) -> str:
    """What tells a change: it stays when lines or files move."""
    source = _text(path)
    start = source.rfind("\n", 0, change.at) + 1
    line = source[start:].partition("\n")[0]
    place = change.at - start - (len(line) - len(line.lstrip()))
    name = PurePosixPath(path).name
    return "\0".join((seed, language, name, change.inside, line.strip(), str(place), change.old, change.new))


def _is_known(one: Candidate, known: set[tuple[str, str]]) -> bool:
    return (one.path, equivalents.digest(one.change.apply(_text(one.path)))) in known


def _parts(ordered: list[Candidate], size: int) -> Iterator[list[Candidate]]:
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]


@cache
def _functions(path: str) -> frozenset[str]:
    """The functions of a Python source, with their classes."""
    return frozenset(python_changes.names(_text(path)))


@cache
def _text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def changed_sources(paths: Iterable[str]) -> set[str]:
    """Return those of the paths that are sources of either library."""
    ours = tuple(f"{folder}/" for folder, _ in SOURCES.values())
    return {path for path in paths if path.startswith(ours) and (ROOT / path).is_file() and Path(path).suffix}

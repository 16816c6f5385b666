"""The numbered clauses of the specification, as `docs/spec` states them (CNF-20).

A clause begins with a heading that holds its anchor, its number with a link to its line in `docs/clauses.md`, and its
title:

    ### <a id="ret-3"></a>[RET-3](../clauses.md#ret-3) The rerank window
"""

import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from conformance.errors import BrokenError
from conformance.paths import ROOT

FOLDER = ROOT / "docs" / "spec"
NOT_BUILT = "**Not built yet.**"
HEADING = re.compile(
    r'### <a id="(?P<anchor>[^"]+)"></a>\[(?P<number>[A-Z]+-[1-9][0-9]*)\]'
    r"\(\.\./clauses\.md#(?P<link>[^)]+)\) (?P<title>.+)"
)


@dataclass(frozen=True)
class Clause:
    """A numbered clause.

    Attributes:
        number: `RET-3`.
        title: what it is about, in a few words.
        chapter: the name of its file in `docs/spec`.
        built: whether the code is meant to follow it already.
        text: what it says, up to the next heading.
    """

    number: str
    title: str
    chapter: str
    built: bool
    text: str = ""

    @property
    def anchor(self) -> str:
        """Where it begins in its chapter."""
        return self.number.lower()


@cache
def load(folder: Path = FOLDER) -> dict[str, Clause]:
    """The clauses by their numbers, in the order of the chapters.

    Raises:
        BrokenError: there are none, a heading is malformed, or a number comes twice.
    """
    clauses: dict[str, Clause] = {}
    for path in sorted(folder.glob("[0-9]*.md")):
        for clause in _chapter(path):
            if clause.number in clauses:
                raise BrokenError(f"{path.name}: {clause.number} stands in {clauses[clause.number].chapter} already")
            clauses[clause.number] = clause
    if not clauses:
        raise BrokenError(f"{folder} holds no clauses")
    return clauses


def chapters(folder: Path = FOLDER) -> dict[str, str]:
    """The title of each chapter by the name of its file."""
    return {
        path.name: path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        for path in sorted(folder.glob("[0-9]*.md"))
    }


def _chapter(path: Path) -> list[Clause]:
    found: list[Clause] = []
    bodies: list[list[str]] = []
    built, inside = True, False
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(("# ", "## ")):
            built, inside = True, False
        elif line.startswith(NOT_BUILT):
            built = False
        elif line.startswith("###"):
            heading = HEADING.fullmatch(line)
            if heading is None or not heading["number"].lower() == heading["anchor"] == heading["link"]:
                raise BrokenError(f"{path.name}: not the heading of a clause: {line}")
            found.append(Clause(heading["number"], heading["title"], path.name, built))
            bodies.append([])
            inside = True
        elif inside:
            bodies[-1].append(line)
    return [replace(one, text="\n".join(body).strip()) for one, body in zip(found, bodies, strict=True)]

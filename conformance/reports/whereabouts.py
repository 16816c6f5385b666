"""Where to look for what is wrong: the clauses a case is about, and the files of the library that cite them."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import PurePosixPath

from conformance.cases import citations, specification
from conformance.cases.citations import Citation
from conformance.errors import BrokenError
from conformance.judging.results import Result
from conformance.judging.suspects import Mistake, Suspect
from conformance.paths import ROOT

FOLDERS = {
    "reference": PurePosixPath("python_ref/hybrid_search"),
    "python": PurePosixPath("python_ref/hybrid_search"),
    "ruby": PurePosixPath("ruby/lib/hybrid_search"),
}
"""What the names of implementations of this repository begin with, and the code of each."""
MOST_FILES = 4
QUOTED = 400
"""Characters of a clause that a report quotes."""


def clauses(result: Result) -> list[str]:
    """The clauses of a case, each with its title and where it stands."""
    known = specification.load()
    found = [known[number] for number in result.clauses if number in known]
    return [f"{one.number} {one.title}: docs/spec/{one.chapter}#{one.anchor}" for one in found]


def title(clause: str) -> str:
    """The title of a clause; empty where there is no such clause."""
    known = specification.load().get(clause)
    return "" if known is None else known.title


def of_clause(clause: str, implementations: Sequence[str]) -> list[str]:
    """The files that cite a clause most, of the languages of some implementations."""
    folders = {FOLDERS[name.partition("-")[0]] for name in implementations if name.partition("-")[0] in FOLDERS}
    cited = Counter(
        str(one.path)
        for one in _citations()
        if one.clause == clause and not one.in_row and folders & set(one.path.parents)
    )
    return [path for path, _ in sorted(cited.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_FILES]]


def quotes(result: Result) -> list[str]:
    """What the clauses of a case say, each cut where it is long."""
    known = specification.load()
    texts = [(number, " ".join(known[number].text.split())) for number in result.clauses if number in known]
    return [f"{number}: {text if len(text) <= QUOTED else text[:QUOTED].rstrip() + ' …'}" for number, text in texts]


def reference_files(result: Result) -> list[str]:
    """The files of the reference that say how it must be, for a case that fails elsewhere."""
    own = FOLDERS.get(result.implementation.partition("-")[0])
    return [] if own == FOLDERS["reference"] else files(replace(result, implementation="reference"))


def files(result: Result) -> list[str]:
    """The files that may be wrong: first of the module of the case, then by how many of its clauses they cite.

    None for the implementations of others, whose code is not known here.
    """
    folder = FOLDERS.get(result.implementation.partition("-")[0])
    if folder is None:
        return []
    here = [one for one in _citations() if folder in one.path.parents and one.clause in result.clauses]
    cited = Counter(path for path, _ in {(one.path, one.clause) for one in here if not one.in_row})
    own = folder / result.module
    ordered = sorted(cited, key=lambda path: (own not in (path.parent, path.with_suffix("")), -cited[path], path))
    return [str(path) for path in ordered[:MOST_FILES]]


def functions(mistake: Mistake, right: int, implementations: Sequence[str]) -> list[str]:
    """The functions that failures point to, the likeliest first, each with its place in the reference.

    Those that are as likely as each other and in one file are told together.

    Args:
        mistake: that explains the failures.
        right: how many right cases were asked.
        implementations: who fails; of one whose code is known here the place in it comes first.
    """
    told: dict[tuple[str, float, int, int], list[Suspect]] = {}
    for one in mistake.suspects:
        told.setdefault((one.file, one.score, one.wrong, one.right), []).append(one)
    names = {name.partition("-")[0] for name in implementations}
    ports = [FOLDERS[name] for name in FOLDERS if name in names and FOLDERS[name] != FOLDERS["reference"]]
    return [
        f"{_places(ports, file, own)}; through {'it' if len(own) == 1 else 'them'} pass {wrong} of "
        f"{mistake.unexplained} wrong cases and {passed} of {right} right ones"
        for (file, _, wrong, passed), own in told.items()
    ]


def _places(ports: Sequence[PurePosixPath], file: str, own: Sequence[Suspect]) -> str:
    names = ", ".join(one.name.rpartition(".")[2] for one in own)
    reference = f"{FOLDERS['reference'] / file}:{own[0].line}"
    twins = [twin for port in ports if (twin := _twin(port, file, own))]
    return f"{names} in {', '.join(twins)} (the reference: {reference})" if twins else f"{names} in {reference}"


def _twin(port: PurePosixPath, file: str, own: Sequence[Suspect]) -> str | None:
    """The file of a port that mirrors one of the reference, with the line of the first function that it has too."""
    path = (port / file).with_suffix(".rb")
    if not (ROOT / path).is_file():
        return None
    text = (ROOT / path).read_text(encoding="utf-8")
    for one in own:
        name = re.escape(one.name.rpartition(".")[2].strip("_").replace("init", "initialize"))
        found = re.search(rf"^ *def (?:self\.)?{name}[?!]?(?![a-z_0-9])", text, re.MULTILINE)
        if found:
            return f"{path}:{text[: found.start()].count(chr(10)) + 1}"
    return str(path)


@cache
def _citations() -> list[Citation]:
    try:
        return citations.find({number.partition("-")[0] for number in specification.load()})
    except BrokenError:
        return []  # no checkout: a report is worth more than where to look

"""Where to look for what is wrong: the clauses a case is about, and the files of the library that cite them."""

from collections import Counter
from functools import cache
from pathlib import PurePosixPath

from conformance.cases import citations, specification
from conformance.cases.citations import Citation
from conformance.errors import BrokenError
from conformance.judging.results import Result

FOLDERS = {
    "reference": PurePosixPath("python_ref/hybrid_search"),
    "python": PurePosixPath("python_ref/hybrid_search"),
    "ruby": PurePosixPath("ruby/lib/hybrid_search"),
}
"""What the names of implementations of this repository begin with, and the code of each."""
MOST_FILES = 4


def clauses(result: Result) -> list[str]:
    """The clauses of a case, each with its title and where it stands."""
    known = specification.load()
    found = [known[number] for number in result.clauses if number in known]
    return [f"{one.number} {one.title}: docs/spec/{one.chapter}#{one.anchor}" for one in found]


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


@cache
def _citations() -> list[Citation]:
    try:
        return citations.find({number.partition("-")[0] for number in specification.load()})
    except BrokenError:
        return []  # no checkout: a report is worth more than where to look

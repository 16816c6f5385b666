"""Where the clauses of the specification are cited, in code, cases and documents (CNF-20).

A citation is the number of a clause, `RET-3`, alone or with a part of it (`QRY-6.2`), or the first and the last of a
row of them (`RNK-1 … RNK-3`, which stands for all three).
"""

import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from conformance.errors import BrokenError
from conformance.paths import ROOT

NUMBER = re.compile(
    r"(?<![\w-])(?P<family>[A-Z]{2,4})-(?P<first>[0-9]+)(?!\w)(?: … (?P=family)-(?P<last>[0-9]+)(?!\w))?"
)
NO_CLAUSES = ("BSD", "CRC", "IEEE", "IL", "SHA", "UTF")
"""What else looks like the family of a clause: `UTF-8`, `SHA-256`."""
CASES = "fixtures/cases/"
"""What looks like the number of a clause may be the text of an input there."""
PASSED_OVER = ("fixtures/", "docs/clauses.md", "conformance/clauses.yml", "ruby/data/")
"""What commands make, texts of corpora, and the list of all clauses; but not the cases."""


@dataclass(frozen=True)
class Citation:
    """One place that cites a clause.

    Attributes:
        clause: the number of the clause.
        path: the file, from the root of the repository.
        line: the line, from 1.
        in_row: whether the clause is cited as one of a row of clauses.
    """

    clause: str
    path: PurePosixPath
    line: int
    in_row: bool


def find(families: Iterable[str], root: Path = ROOT) -> list[Citation]:
    """All citations in the files of the repository that people write.

    Args:
        families: what the numbers of clauses begin with; in cases nothing else is taken for a clause.
        root: the repository.

    Raises:
        BrokenError: git cannot list the files.
    """
    known = set(families)
    found: list[Citation] = []
    for path in _files(root):
        try:
            text = (root / path).read_text(encoding="utf-8")
        except (FileNotFoundError, UnicodeDecodeError):
            continue
        only_known = str(path).startswith(CASES)
        found += [one for one in _in_text(text, path) if not only_known or one.clause.partition("-")[0] in known]
    return found


def _files(root: Path) -> list[PurePosixPath]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout.decode("utf-8")
    except (OSError, subprocess.CalledProcessError) as problem:
        raise BrokenError(f"git cannot list the files of {root}: {problem}") from None
    names = sorted(set(listed.split("\0")) - {""})
    return [PurePosixPath(name) for name in names if name.startswith(CASES) or not name.startswith(PASSED_OVER)]


def _in_text(text: str, path: PurePosixPath) -> Iterator[Citation]:
    line, counted = 1, 0
    for number in NUMBER.finditer(text):
        family = number["family"]
        if family in NO_CLAUSES:
            continue
        line += text.count("\n", counted, number.start())
        counted = number.start()
        first = int(number["first"])
        last = int(number["last"] or first)
        for one in range(first, max(first, last) + 1):
            yield Citation(f"{family}-{one}", path, line, last > first)

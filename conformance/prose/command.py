"""Checks the project's English and the titles of its commits: `bin/conformance prose`.

The idioms that a text may not contain are in `conformance/prose/idioms.yml`, with the folders that are not clean yet.
Exit status: 0 clean, 1 findings, 2 the list itself is malformed.
"""

import argparse
import re
import subprocess
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

from conformance import yaml_files
from conformance.command_line import CommandParser
from conformance.errors import BrokenError
from conformance.paths import CONFORMANCE, ROOT
from conformance.prose.texts import KINDS, Line, markdown

LIST = CONFORMANCE / "prose" / "idioms.yml"
LONGEST_TITLE = 72


@dataclass(frozen=True)
class Idiom:
    """An expression that texts avoid, and the words to write instead."""

    pattern: re.Pattern[str]
    write: str


@dataclass(frozen=True)
class Finding:
    """An idiom in a line of a file."""

    path: str
    line: int
    words: str
    write: str

    def __str__(self) -> str:
        """Return the finding as one line, as compilers print theirs."""
        return f'{self.path}:{self.line}: "{self.words}"; write: {self.write}'


def main(arguments: list[str]) -> int:
    """Print the findings and return the exit status."""
    parser = CommandParser("prose", __doc__ or "")
    parser.add_argument("path", nargs="*", help="only these files and folders, and all their findings")
    parser.add_argument("--counts", action="store_true", help="print the number of findings of each file instead")
    line: argparse.Namespace = parser.parse_args(arguments)
    stated = yaml_files.load(LIST)
    found = [one for one in findings(stated) if not line.path or _within(one.path, line.path)]
    if line.counts:
        for path, count in Counter(one.path for one in found).most_common():
            print(f"{count:6} {path}")
        return 0
    problems = [str(one) for one in found] if line.path else [*judged(found, stated["not_yet"]), *long_titles()]
    for problem in problems:
        print(problem)
    allowed = f", {len(found)} findings in folders that are not clean yet" if found and not line.path else ""
    print(f"prose: {len(problems)} problems{allowed}")
    return 1 if problems else 0


def findings(stated: Mapping[str, Any], root: Path = ROOT) -> list[Finding]:
    """Return the findings in all files that the list names, in the order of their paths."""
    idioms = [Idiom(re.compile(one["pattern"], re.IGNORECASE), one["write"]) for one in stated["idioms"]]
    generated = stated["generated"]
    kinds: dict[str, Callable[[str], Iterator[Line]]] = {
        **KINDS,
        "markdown": partial(markdown, generated=generated["blocks"]),
    }
    unseen = set(stated["pinned"])
    found: list[Finding] = []
    for kind, patterns in stated["reads"].items():
        for path in sorted({path for pattern in patterns for path in root.glob(pattern) if path.is_file()}):
            name = path.relative_to(root).as_posix()
            if name in generated["files"]:
                continue
            text = path.read_text(encoding="utf-8")
            for pinned in stated["pinned"]:
                if pinned in text:
                    unseen.discard(pinned)
                    text = text.replace(pinned, "…")
            found += _in_file(name, list(kinds[kind](text)), idioms)
    if unseen:
        raise BrokenError(f"{LIST.name}: no file contains the pinned {', '.join(sorted(unseen))}")
    return sorted(found, key=lambda one: (one.path, one.line))


def _in_file(name: str, prose_lines: Sequence[Line], idioms: Sequence[Idiom]) -> Iterator[Finding]:
    """Yield the findings of a file; its lines are joined, since an idiom may begin on one and end on the next."""
    lines = [(number, " ".join(line.split())) for number, line in prose_lines]
    ends = list(accumulate(len(line) + 1 for _, line in lines))
    prose = " ".join(line for _, line in lines)
    for idiom in idioms:
        for match in idiom.pattern.finditer(prose):
            yield Finding(name, lines[bisect_right(ends, match.start())][0], match[0].strip(), idiom.write)


def judged(found: Sequence[Finding], not_yet: Mapping[str, int]) -> Iterator[str]:
    """Yield the findings outside the folders that are not clean yet, and the entries of these that are wrong."""
    counts = Counter(_place(one.path, not_yet) for one in found)
    for place, most in not_yet.items():
        if counts[place] == 0:
            yield f"{place} is clean: remove it from not_yet in {LIST.relative_to(ROOT)}"
        elif counts[place] > most:
            yield (
                f"{place} has {counts[place]} findings, and not_yet allows {most}; "
                f"bin/conformance prose {place} lists them"
            )
    yield from (str(one) for one in found if _place(one.path, not_yet) is None)


def _place(path: str, places: Mapping[str, int]) -> str | None:
    return max((place for place in places if _within(path, [place])), key=len, default=None)


def _within(path: str, places: Sequence[str]) -> bool:
    return any(path == place or path.startswith(f"{place.rstrip('/')}/") for place in places)


def long_titles(root: Path = ROOT) -> Iterator[str]:
    """Yield the titles of commits since `origin/main`, or the last tag, that are too long."""
    base = _git(root, "rev-parse", "--verify", "--quiet", "origin/main") or _git(
        root, "describe", "--tags", "--abbrev=0"
    )
    if not base:
        print("prose: titles of commits are not checked: there is no origin/main and no tag to begin from")
        return
    for title in (_git(root, "log", "--format=%s", f"{base}..HEAD") or "").splitlines():
        if len(title) > LONGEST_TITLE:
            yield f"the title of a commit has {len(title)} characters, more than {LONGEST_TITLE}: {title}"


def _git(root: Path, *words: str) -> str | None:
    command = ["git", "-C", str(root), *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    except FileNotFoundError as missing:
        raise BrokenError("git is not installed") from missing
    return done.stdout.strip() if done.returncode == 0 else None

"""Show which values of which cases differ from another commit, for a review of changed fixtures.

The fixtures are compared with those of the commit at which this branch left COMMIT. Each value that differs has a line
with its path in the case.
"""

from fnmatch import fnmatchcase
from typing import Any

from rich.console import Console
from rich.markup import escape

from conformance.cases import fixtures
from conformance.command_line import CommandParser
from conformance.commands import git
from conformance.judging import differences
from conformance.paths import FIXTURES, ROOT
from conformance.reports.terminal import new_console

EPILOG = "exit status: 0 nothing differs, 1 something does, 2 git does not know the commit"
FOLDER = FIXTURES.relative_to(ROOT).as_posix()
Cases = dict[str, dict[str, Any]]


def main(arguments: list[str]) -> int:
    """Run the command."""
    parser = CommandParser("diff", __doc__, EPILOG)
    parser.add_argument("commit", nargs="?", default="HEAD", help="what is compared with (default HEAD)")
    parser.add_argument("--case", action="append", default=[], metavar="ID", help="only these cases, may hold *")
    parser.add_argument("--lines", type=int, default=differences.MOST_LINES, metavar="N", help="lines of a case")
    options = parser.parse_args(arguments)
    before, after = _both(options.commit, options.case or ["*"])
    console = new_console()
    counts = {"changed": 0, "added": 0, "removed": 0}
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) == after.get(name):
            continue
        what = "changed" if name in before and name in after else "added" if name in after else "removed"
        counts[what] += 1
        _show(what, before.get(name), after.get(name), options.lines, console)
    console.print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if any(counts.values()) else 0


def _both(commit: str, patterns: list[str]) -> tuple[Cases, Cases]:
    """The cases of all files that differ, as they were and as they are."""
    base = git.base(commit)
    before: Cases = {}
    after: Cases = {}
    for path in git.differing(commit, FOLDER):
        if path.count("/") == 2 and path.endswith(fixtures.SUFFIX):
            now = (ROOT / path).read_bytes() if (ROOT / path).is_file() else b""
            before |= _cases(git.content(base, path), patterns)
            after |= _cases(now, patterns)
    return before, after


def _cases(content: bytes, patterns: list[str]) -> Cases:
    cases = [fixtures.parse(line) for line in content.splitlines()]
    for case in cases:
        case.pop("fingerprint", None)  # changes with parameters and input, which are shown
    return {case["id"]: case for case in cases if any(fnmatchcase(case["id"], pattern) for pattern in patterns)}


def _show(what: str, before: Any, after: Any, most: int, console: Console) -> None:
    case = after or before
    colour = {"changed": "yellow", "added": "green", "removed": "red"}[what]
    console.print(f"[{colour}]{what}[/] [bold]{escape(case['id'])}[/] {escape(case['summary'])}", soft_wrap=True)
    if what == "changed":
        for line in differences.changes(before, after, most):
            console.print(f"  {escape(line)}", soft_wrap=True)

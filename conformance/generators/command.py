"""Make what both languages share: data tables and golden fixtures.

`bin/conformance make commands [--check]`
`bin/conformance make data [--check]`
`bin/conformance make fixtures [--all | --check [--described]] [--only MODULE,...]`
`bin/conformance make manifest`
`bin/conformance make options [--check]`
`bin/conformance make http [--check]`
`bin/conformance make release [--check]`
`bin/conformance make sessions`
`bin/conformance make histories [--check]`
"""

import platform
import sys
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.command_line import CommandParser
from conformance.generators import written
from conformance.paths import ROOT

if TYPE_CHECKING:
    from conformance.generators.fixtures import Made


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 0 when all is well, 1 when `--check` found drift or something could not be made."""
    parser = CommandParser("make", __doc__)
    parser.add_argument(
        "what",
        choices=["commands", "data", "fixtures", "histories", "manifest", "options", "http", "release", "sessions"],
        help="commands: what command lines of hybrid-search print; data: the tables that the libraries read; fixtures: "
        "expected values; manifest: the manifest of the committed fixtures, after a merge; options: what is said of "
        "the options of a retrieval; http: tables of the HTTP service, its OpenAPI document and its search page; "
        "release: the version and the address of the repository; sessions: what a PostgreSQL server returns, for "
        "cases; histories: cases of index files, drawn with seeds",
    )
    parser.add_argument("--check", action="store_true", help="compare with the committed files and write nothing")
    parser.add_argument("--only", metavar="MODULE,...", help="fixtures of these modules only")
    parser.add_argument("--all", action="store_true", help="compute every case, even if nothing it depends on changed")
    parser.add_argument(
        "--described", action="store_true", help="with --check: compare all but the answers, which need not be computed"
    )
    options = parser.parse_args(arguments)
    if options.described and not options.check:
        parser.error("--described goes with --check")
    if options.what == "commands":
        from conformance.generators import command_lines

        return _write(command_lines.files(), options.check)
    if options.what == "data":
        from conformance.generators import data_files

        return _write(data_files.files(), options.check)
    if options.what == "options":
        from conformance.generators import command_docs
        from conformance.generators import options as retrieval_options

        told = [*retrieval_options.files(retrieval_options.load()), *command_docs.files()]
        return _write(told, options.check)
    if options.what == "http":
        from conformance.generators import http_tables

        return _write(http_tables.files(http_tables.said()), options.check)
    if options.what == "release":
        from conformance.generators import release

        return _write(release.files(release.load()), options.check)
    if options.what == "sessions":
        from conformance.generators import sessions

        return _write(sessions.files(), check=False)
    if options.what == "histories":
        from conformance.generators import damages, histories

        return _write([*histories.of_files(), *damages.files()], options.check)
    if options.what == "manifest":
        from conformance.generators import fixtures

        print("\n".join(fixtures.write_manifest()) or "no changes")
        return 0
    only = set(options.only.split(",")) if options.only else None
    if options.check:
        return _check(only, options.described)
    return _make(only, options.all)


def _write(files: Iterable[tuple[Path, bytes]], check: bool) -> int:
    changed = written.differing(files) if check else written.write(files)
    for path in changed:
        print(f"{'differs' if check else 'wrote'}: {path.relative_to(ROOT)}")
    return 1 if check and changed else 0


def _check(only: set[str] | None, described: bool) -> int:
    from conformance.generators import fixtures
    from conformance.generators.reuse import Committed

    made = fixtures.make(only, Committed() if described else None)
    if _problems(made.problems):
        return 1
    lines = fixtures.check(made, only)
    _tell(made, lines, "drift" if lines else "no drift")
    return 1 if lines else 0


def _make(only: set[str] | None, everything: bool) -> int:
    from conformance.generators import fixtures
    from conformance.generators.reuse import Reuse

    reuse = Reuse(everything=everything)
    made = fixtures.make(only, reuse)
    if _problems(made.problems):
        return 1
    lines = fixtures.write(made, only)
    reuse.save()
    _tell(made, lines, f"{len(lines)} changes")
    return 0


def _problems(problems: list[str]) -> bool:
    for problem in problems:
        print(f"problem: {problem}", file=sys.stderr)
    if problems:
        print("nothing compared or written", file=sys.stderr)
    return bool(problems)


def _tell(made: "Made", lines: list[str], verdict: str) -> None:
    for line in lines:
        print(line)
    total = sum(map(len, made.case_ids.values()))
    print(f"{total} cases in {len(made.files)} files, {made.computed} computed: {verdict}")
    print(f"by Python {platform.python_version()} with Unicode {unicodedata.unidata_version}")

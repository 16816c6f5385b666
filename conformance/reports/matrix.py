"""The Markdown matrix of modules and implementations, and its places in the documents (CNF-14).

It holds counts alone, no times and no versions, so that two runs with the same outcome give the same text.
`bin/conformance matrix` puts the matrix of the last run into docs/conformance.md, its sums into the README, and its
badge into docs/; with `--check` it only tells, by its exit status, whether they are there. Where the program of an
optional implementation is not installed the last run has no column of it, nor of a slow one that was not asked all
cases: then the others are checked, with a word about it, and nothing is written.
"""

import argparse
import sys
from collections.abc import Collection
from pathlib import Path

from conformance.errors import BrokenError
from conformance.implementations import listing
from conformance.judging.results import Result
from conformance.judging.runner import REFERENCE
from conformance.paths import REPORTS, ROOT
from conformance.reports import summary
from conformance.reports.log import Log

BEGIN, END = "<!-- conformance:begin -->", "<!-- conformance:end -->"


def build(log: Log) -> str:
    """The table, with a line feed at the end."""
    names = [name for name in log.names if name not in log.start.get("partly", [])]
    head = ["module", "cases", *names]
    lines = [_row(head), _row(["---", "---:", *["---"] * len(names)])]
    modules = sorted({result.module for result in log.results})
    lines += [_row(_cells(module, [one for one in log.results if one.module == module], names)) for module in modules]
    lines.append(_row(_cells("**all**", log.results, names)))
    return "".join(f"{line}\n" for line in lines)


def write(path: Path, log: Log) -> None:
    """Write the table to a file of its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(build(log), encoding="utf-8", newline="\n")


def placed(text: str, table: str) -> str:
    """A document with the table between its markers.

    Raises:
        ValueError: the document does not have both markers, once each and in order.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in rest or END in after:
        raise ValueError(f"needs {BEGIN} and then {END}, each once")
    return f"{before}{BEGIN}\n{table}{END}{after}"


def without(table: str, names: Collection[str]) -> str:
    """The table without the columns of these implementations."""
    rows = [_cut(line) for line in table.splitlines()]
    kept = [place for place, name in enumerate(rows[0]) if name not in names] if rows else []
    return "".join(f"{_row([row[place] for place in kept if place < len(row)])}\n" for row in rows)


def sums(table: str) -> str:
    """The table with the last of its rows alone, which holds the sums."""
    lines = table.splitlines(keepends=True)
    return "".join([*lines[:2], *lines[2:][-1:]])


def main(arguments: list[str] | None = None) -> int:
    """Run the command: 0 when the matrix and the badge are there, 1 when `--check` finds others, 2 without a run."""
    parser = argparse.ArgumentParser(
        prog="conformance matrix", description="Put the matrix of the last run into a document."
    )
    parser.add_argument("--check", action="store_true", help="change nothing")
    parser.add_argument("--matrix", type=Path, default=REPORTS / "matrix.md", metavar="FILE", help="of the last run")
    parser.add_argument(
        "--document", type=Path, default=ROOT / "docs" / "conformance.md", metavar="FILE", help="with the markers"
    )
    parser.add_argument(
        "--sums", type=Path, default=ROOT / "README.md", metavar="FILE", help="with the markers, for the sums alone"
    )
    parser.add_argument(
        "--badge", type=Path, default=ROOT / "docs" / "conformance.svg", metavar="FILE", help="its copy"
    )
    parser.add_argument(
        "--implementations-from", type=Path, default=listing.LIST, metavar="FILE", help="the list of them"
    )
    options = parser.parse_args(arguments)
    try:
        made = options.matrix.read_text(encoding="utf-8")
        wanted = {options.document: made, options.sums: sums(made)}
        texts = {path: path.read_text(encoding="utf-8") for path in wanted}
        for path, table in wanted.items():
            placed(texts[path], table)
        badge = options.matrix.with_name("badge.svg").read_text(encoding="utf-8")
        missing = [name for name in _names(_table(texts[options.document])) if name not in _names(made)]
        left_out = _left_out(missing, options.implementations_from)
    except (OSError, ValueError, BrokenError) as problem:
        print(f"matrix: {options.document.name}: {problem}", file=sys.stderr)
        return 2
    for line in left_out.values():
        print(f"matrix: {line}; {options.document.name} keeps its column, which nothing checks here")
    kept = options.badge.read_text(encoding="utf-8") if options.badge.is_file() else ""
    old = {path: without(_table(text), left_out) if left_out else _table(text) for path, text in texts.items()}
    if (old, kept) == (wanted, badge):
        return 0
    if options.check:
        told = ", ".join(name for name in missing if name not in left_out)
        why = f"; that run did not have {told}" if told else ""
        print(
            f"matrix: {options.document.name}, {options.sums.name} or the badge are not those of the last run{why}",
            file=sys.stderr,
        )
        print("matrix: `bin/conformance` and then `rake matrix` bring them up to date", file=sys.stderr)
        return 1
    if left_out:
        print(f"matrix: {options.document.name} needs a run of all implementations", file=sys.stderr)
        return 2
    for path, table in wanted.items():
        path.write_text(placed(texts[path], table), encoding="utf-8", newline="\n")
    options.badge.write_text(badge, encoding="utf-8", newline="\n")
    return 0


def _table(document: str) -> str:
    """What stands between the markers."""
    return document.partition(BEGIN)[2].partition(END)[0].removeprefix("\n")


def _cut(row: str) -> list[str]:
    return row.removeprefix("| ").removesuffix(" |").split(" | ")


def _names(table: str) -> list[str]:
    """The implementations that have a column."""
    return _cut(table.partition("\n")[0])[2:]


def _left_out(missing: list[str], path: Path) -> dict[str, str]:
    """Of the implementations without a column those that cannot run here or were not asked all cases, and why.

    Raises:
        BrokenError: the list of implementations is not usable.
    """
    listed = [name for name in listing.names(path) if name in missing]
    found = {}
    for one in listing.load(listed, path) if listed else []:
        if one.optional and not one.is_installed():
            found[one.name] = f"{one.name} was left out, as {one.command[0]} is not installed"
        elif one.slow and one.name != REFERENCE:
            found[one.name] = f"{one.name} was asked a sample of the cases"
    return found


def _cells(title: str, results: list[Result], names: list[str]) -> list[str]:
    cells = [title, str(len({result.case for result in results}))]
    for name in names:
        own = [result for result in results if result.implementation == name]
        mark = "❌" if any(result.counts for result in own) else "✅" if _passes(own) else "–"
        cells.append(
            f"{mark} {', '.join(f'{count} {status}' for status, count in summary.counts(own).items())}".strip()
        )
    return cells


def _passes(results: list[Result]) -> bool:
    return any(result.status == "pass" for result in results)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"

"""The Markdown matrix of modules and implementations, and its place in the README (CNF-14).

It holds counts alone, no times and no versions, so that two runs with the same outcome give the same text.
`bin/conformance matrix` puts the matrix of the last run into the README and its badge into docs/; with
`--check` it only tells, by its exit status, whether they are there.
"""

import argparse
import sys
from pathlib import Path

from conformance.judging.results import Result
from conformance.paths import REPORTS, ROOT
from conformance.reports import summary
from conformance.reports.log import Log

BEGIN, END = "<!-- conformance:begin -->", "<!-- conformance:end -->"


def build(log: Log) -> str:
    """The table, with a line feed at the end."""
    head = ["module", "cases", *log.names]
    lines = [_row(head), _row(["---", "---:", *["---"] * len(log.names)])]
    modules = sorted({result.module for result in log.results})
    lines += [
        _row(_cells(module, [one for one in log.results if one.module == module], log.names)) for module in modules
    ]
    lines.append(_row(_cells("**all**", log.results, log.names)))
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


def main(arguments: list[str] | None = None) -> int:
    """Run the command: 0 when the matrix and the badge are there, 1 when `--check` finds others, 2 without a run."""
    parser = argparse.ArgumentParser(
        prog="conformance matrix", description="Put the matrix of the last run into a document."
    )
    parser.add_argument("--check", action="store_true", help="change nothing")
    parser.add_argument("--matrix", type=Path, default=REPORTS / "matrix.md", metavar="FILE", help="of the last run")
    parser.add_argument("--document", type=Path, default=ROOT / "README.md", metavar="FILE", help="with the markers")
    parser.add_argument(
        "--badge", type=Path, default=ROOT / "docs" / "conformance.svg", metavar="FILE", help="its copy"
    )
    options = parser.parse_args(arguments)
    try:
        old = options.document.read_text(encoding="utf-8")
        new = placed(old, options.matrix.read_text(encoding="utf-8"))
        badge = options.matrix.with_name("badge.svg").read_text(encoding="utf-8")
    except (OSError, ValueError) as problem:
        print(f"matrix: {options.document.name}: {problem}", file=sys.stderr)
        return 2
    kept = options.badge.read_text(encoding="utf-8") if options.badge.is_file() else ""
    if (old, kept) == (new, badge):
        return 0
    if options.check:
        print(f"matrix: {options.document.name} or its badge are not those of the last run", file=sys.stderr)
        return 1
    options.document.write_text(new, encoding="utf-8", newline="\n")
    options.badge.write_text(badge, encoding="utf-8", newline="\n")
    return 0


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

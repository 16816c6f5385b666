"""`bin/conformance fuzz`: draws cases and compares two implementations, until there were enough or time is up.

Exit status: 0 no difference, 1 some, 2 the harness is broken or nothing was selected.
"""

import argparse
import contextlib
import json
import math
import secrets
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from conformance.cases import fixtures
from conformance.errors import BrokenError
from conformance.fuzz import promote, search, shaping
from conformance.fuzz.drawing import KINDS, Drawn
from conformance.fuzz.panel import Panel
from conformance.fuzz.search import Finding
from conformance.implementations import listing
from conformance.implementations.listing import Implementation
from conformance.paths import CASES, FIXTURES, REPORTS
from conformance.wire.values import canonical

MOST_FINDINGS = 20
DEFAULT = ("reference", "python", "ruby", "ruby-plain", "javascript")


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = _parser()
    options = parser.parse_args(arguments)
    console = Console(highlight=False, soft_wrap=True)
    chosen = _implementations(options)
    if len(chosen) < 2:
        parser.error("--implementation must be given twice or more: the others are compared with the first")
    if options.cases < 1 or options.budget <= 0:
        parser.error("--cases must be at least 1 and --budget above 0")
    cases = fixtures.load(options.fixtures).cases
    shapes = shaping.shapes(cases, options.operation)
    shapes = {name: shape for name, shape in shapes.items() if chosen[0].supports(name)}
    if not shapes:
        raise BrokenError("no operation is selected")
    seed, blocks = _blocks(options)
    began = time.monotonic()
    kinds = dict.fromkeys(KINDS, 0)
    findings: list[Finding] = []
    weights = shaping.weights(cases)
    with Panel(chosen, options.timeout) as panel, _progress(console, options.cases) as advance:

        def told(drawn: Drawn) -> None:
            kinds[drawn.kind] += 1
            advance()

        deadline = began + options.budget
        for number in blocks:
            if time.monotonic() > deadline or len(findings) >= MOST_FINDINGS:
                break
            found = search.block(panel, shapes, weights, seed, number, told, deadline)
            if found is not None:
                findings.append(found)
                _show(found, console)
    seconds = time.monotonic() - began
    _write(options.reports / "fuzz.json", seed, kinds, panel.compared, seconds, findings)
    if options.promote:
        _promote(findings, options.case_files, console)
    idle = [name for name, count in panel.compared.items() if not count]
    if idle:
        raise BrokenError(f"nothing of {', '.join(idle)} was compared: none of the operations drawn is among its own")
    counts = ", ".join(f"{name} {count}" for name, count in panel.compared.items())
    shown = ", ".join(f"{kind} {count}" for kind, count in kinds.items())
    console.print(
        f"fuzz: {len(findings)} differences from {chosen[0].name} in {sum(kinds.values())} cases of {len(shapes)} "
        f"operations ({shown}; compared: {counts}), seed {seed}, {seconds:.1f} s"
    )
    return 1 if findings else 0


def _implementations(options: argparse.Namespace) -> list[Implementation]:
    """Those named; of another list all, where none is named."""
    other_list = options.implementations_from != listing.LIST
    names = options.implementation or ([] if other_list else list(DEFAULT))
    chosen, left_out = listing.installed(
        listing.load(names or None, options.implementations_from), bool(options.implementation)
    )
    for line in left_out:
        print(line, file=sys.stderr)
    return chosen


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="conformance fuzz",
        description="Draw cases from those of the fixtures, changed in a few places, and compare implementations.",
    )
    parser.add_argument("--seed", type=int, help="of the draws (default: a new one, which is printed)")
    parser.add_argument("--cases", type=int, default=1000, metavar="N", help="how many (default 1000)")
    parser.add_argument("--budget", type=float, default=math.inf, metavar="S", help="seconds, at the most")
    parser.add_argument("--operation", action="append", default=[], metavar="O", help="only these; may hold *")
    parser.add_argument(
        "--implementation",
        action="append",
        default=[],
        metavar="I",
        help=f"two or more; the others are compared with the first (default {', '.join(DEFAULT)})",
    )
    parser.add_argument(
        "--implementations-from",
        type=Path,
        default=listing.LIST,
        metavar="FILE",
        help="another list of implementations (default conformance/implementations.yml)",
    )
    parser.add_argument("--replay", metavar="SEED:BLOCK", help="only the block of a finding")
    parser.add_argument("--promote", action="store_true", help="write findings as cases with their origin")
    parser.add_argument("--timeout", type=float, default=20.0, metavar="S", help="seconds for one answer")
    parser.add_argument("--fixtures", type=Path, default=FIXTURES, metavar="DIR", help="where cases are drawn from")
    parser.add_argument("--case-files", type=Path, default=CASES, metavar="DIR", help="where --promote writes")
    parser.add_argument("--reports", type=Path, default=REPORTS, metavar="DIR", help="where fuzz.json is written")
    return parser


def _blocks(options: argparse.Namespace) -> tuple[int, range]:
    """The seed and the numbers of the blocks."""
    if options.replay is None:
        seed = secrets.randbelow(2**32) if options.seed is None else options.seed
        return seed, range(-(-options.cases // search.BLOCK))
    try:
        seed, block = (int(part) for part in options.replay.split(":"))
    except ValueError:
        raise BrokenError(f"--replay {options.replay}: must be a seed and a block, as 7:12") from None
    return seed, range(block, block + 1)


def _show(found: Finding, console: Console) -> None:
    drawn = found.drawn
    console.print(
        f"difference in {drawn.operation}, made from {drawn.base.id} with {drawn.changes} changes", markup=False
    )
    for line in found.lines:
        console.print(f"  {line}", markup=False)
    console.print(f"  params: {canonical(drawn.params)}", markup=False)
    console.print(f"  input: {canonical(drawn.input)}", markup=False)
    console.print(f"  again: bin/conformance fuzz --replay {found.seed}:{found.block}", markup=False)


def _write(
    path: Path, seed: int, drawn: dict[str, int], compared: dict[str, int], seconds: float, findings: list[Finding]
) -> None:
    told = {
        "seed": seed,
        "drawn": sum(drawn.values()),
        "kinds": drawn,
        "compared": compared,
        "seconds": round(seconds, 1),
        "findings": [dict(found.told()) for found in findings],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(told, ensure_ascii=False, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def _promote(findings: list[Finding], folder: Path, console: Console) -> None:
    for found in findings:
        identifier = promote.promote(found, folder)
        console.print(f"promoted: {identifier}" if identifier else "that case is there already", markup=False)
    if findings:
        console.print("now: rake fixtures, then mend what is wrong, then bin/conformance")


@contextlib.contextmanager
def _progress(console: Console, total: int) -> Iterator[Callable[[], None]]:
    """A progress bar where a person watches."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        task = bars.add_task("fuzz", total=total)
        yield lambda: bars.advance(task)

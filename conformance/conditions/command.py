"""`bin/conformance conditions`: each part of each compound condition decides alone in some case (CNF-19)."""

import gc
import os
from collections import defaultdict
from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import zip_longest
from typing import Any

from conformance.cases import fixtures
from conformance.cases.fixtures import Case
from conformance.command_line import CommandParser
from conformance.conditions import lists, switching, worker
from conformance.conditions.lists import Lists
from conformance.conditions.parts import Part
from conformance.mutants.table import FAST_FILES, STORE_FILES
from conformance.reports.counter import Counter

DESCRIPTION = """\
Drops one part of a compound condition of the reference at a time (`and`, `or`, chained comparisons, `min`, `max`,
`any`, `all`, `in (…)`, `isinstance`) and asks cases until one notices it. Without options it only compares the sources
with the lists in conformance/conditions/: each part must be noticed by a case, excused with a reason, or known as open.
"""
EPILOG = "exit status: 0 as it must be, 1 not so, 2 the lists or the fixtures are broken"
PLAIN, FAST, FILES = "plain", "fast", "files"
VARIABLES = {
    PLAIN: {"HYBRID_SEARCH_KERNELS": "plain"},
    FAST: {"HYBRID_SEARCH_KERNELS": "fast"},
    FILES: {"HYBRID_SEARCH_KERNELS": "fast", "CONFORMANCE_STORE": "sqlite"},
}
"""With what the reference is asked → its environment."""
MOST_ASKED = 600
"""Cases that are asked about one part."""
SECONDS = 7.0
"""The time of these cases together, as the reference takes."""
AT_ONCE = 40
"""Cases of one process that records."""
PREPARED = "segmenter"
"""A module whose first case loads what takes long, before processes are forked."""


def parser() -> CommandParser:
    """The parser of the command line."""
    result = CommandParser("conditions", DESCRIPTION, EPILOG)
    result.add_argument("--run", action="store_true", help="ask the case that the list names of each part")
    result.add_argument("--find", action="store_true", help="look for a case of each part that is not noticed yet")
    result.add_argument("--path", default="", help="only files whose name under the library begins so")
    result.add_argument("--case", default="*", metavar="ID", help="with --find, only these cases; may hold *")
    result.add_argument(
        "--kernels",
        choices=tuple(VARIABLES),
        default=PLAIN,
        help="which files: of plain forms (default), of fast ones, or of stores in files",
    )
    result.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="the number of processes at once")
    return result


def main(arguments: list[str]) -> int:
    """Run the command."""
    options = parser().parse_args(arguments)
    parts, known = switching.all_parts(), lists.load()
    if not (options.run or options.find):
        return _told(known.problems(parts), parts, known)
    chosen = [
        number
        for number, part in enumerate(parts)
        if part.path.startswith(options.path) and kernels_of(part) == options.kernels and not part.at_import
    ]
    os.environ.update(VARIABLES[options.kernels])
    cases = [case for case in fixtures.load().cases if case.level == "must" and case.theme != "corpora"]
    if options.run:
        return _told(_unnoticed(parts, chosen, known, cases, options.jobs), parts, known)
    _find(parts, chosen, known, [case for case in cases if fnmatchcase(case.id, options.case)], options.jobs)
    lists.save(known, parts)
    return _told(known.problems(parts), parts, known)


def kernels_of(part: Part) -> str:
    """With what the file of a part is used."""
    return FILES if part.path.startswith(STORE_FILES) else FAST if part.path.startswith(FAST_FILES) else PLAIN


def _told(lines: Sequence[str], parts: Sequence[Part], known: Lists) -> int:
    for line in lines:
        print(line)
    noticed = sum(part.name in known.noticed for part in parts)
    excused = sum(part.name not in known.noticed and known.is_excused(part) for part in parts)
    print(f"{len(parts)} parts of conditions: {noticed} noticed, {excused} excused, {len(known.open)} open")
    return 1 if lines else 0


def _prepared(cases: Sequence[Case], record: bool) -> None:
    switching.install(record)
    from conformance.implementations.python import registry

    for case in cases:
        registry.find(case.operation)
    for case in [case for case in cases if case.module == PREPARED][:1]:
        worker.answer(case)
    gc.collect()
    gc.freeze()


def _unnoticed(
    parts: Sequence[Part], chosen: Sequence[int], known: Lists, cases: Sequence[Case], jobs: int
) -> list[str]:
    """The parts that the case of the list no longer notices, a line each."""
    by_id = {case.id: case for case in cases}
    lines, asked = [], []
    for number in chosen:
        name = parts[number].name
        if name in known.noticed and known.noticed[name] in by_id:
            asked.append((number, [(by_id[known.noticed[name]], worker.SHORTEST)]))
        elif name in known.noticed:
            lines.append(f"{lists.NOTICED}: {name}: there is no case {known.noticed[name]}")
    _prepared(cases, record=False)

    def told(place: int, found: Any) -> None:
        if found is None:
            name = parts[asked[place][0]].name
            lines.append(f"{name}: {known.noticed[name]} does not notice it any more: {lists.ADVICE}")

    worker.forked(asked, lambda one: worker.noticed(*one), jobs, told)
    return lines


def _find(parts: Sequence[Part], chosen: Sequence[int], known: Lists, cases: Sequence[Case], jobs: int) -> None:
    """Look for a case of each part that is not noticed, and add the parts to the lists."""
    missing = [number for number in chosen if parts[number].name not in known.noticed]
    deciding: dict[int, list[tuple[Case, float]]] = defaultdict(list)
    by_id = {case.id: case for case in cases}
    wrong: list[Any] = []

    def take(identifier: str, seconds: float, numbers: Sequence[int]) -> None:
        for number in numbers:
            deciding[number].append((by_id[identifier], seconds))

    def told(_place: int, rows: Any) -> None:
        for *row, problem in rows or ():
            if problem is None:
                take(*row)
            else:
                wrong.append(row)

    step = -(-len(cases) // AT_ONCE)
    # The sources that record cannot drop a part as well: they are imported in a process of their own.
    worker.forked([cases], lambda own: _recorded(own, step, jobs), 1, lambda _, rows: told(0, rows))
    _prepared(cases, record=False)
    # Recording computes conditions several times, which changes the answers of cases whose conditions do something.
    worker.forked(
        wrong,
        lambda row: worker.answer(by_id[row[0]]) is None,
        jobs,
        lambda place, is_right: take(*wrong[place]) if is_right else None,
    )
    asked = [number for number in missing if number in deciding]
    counter = Counter(len(asked))

    def fate(place: int, found: Any) -> None:
        name = parts[asked[place]].name
        counter.done(name)
        if found is not None:
            known.noticed[name] = found[0]
            known.open = [one for one in known.open if one != name]

    worker.forked(asked, lambda number: worker.noticed(number, _turns(deciding[number])), jobs, fate)


def _recorded(cases: Sequence[Case], step: int, jobs: int) -> list[Any]:
    _prepared(cases, record=True)
    found: list[Any] = []
    blocks = [cases[first::step] for first in range(step)]
    worker.forked(blocks, worker.recorded, jobs, lambda _, rows: found.extend(rows or ()))
    return found


def _turns(cases: Sequence[tuple[Case, float]]) -> list[tuple[Case, float]]:
    """The cases to ask, by operation in turns, the quick ones first."""
    operations: dict[str, list[tuple[Case, float]]] = defaultdict(list)
    for case, seconds in sorted(cases, key=lambda one: one[1]):
        operations[case.operation].append((case, seconds))
    chosen: list[tuple[Case, float]] = []
    total = 0.0
    for turn in zip_longest(*operations.values()):
        for one in turn:
            if one is None:
                continue
            if len(chosen) == MOST_ASKED or total > SECONDS:
                return chosen
            chosen.append(one)
            total += one[1]
    return chosen

"""Asks the program of a mutant what command lines print (CNF-19)."""

import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from conformance.command_lines import session
from conformance.command_lines.session import Session
from conformance.errors import BrokenError

PREFIX = "command_lines"


def names() -> set[str]:
    """The ids of all command lines: `command_lines.<session>.<place of the step>`."""
    return {_name(each, place) for each in _sessions() for place in range(len(each.steps))}


def noticed(sources: Path, language: str, first: str | None = None) -> tuple[str, str] | None:
    """The first command line whose answer is not as written down, and how; none: all are.

    Args:
        sources: the folder that has the sources of both languages.
        language: whose program is asked.
        first: the id of a command line whose session is asked before all others.
    """
    golden = session.golden()
    sessions = [each for each in _sessions() if language in each.programs]
    for each in sorted(sessions, key=lambda one: f"{PREFIX}.{one.name}." not in (first or "")):
        for place, difference in _differences(sources, language, each, golden[each.name]):
            return _name(each, place), difference
    return None


@cache
def _sessions() -> list[Session]:
    return session.load()


def _name(each: Session, place: int) -> str:
    return f"{PREFIX}.{each.name}.{place + 1:03}"


def _differences(
    sources: Path, language: str, each: Session, golden: Sequence[dict[str, Any]]
) -> Iterator[tuple[int, str]]:
    asked = 0
    try:
        with tempfile.TemporaryDirectory() as folder:
            for wanted, found in zip(golden, session.run_apart(each, Path(folder), language, sources), strict=True):
                parts = {**wanted, **found}
                wrong = next((part for part in parts if found.get(part) != wanted.get(part)), None)
                if wrong is not None:
                    yield asked, f"fail at {wrong}: {found.get(wrong)!r}"
                asked += 1
    except BrokenError as problem:
        yield asked, f"no answer: {problem}"

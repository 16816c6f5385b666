"""The log of a run: one event a line; every report is made from it (CNF-14).

Events: `start` {seed, shuffled, once, partly, tolerance, cases, implementations}, `problem` {message}, `case` {…, see
`results.Result`}, `implementation` {name, language, version, versions, starts, seconds}, `since` {broken, mended,
still} where there was a run before, `suspects` {…, see `suspects.Suspicion`} where failures point to functions, `drawn`
{…, see `fuzz.ending.Ending`}, `end` {exit, seconds}.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.judging import suspects
from conformance.judging.results import Result, from_event
from conformance.judging.suspects import Suspicion

Event = dict[str, Any]


@dataclass
class Log:
    """The events of a run, sorted by what they say."""

    start: Event = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    implementations: list[Event] = field(default_factory=list)
    since: Event | None = None
    suspicion: Suspicion = field(default_factory=Suspicion)
    drawn: Event = field(default_factory=dict)
    end: Event = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The names of the implementations, in order."""
        return [str(name) for name in self.start.get("implementations", [])]

    @property
    def failures(self) -> list[Result]:
        """The results that make the run not conformant."""
        return [result for result in self.results if result.counts]


def to_lines(events: Iterable[Event]) -> str:
    """Events as JSON Lines."""
    return "".join(json.dumps(event, ensure_ascii=False, sort_keys=True) + "\n" for event in events)


def write(path: Path, events: Iterable[Event]) -> None:
    """Write the log."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(to_lines(events), encoding="utf-8", newline="\n")


def read(path: Path) -> list[Event]:
    """The events of a log."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def parse(events: Iterable[Event]) -> Log:
    """The log that events make."""
    log = Log()
    for event in events:
        kind = event["type"]
        if kind == "start":
            log.start = event
        elif kind == "problem":
            log.problems.append(event["message"])
        elif kind == "case":
            log.results.append(from_event(event))
        elif kind == "implementation":
            log.implementations.append(event)
        elif kind == "since":
            log.since = event
        elif kind == "suspects":
            log.suspicion = suspects.read(event)
        elif kind == "drawn":
            log.drawn = event
        elif kind == "end":
            log.end = event
    return log

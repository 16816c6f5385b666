"""Makes calls of both languages' clients to a hostile server and judges each: `bin/conformance hostile`.

Demanded of every call: it ends within its deadline and 0.2 s; raises nothing but the documented class, and nothing
afterwards; says what happened; takes no more memory than twice the largest answer, and 16 MiB; leaves no thread and no
descriptor; shows no key in messages, logs, tracebacks and their locals. A call that a busy machine may have kept
waiting is made again by itself, twice at the most. Prints a table, or JSON in a pipe; the status is 1 if a demand was
not met.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from conformance.hostile import names
from conformance.hostile.judge import DEMANDS, depends_on_others, failures, judged, told
from conformance.hostile.plan import LANGUAGES, Call, Plan
from conformance.hostile.run import Done, made_by, run, run_all
from conformance.hostile.server import HostileServer

AGAIN = 2


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="conformance hostile", description=__doc__)
    parser.add_argument("--calls", type=int, default=2000, help="how many calls, over both languages (2000)")
    parser.add_argument("--seed", type=int, default=1, help="for order and deadlines (1)")
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1), help="how many processes at once")
    parser.add_argument("--only", default="", help="a part of the names of behaviours")
    parser.add_argument("--language", choices=LANGUAGES, help="one language alone")
    return parser.parse_args(given)


class Judge:
    """Judges jobs; what a busy machine may have caused is tried again alone, once for each kind of it.

    Args:
        plan: makes the calls again.
        certificates: where the trusted authority is.

    Attributes:
        met_alone: what was wrong among others, and right alone.
    """

    def __init__(self, plan: Plan, certificates: Path) -> None:
        self._plan = plan
        self._certificates = certificates
        self._met: dict[tuple[str, str, str], bool] = {}
        self.met_alone: list[str] = []

    def wrong(self, done: list[Done]) -> list[tuple[Call, str, str]]:
        """What is wrong: the call, the demand, what was seen."""
        found = []
        for call, demand, seen in (item for job in done for item in judged(job)):
            if self._met_alone(call, demand):
                self.met_alone.append(f"{call.language} {call.behaviour.name} ({call.where}): {demand}: {seen}")
            else:
                found.append((call, demand, seen))
        return found

    def _met_alone(self, call: Call, demand: str) -> bool:
        if not depends_on_others(demand):
            return False
        kind = (call.behaviour.name, call.language, demand)
        if kind not in self._met:
            self._met[kind] = any(self._meets(call, demand) for _ in range(AGAIN))
        return self._met[kind]

    def _meets(self, call: Call, demand: str) -> bool:
        job = self._plan.again(call)
        made = made_by(run(job, self._certificates), job.calls[0])
        return demand not in [name for name, _ in failures(job.calls[0], made)]


def differences(done: list[Done]) -> list[str]:
    """Behaviours of which the languages tell in different words, where only one outcome is possible."""
    said: dict[str, dict[str, str]] = {}
    for job in done:
        for call in job.job.calls:
            made = made_by(job, call)
            if call.where == "measured" and made and len(call.behaviour.told) == 1 and told(call, made):
                said.setdefault(call.behaviour.name, {})[call.language] = wording(made)
    return [
        f"{name}: {' / '.join(f'{language}: {words}' for language, words in sorted(both.items()))}"
        for name, both in sorted(said.items())
        if len(set(both.values())) > 1
    ]


def wording(made: dict[str, Any]) -> str:
    """A message without what differs from call to call."""
    return re.sub(r"[0-9.]+ seconds", "N seconds", str(made["message"]))


def summary(done: list[Done], wrong: list[tuple[Call, str, str]], skipped: list[str], seconds: float) -> dict[str, Any]:
    """All of it as plain data."""
    calls = [call for job in done for call in job.job.calls]
    count = Counter((call.language, demand) for call, demand, _ in wrong)
    slowest: dict[str, float] = {}
    for job in done:
        for call in job.job.calls:
            if made := made_by(job, call):
                late = made["seconds"] - call.given["options"]["deadline"]
                slowest[call.language] = max(slowest.get(call.language, -1.0), round(late, 3))
    return {
        "calls": len(calls),
        "by_language": dict(Counter(call.language for call in calls)),
        "by_place": dict(Counter(call.where for call in calls)),
        "behaviours": len({call.behaviour.name for call in calls}),
        "processes": len(done),
        "not_met": {language: {demand: count[language, demand] for demand in DEMANDS} for language in LANGUAGES},
        "most_seconds_beyond_the_deadline": slowest,
        "most_memory": most_memory(done),
        "differences": differences(done),
        "failures": [
            {"behaviour": call.behaviour.name, "language": call.language, "where": call.where, "demand": demand,
             "seen": seen} for call, demand, seen in wrong
        ],
        "skipped": skipped,
        "seconds": round(seconds, 1),
    }  # fmt: skip


def most_memory(done: list[Done]) -> dict[str, list[Any]]:
    """The largest growth of a process's memory in one call, in MiB, and what caused it, by language."""
    found: dict[str, list[Any]] = {}
    for job in done:
        for call in job.job.calls:
            made = made_by(job, call)
            if made and made["memory"] is not None:
                grown = round(made["memory"] / (1 << 20), 1)
                if grown > found.get(call.language, [-1.0])[0]:
                    found[call.language] = [grown, call.behaviour.name]
    return found


def show(outcome: dict[str, Any]) -> None:
    """Print a table, or JSON where nobody looks."""
    if not sys.stdout.isatty():
        print(json.dumps(outcome, indent=1))
        return
    console = Console()
    table = Table(
        title=f"{outcome['calls']} calls, {outcome['behaviours']} behaviours, {outcome['processes']} processes"
    )
    for heading in ("not met", *LANGUAGES):
        table.add_column(heading)
    for demand in DEMANDS:
        table.add_row(demand, *(str(outcome["not_met"][language][demand]) for language in LANGUAGES))
    console.print(table)
    for item in outcome["failures"]:
        console.print(f"{item['language']} {item['behaviour']} ({item['where']}): {item['demand']}: {item['seen']}")
    for line in [*outcome["differences"], *outcome["skipped"]]:
        console.print(line)
    console.print(f"{outcome['seconds']} s")


def main(given: list[str] | None = None) -> int:
    """Run it; the status."""
    options = arguments(given)
    languages = (options.language,) if options.language else LANGUAGES
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        certificates = Path(folder)
        subprocess.run(["ruby", str(Path(__file__).with_name("certificates.rb")), folder], check=True)
        with HostileServer(certificates) as server:
            plan = Plan(server, options.seed, options.only)
            done = run_all(list(plan.jobs(options.calls, languages)), certificates, options.jobs)
            judge = Judge(plan, certificates)
            wrong = judge.wrong(done)
        looked_up, skipped = names.run_in_namespace(languages, certificates, options.only)
        wrong += [item for job in looked_up for item in judged(job)]
    outcome = summary([*done, *looked_up], wrong, skipped, time.monotonic() - started)
    outcome["met_alone"] = judge.met_alone
    show(outcome)
    return 1 if wrong or outcome["differences"] else 0

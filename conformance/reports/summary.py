"""`summary.json`: counts by implementation and module, failures, ULP, times (CNF-14)."""

import json
from pathlib import Path
from typing import Any

from conformance.judging import compare
from conformance.judging.results import STATUSES, Result
from conformance.reports.log import Log


def build(log: Log) -> dict[str, Any]:
    """The summary as an object."""
    modules = sorted({result.module for result in log.results})
    return {
        "exit": log.end.get("exit"),
        "conformant": log.end.get("exit") == 0,
        "seconds": log.end.get("seconds"),
        "seed": log.start.get("seed"),
        "tolerance_ulp": log.start.get("tolerance"),
        "cases": log.start.get("cases"),
        "drawn": {key: log.drawn[key] for key in ("seed", "drawn", "compared", "reason") if key in log.drawn},
        "limits": limits(log),
        "problems": log.problems,
        "implementations": {
            name: _implementation(log, name, modules)
            | {key: value for key, value in _greeting(log, name).items() if key not in ("type", "name")}
            for name in log.names
        },
        "failures": [
            {
                "case": result.case,
                "implementation": result.implementation,
                "status": result.status,
                "stage": result.stage,
                "message": result.message,
                "again": result.again,
            }
            for result in log.failures
        ],
    }


def write(path: Path, log: Log) -> None:
    """Write `summary.json`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(build(log), ensure_ascii=False, sort_keys=True, indent=2) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")


def counts(results: list[Result]) -> dict[str, int]:
    """How many results there are of each status that occurs, in the order of the statuses."""
    found = {status: sum(result.status == status for result in results) for status in STATUSES}
    return {status: count for status, count in found.items() if count}


def looser(results: list[Result]) -> dict[str, int]:
    """By the way in which answers were compared less strictly, how many passed in that way alone."""
    found: dict[str, int] = {}
    for result in results:
        for way in result.looser:
            found[way] = found.get(way, 0) + 1
    return found


def limits(log: Log) -> list[str]:
    """What a verdict does not say, or says of less than all bits; a line each, empty where it is whole."""
    lines = []
    for name in log.names:
        own = [result for result in log.results if result.implementation == name]
        ways = looser(own)
        if ways:
            told = ", ".join(f"{count} {way}" for way, count in ways.items())
            lines.append(f"{name}: {sum(one.status == 'pass' for one in own)} pass, {told}")
    in_order = [name for name in log.names if name not in log.start.get("shuffled", log.names)]
    if in_order:
        lines.append(f"in file order only: {', '.join(in_order)}")
    if log.start.get("partly"):
        lines.append(f"a sample of the cases: {', '.join(log.start['partly'])}")
    if log.start.get("once"):
        lines.append(f"in file order only: {log.start['once']} cases")
    if log.drawn.get("reason"):
        lines.append(f"fixtures only: {log.drawn['reason']}")
    elif log.drawn:
        never = [name for name in log.names if not log.drawn["compared"].get(name) and name != "reference"]
        if never:
            lines.append(f"fixtures only: {', '.join(never)}")
    return lines


def drawn(log: Log) -> str:
    """The drawn cases in words; empty where none were drawn."""
    if not log.drawn.get("drawn"):
        return ""
    count = len(log.drawn["findings"])
    differ = f"{count} difference{'s' if count > 1 else ''}" if count else "no difference"
    return f"{log.drawn['drawn']} drawn cases with {differ} (seed {log.drawn['seed']})"


def largest(results: list[Result]) -> int:
    """The largest distance of two floats in ULP, or what stands for one (`compare.told`)."""
    return max((result.ulp for result in results), default=0)


def _distance(results: list[Result]) -> int | str:
    """The largest distance; in words where it is no number of ULP."""
    ulp = largest(results)
    return ulp if ulp < compare.FAR else compare.told(ulp)


def _implementation(log: Log, name: str, modules: list[str]) -> dict[str, Any]:
    own = [result for result in log.results if result.implementation == name]
    return {
        "statuses": counts(own),
        "looser": looser(own),
        "ulp": _distance(own),
        "modules": {
            module: {
                "statuses": counts([result for result in own if result.module == module]),
                "ulp": _distance([result for result in own if result.module == module]),
                "seconds": round(sum(result.seconds for result in own if result.module == module), 3),
            }
            for module in modules
        },
    }


def _greeting(log: Log, name: str) -> dict[str, Any]:
    return next((event for event in log.implementations if event["name"] == name), {})

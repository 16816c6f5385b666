"""`summary.json`: counts by implementation and module, failures, ULP, times (CNF-14)."""

import json
from pathlib import Path
from typing import Any

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


def _implementation(log: Log, name: str, modules: list[str]) -> dict[str, Any]:
    own = [result for result in log.results if result.implementation == name]
    return {
        "statuses": counts(own),
        "ulp": max((result.ulp for result in own), default=0),
        "modules": {
            module: {
                "statuses": counts([result for result in own if result.module == module]),
                "ulp": max((result.ulp for result in own if result.module == module), default=0),
                "seconds": round(sum(result.seconds for result in own if result.module == module), 3),
            }
            for module in modules
        },
    }


def _greeting(log: Log, name: str) -> dict[str, Any]:
    return next((event for event in log.implementations if event["name"] == name), {})

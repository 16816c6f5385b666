"""The badge: a JSON file as shields.io's endpoint badges read it (CNF-14)."""

import json
from pathlib import Path
from typing import Any

from conformance.reports.log import Log


def build(log: Log) -> dict[str, Any]:
    """The badge as an object."""
    status = log.end.get("exit")
    ulp = max((result.ulp for result in log.results), default=0)
    cases = log.start.get("cases", 0)
    if status == 0:
        message, colour = f"{cases} cases, {ulp} ULP", "brightgreen"
    elif status == 1:
        message, colour = f"{len(log.failures)} of {len(log.results)} fail", "red"
    else:
        message, colour = "broken", "lightgrey"
    return {"schemaVersion": 1, "label": "conformance", "message": message, "color": colour}


def write(path: Path, log: Log) -> None:
    """Write the badge."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(build(log), ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8", newline="\n")

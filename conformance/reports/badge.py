"""The badge: a JSON file as shields.io's endpoint badges read it, and a picture that needs nobody (CNF-14)."""

import html
import json
from pathlib import Path
from typing import Any

from conformance.judging import compare
from conformance.reports import summary
from conformance.reports.log import Log

CHARACTER, ROOM = 7, 12
COLOURS = {"brightgreen": "#2a7d3f", "red": "#b3261e", "lightgrey": "#6b7280"}


def build(log: Log) -> dict[str, Any]:
    """The badge as an object."""
    status = log.end.get("exit")
    ulp = compare.told(summary.largest(log.results))
    cases = log.start.get("cases", 0)
    if status == 0:
        message, colour = f"{cases} cases, {ulp}", "brightgreen"
        only = next((line for line in summary.limits(log) if line.startswith("fixtures only")), "")
        message += ", fixtures only" if only else ""
    elif status == 1:
        message, colour = f"{len(log.failures)} of {len(log.results)} fail", "red"
    elif status == 3:
        message, colour = "nothing compared", "lightgrey"
    else:
        message, colour = "broken", "lightgrey"
    return {"schemaVersion": 1, "label": "conformance", "message": message, "color": colour}


def picture(badge: dict[str, Any]) -> str:
    """The badge as SVG; the texts are stretched to their room, so that it looks alike with every font."""
    label, message = html.escape(badge["label"]), html.escape(badge["message"])
    left, right = (CHARACTER * len(badge[part]) + ROOM for part in ("label", "message"))
    end = right - 3
    texts = "".join(
        f'<text x="{middle}" y="14" textLength="{width - ROOM}">{text}</text>'
        for text, middle, width in ((label, left // 2, left), (message, left + right // 2, right))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{label}: {message}"><title>{label}: {message}</title>'
        f'<rect width="{left + right}" height="20" rx="3" fill="#4a4f57"/>'
        f'<path d="M{left} 0h{end}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{end}z" fill="{COLOURS[badge["color"]]}"/>'
        f'<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">{texts}</g>'
        "</svg>\n"
    )


def write(path: Path, log: Log) -> None:
    """Write the badge as JSON, and beside it as SVG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made = build(log)
    path.write_text(json.dumps(made, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8", newline="\n")
    path.with_suffix(".svg").write_text(picture(made), encoding="utf-8", newline="\n")

"""Draws the convergence of the rounds as a self-contained HTML page (CNV-6)."""

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from hybrid_search.base import numeric
from hybrid_search.cli import round_table
from hybrid_search.cli.whole_file import WholeFile
from hybrid_search.convergence.located import Located

WIDTH, HEIGHT, MARGIN = 360, 120, 10
LINES = (("mean", "#1f77b4"), ("jaccard", "#2ca02c"), ("next_cosine_to_q0", "#d62728"))
PAGE_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Convergence</title><style>
body{font:14px/1.4 system-ui,sans-serif;margin:2em;max-width:60em}
table{border-collapse:collapse}td,th{padding:.1em .8em;text-align:right;border-bottom:1px solid #ddd}
svg{background:#f7f7f7;margin:.5em 0}h2{font-size:1.1em;margin-bottom:0}
.mean{color:#1f77b4}.jaccard{color:#2ca02c}.next_cosine_to_q0{color:#d62728}
</style></head><body><h1>Convergence</h1>
<p>By round, from 0 at the bottom to 1 at the top: <b class="mean">mean score</b>,
<b class="jaccard">Jaccard with the round before</b>,
<b class="next_cosine_to_q0">cosine of the next query to q0</b>.</p>
"""
ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}


class ConvergenceReport:
    """Writes a section for each answer.

    Args:
        path: the path of the page, which is written completely or not at all.
    """

    def __init__(self, path: str) -> None:
        self._file = WholeFile(path)
        self._file.write(PAGE_HEAD)

    def __enter__(self) -> Self:
        self._file.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._file.write("</body></html>\n")
        self._file.__exit__(kind, error, trace)

    def add(self, identifier: str, located: Located) -> None:
        """Add the section of an answer."""
        told = located.stop_reason or "one round"
        self._file.write(f"<h2>{escaped(identifier)}</h2><p>{told}</p>\n{_picture(located)}\n{_table(located)}\n")


def escaped(text: str) -> str:
    """Return a text escaped for HTML."""
    return "".join(ESCAPES.get(character, character) for character in text)


def _picture(located: Located) -> str:
    lines = []
    for name, colour in LINES:
        values = [getattr(made, name) for made in located.rounds]
        points = [_point(place, value, len(values)) for place, value in enumerate(values) if value is not None]
        dots = "".join(f'<circle cx="{x}" cy="{y}" r="3"/>' for x, y in points)
        path = " ".join(f"{x},{y}" for x, y in points)
        lines.append(f'<g fill="{colour}">{dots}<polyline points="{path}" fill="none" stroke="{colour}"/></g>')
    return f'<svg width="{WIDTH}" height="{HEIGHT}" role="img">{"".join(lines)}</svg>'


def _point(place: int, value: float, count: int) -> tuple[str, str]:
    across = place / (count - 1) if count > 1 else 0.5
    up = min(1.0, max(0.0, value))
    return (
        numeric.fixed4(MARGIN + across * (WIDTH - 2 * MARGIN)),
        numeric.fixed4(HEIGHT - MARGIN - up * (HEIGHT - 2 * MARGIN)),
    )


def _table(located: Located) -> str:
    head = "".join(f"<th>{name}</th>" for name in round_table.HEAD)
    return f"<table><tr>{head}</tr>{''.join(map(_row, round_table.rows(located)))}</table>"


def _row(texts: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<td>{text}</td>' for text in texts)}</tr>"

"""One self-contained HTML page: verdict, heat map of modules and clauses, ULP histogram, every case (CNF-14).

The page fetches nothing: style, script and data are in it. Tables and pictures of the whole run are written here, the
lists of cases by the script from the data.
"""

import html
import json
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Any

from conformance.cases import specification
from conformance.judging import compare
from conformance.judging.results import STATUSES, Result
from conformance.judging.suspects import Mistake
from conformance.reports import markdown, places, summary, whereabouts
from conformance.reports.log import Log
from conformance.reports.places import Place

PARTS = Path(__file__).parent / "page"
TONES = dict.fromkeys(STATUSES, "bad") | {"pass": "good", "known": "note", "unsupported": "quiet"}
"""How a status is coloured."""
MOST_PLACES = 8
BAR_WIDTH, BAR_HEIGHT, BAR_ROOM = 64, 110, 150


def build(log: Log) -> str:
    """The text of the page."""
    status: int = log.end.get("exit", 2)
    verdict = {0: "Conformant", 1: "Not conformant", 3: "Nothing was compared"}.get(
        status, "Broken: the harness or its fixtures"
    )
    page = Template((PARTS / "page.html").read_text(encoding="utf-8"))
    return page.substitute(
        verdict=verdict,
        verdict_class="conformant" if status == 0 else "wrong",
        verdict_mark="✓" if status == 0 else "✗",
        told=_told(log),
        problems=_problems(log.problems) + _drawn(log),
        places=_places(log),
        implementations=_implementations(log),
        legend=_legend(log.results),
        heat_map=_heat_map(log.results),
        histogram=_histogram(log.results),
        style=(PARTS / "style.css").read_text(encoding="utf-8"),
        script=(PARTS / "script.js").read_text(encoding="utf-8"),
        data=_data(log),
    )


def write(path: Path, log: Log) -> None:
    """Write the page."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(build(log), encoding="utf-8", newline="\n")


def _told(log: Log) -> str:
    ulp = compare.told(summary.largest(log.results))
    tolerance = log.start.get("tolerance") or 0
    parts = [
        f"{log.start.get('cases', 0):,} cases",
        f"{len(log.names)} implementations",
        f"{len(log.failures):,} failures",
        f"largest distance {ulp}" + (f" ({tolerance} tolerated)" if tolerance else ""),
        f"seed {log.start.get('seed')}",
        *filter(None, [summary.drawn(log)]),
        *summary.limits(log),
        f"{log.end.get('seconds', 0.0):.1f} s",
    ]
    return html.escape(" · ".join(parts))


def _problems(problems: Sequence[str]) -> str:
    if not problems:
        return ""
    items = "".join(f"<li>{html.escape(problem)}</li>" for problem in problems)
    return f'<section class="problems"><h2>What is broken</h2><ul>{items}</ul></section>'


def _drawn(log: Log) -> str:
    """The drawn cases to which an implementation has another answer than the reference."""
    found = "".join(
        f"<li>{html.escape(one['operation'])}, made from {html.escape(one['base'])}<pre>"
        f"{html.escape(chr(10).join(one['difference']))}</pre>"
        f"<pre>{html.escape(json.dumps([one['params'], one['input']], ensure_ascii=False))}</pre></li>"
        for one in log.drawn.get("findings", ())
    )
    return f'<section class="problems"><h2>Drawn cases that differ</h2><ul>{found}</ul></section>' if found else ""


def _places(log: Log) -> str:
    """Where to look first: the places of the failures, and the clauses that they point to."""
    found = places.gather(log.results, log.suspicion.depths)
    if not found:
        return ""
    mistakes = "".join(
        f"<h4>{rank}. It explains {len(mistake.cases)} of {log.suspicion.wrong} failing cases that were looked at</h4>"
        f"{_mistake(log, mistake)}"
        for rank, mistake in enumerate(log.suspicion.mistakes, start=1)
    )
    items = "".join(_place(place) for place in found[:MOST_PLACES])
    more = f"<p>… and {len(found) - MOST_PLACES} more places.</p>" if len(found) > MOST_PLACES else ""
    clauses = "".join(
        f"<li><b>{html.escape(clause)}</b> {html.escape(whereabouts.title(clause))}: "
        f"{wrong} of its {cases} cases are wrong</li>"
        for clause, wrong, cases in places.suspects(log.results)
    )
    return (
        '<section class="places"><h2>Where to look first</h2>'
        + (f"<h3>Mistakes, the one that explains the most first</h3>{mistakes}" if mistakes else "")
        + f"<h3>Places, the one that uses the least in front</h3><ol>{items}</ol>{more}"
        f"<h3>Clauses that the failures point to</h3><ol>{clauses}</ol></section>"
    )


def _mistake(log: Log, mistake: Mistake) -> str:
    """Where to look, and what is expected and came in every place that it explains."""
    lines = whereabouts.functions(mistake, log.suspicion.right, sorted({one.implementation for one in log.failures}))
    looked = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
    rows = "".join(
        f"<tr><th>{html.escape(place.title)}</th><td>{html.escape(place.simplest.case)}</td>"
        f"<td>{html.escape(places.difference(place.simplest))}</td></tr>"
        for place in places.of_cases(log.results, mistake.cases)
    )
    return f"<ol>{looked}</ol><table><tbody>{rows}</tbody></table>"


def _place(place: Place) -> str:
    simplest = place.simplest
    rows = [
        ("simplest case", f"{simplest.case}: {simplest.summary}"),
        ("what is wrong", simplest.message),
        *(("difference", line) for line in simplest.details[:1]),
        *(("look at", file) for file in whereabouts.files(simplest)[:2]),
        *(("the reference", file) for file in whereabouts.reference_files(simplest)[:2]),
        ("again", simplest.again),
    ]
    told = "".join(f"<dt>{name}</dt><dd>{html.escape(text)}</dd>" for name, text in rows)
    told += "".join(_clause(number) for number in simplest.clauses)
    heading = f"{len(place.wrong_cases)} of {place.cases} cases of {place.title}"
    return f"<li><h3>{html.escape(heading)}</h3><dl>{told}</dl></li>"


def _clause(number: str) -> str:
    """A clause as a row of a list: its heading and its whole text."""
    clause = specification.load().get(number)
    if clause is None:
        return ""
    heading = f"<h4>{html.escape(f'{number} {clause.title}')}</h4>"
    return f'<dt>clause</dt><dd class="clause">{heading}{markdown.rendered(clause.text)}</dd>'


def _implementations(log: Log) -> str:
    head = "".join(f"<th{css}>{name}</th>" for name, css in _HEAD)
    greetings = {event["name"]: event for event in log.implementations}
    rows = "".join(
        _implementation(name, greetings.get(name, {}), [one for one in log.results if one.implementation == name])
        for name in log.names
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


_NUMBER = ' class="number"'
_HEAD = (("name", ""), ("language", ""), ("results", ""), ("largest ULP", _NUMBER), ("starts", _NUMBER), ("s", _NUMBER))


def _implementation(name: str, greeting: dict[str, Any], results: list[Result]) -> str:
    counts = " ".join(
        f'<span class="status {TONES[status]}">{count:,} {status}</span>'
        for status, count in summary.counts(results).items()
    )
    language = f"{greeting.get('language') or '?'} {greeting.get('version') or ''}".strip()
    ulp = compare.told(summary.largest(list(results))).removesuffix(" ULP")
    return (
        f"<tr><th>{html.escape(name)}</th><td>{html.escape(language)}</td><td>{counts}</td>"
        f"<td{_NUMBER}>{ulp}</td><td{_NUMBER}>{greeting.get('starts', 0)}</td>"
        f"<td{_NUMBER}>{greeting.get('run_seconds', 0.0):.1f}</td></tr>"
    )


def _legend(results: Sequence[Result]) -> str:
    return " ".join(
        f'<span class="status {TONES[status]}">{status}</span>'
        for status in STATUSES
        if any(result.status == status for result in results)
    )


def _heat_map(results: Sequence[Result]) -> str:
    """A row a module, a column a clause; a cell shows the worst tone of its results."""
    cells: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        for clause in result.clauses:
            cells.setdefault((result.module, clause), []).append(result)
    clauses = sorted({clause for _, clause in cells}, key=_clause_order)
    head = "".join(
        f'<th scope="col" title="{html.escape(whereabouts.title(one))}">{html.escape(one)}</th>' for one in clauses
    )
    rows = "".join(
        f'<tr><th scope="row">{html.escape(module)}</th>'
        + "".join(f"<td>{_cell(module, clause, cells.get((module, clause), []))}</td>" for clause in clauses)
        + "</tr>"
        for module in sorted({module for module, _ in cells})
    )
    return f'<table class="heat"><thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _cell(module: str, clause: str, results: list[Result]) -> str:
    if not results:
        return ""
    cases = len({result.case for result in results})
    wrong = len({result.case for result in results if result.counts})
    tone = _tone(results)
    told = f"{module}, {clause} ({whereabouts.title(clause)}): {cases} cases, {wrong} wrong"
    return (
        f'<button type="button" class="{tone}" data-module="{html.escape(module)}" data-clause="{html.escape(clause)}" '
        f'title="{html.escape(told)}" aria-label="{html.escape(told)}">{wrong or cases}</button>'
    )


def _tone(results: Sequence[Result]) -> str:
    if any(result.counts for result in results):
        return "bad"
    tones = {TONES[result.status] for result in results}
    return next((tone for tone in ("note", "good") if tone in tones), "quiet")


def _clause_order(clause: str) -> tuple[str, int]:
    family, _, number = clause.rpartition("-")
    return (family, int(number)) if number.isdigit() else (clause, 0)


def _histogram(results: Sequence[Result]) -> str:
    """How many results lie how far from what is expected; from one power of two to the next is a bar."""
    counts: dict[int, int] = {0: 0}
    for result in results:
        place = min(result.ulp, compare.FAR if result.ulp < compare.OTHER_SIGN else result.ulp).bit_length()
        counts[place] = counts.get(place, 0) + 1
    most = max(counts.values()) or 1
    bars = "".join(_bar(number, place, counts[place], most) for number, place in enumerate(sorted(counts)))
    width = len(counts) * BAR_WIDTH
    told = "; ".join(f"{_range(place)}: {counts[place]}" for place in sorted(counts) if counts[place])
    return (
        f'<svg viewBox="0 0 {width} {BAR_ROOM}" width="{width}" height="{BAR_ROOM}" role="img" '
        f'aria-label="{html.escape(told or "no results")}">{bars}</svg>'
    )


def _bar(number: int, place: int, count: int, most: int) -> str:
    height = max(round(BAR_HEIGHT * count / most), 2) if count else 0
    left, middle, ground = number * BAR_WIDTH + 6, number * BAR_WIDTH + BAR_WIDTH // 2, BAR_ROOM - 20
    return (
        f'<rect class="bar{" far" if place else ""}" x="{left}" y="{ground - height}" width="{BAR_WIDTH - 12}" '
        f'height="{height}"/><text x="{middle}" y="{ground - height - 4}" text-anchor="middle">{count or ""}</text>'
        f'<text x="{middle}" y="{BAR_ROOM - 5}" text-anchor="middle">{_range(place)}</text>'
    )


def _range(place: int) -> str:
    if place > compare.FAR.bit_length() - 1:
        return compare.told(1 << (place - 1))
    if place < 2:
        return str(place)
    return f"{1 << (place - 1)}–{(1 << place) - 1}" if place < 8 else f"≥ 2^{place - 1}"


def _data(log: Log) -> str:
    cases: dict[str, dict[str, Any]] = {}
    for result in log.results:
        case = cases.setdefault(
            result.case,
            {
                "id": result.case,
                "module": result.module,
                "operation": result.operation,
                "clauses": list(result.clauses),
                "summary": result.summary,
                "answers": [],
            },
        )
        case["answers"].append(
            {
                "implementation": result.implementation,
                "status": result.status,
                "counts": result.counts,
                "stage": result.stage,
                "message": result.message,
                "details": list(result.details),
                "ulp": compare.told(result.ulp) if result.ulp else "",
                "again": result.again,
                "files": whereabouts.files(result) if result.counts else [],
                "evidence": result.evidence,
                "pages": list(result.pages),
            }
        )
    data = {"implementations": log.names, "tones": TONES, "cases": list(cases.values())}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")

"""What a report shows of an answer that is not right, and of the pages of one that has some (CNF-14)."""

import json
from typing import Any

from conformance.cases.fixtures import Case
from conformance.judging import differences, paging
from conformance.wire.protocol import Message

LONGEST = 20_000
"""Characters of one text in a report."""


def texts(case: Case, answer: Message | None) -> dict[str, str]:
    """Input, what is expected and what came, as texts for people; long ones are cut."""
    return {
        "input": _text({"params": case.params, "input": case.input}),
        "expected": _text(_essential(case.expect)),
        "got": "no answer" if answer is None else _text(_essential(answer)),
    }


def pages(value: Any) -> tuple[dict[str, Any], ...]:
    """Every page table in an encoded value, with places in the full list for ids; -1 for an id that is not in it."""
    return tuple(_table(table) for table in paging.tables(value) if not paging.malformed(table))


def _table(table: dict[str, Any]) -> dict[str, Any]:
    places = {identifier: place for place, identifier in enumerate(table["full"])}
    shown = [[places.get(identifier, -1) for identifier in page] for page in table["pages"]]
    return {"size": table["page_size"], "full": len(table["full"]), "pages": shown}


def _essential(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: answer[key] for key in ("value", "error", "unsupported") if key in answer}


def _text(encoded: Any) -> str:
    text = json.dumps(differences.readable(encoded), ensure_ascii=False, indent=1)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n… ({len(text)} characters)"

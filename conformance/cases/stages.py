"""The stages that each operation records, in their order, with the form of their values: what a port need not guess."""

from collections.abc import Iterable
from typing import Any

from conformance.cases.fixtures import Case
from conformance.wire import values

MOST_KEYS = 8
TABLE = """
## Stages of traces

What each operation records, from the fixtures (CNF-6). A stage of a case may be missing; those that are there come in
this order (the legs of `doc_store.search` in the order in which they are asked for), and a stage that is followed by ×n
may repeat. Operations that are not listed record nothing.

| operation | stages and the form of their values |
| --- | --- |
"""


def table(cases: Iterable[Case]) -> str:
    """The stages of all operations, as a section of a document."""
    operations: dict[str, list[Case]] = {}
    for case in cases:
        if case.expect["trace"]:
            operations.setdefault(case.operation, []).append(case)
    return TABLE + "".join(f"| `{name}` | {_row(own)} |\n" for name, own in sorted(operations.items()))


def order(traces: Iterable[list[str]]) -> list[str]:
    """The names of stages in an order that all traces follow; of a repeated one the first place counts."""
    after: dict[str, set[str]] = {}
    for names in (list(dict.fromkeys(trace)) for trace in traces):
        for place, name in enumerate(names):
            after.setdefault(name, set()).update(names[place + 1 :])
    ordered: list[str] = []
    while after:
        free = [name for name in after if not any(name in later for other, later in after.items() if other != name)]
        chosen = (free or list(after))[0]
        ordered.append(chosen)
        del after[chosen]
    return ordered


def _row(cases: list[Case]) -> str:
    traces = [[stage["stage"] for stage in case.expect["trace"]] for case in cases]
    repeated = {name for trace in traces for name in trace if trace.count(name) > 1}
    return "; ".join(
        f"{name}{' ×n' if name in repeated else ''}: {' or '.join(_forms(cases, name))}" for name in order(traces)
    )


def _forms(cases: list[Case], name: str) -> list[str]:
    """The forms that a stage has, those of the most cases first; of what is empty only where nothing else is."""
    counts: dict[str, int] = {}
    for case in cases:
        for stage in case.expect["trace"]:
            if stage["stage"] == name and "value" in stage:
                shown = form(stage["value"])
                counts[shown] = counts.get(shown, 0) + 1
    told = [one for one in sorted(counts, key=lambda one: (-counts[one], one)) if one not in ("empty list", "null")]
    return told[:2] or list(counts)[:1] or ["a value of which the digest is kept"]


def form(value: Any) -> str:
    """The form of an encoded value in words: `list of [text, float]`."""
    if value is None:
        return "null"
    if values.is_float(value):
        return "float"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, str)):
        return "integer" if isinstance(value, int) else "text"
    if isinstance(value, dict):
        keys = sorted(value)
        more = ", …" if len(keys) > MOST_KEYS else ""
        return f"object of {', '.join(keys[:MOST_KEYS])}{more}" if _are_names(keys) else "object"
    if not value:
        return "empty list"
    if 2 <= len(value) <= 4 and len({form(item) for item in value}) > 1:
        return f"[{', '.join(form(item) for item in value)}]"
    return f"list of {form(value[0])}"


def _are_names(keys: list[str]) -> bool:
    return all(key.isascii() and key.replace("_", "").isalpha() and key.islower() for key in keys)

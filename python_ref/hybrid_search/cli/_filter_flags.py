"""The filters of a command line: `--filters` as data, and all `--filter` (CUR-5)."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search import _scalar_text as scalar_text
from hybrid_search import _validation as validation
from hybrid_search.cli import _usage as usage
from hybrid_search.cli._usage import UsageError

CONDITION = re.compile(r"([^!=<>][^=<>]*?)(>=|<=|!=|=|>|<)(.*)", re.DOTALL)
"""NAME, one of the operators, VALUE."""
BOUNDS = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}


def are_given(flags: Mapping[str, Any]) -> bool:
    """Return whether a command line has filters."""
    return "filters" in flags or "filter" in flags


def filters_of(flags: Mapping[str, Any]) -> Any:
    """Return the filters of a command line as data, none where it has none.

    Raises:
        UsageError: a `--filter` is not a condition, or gives a bound twice.
    """
    plain = _plain(flags.get("filter", ()))
    given = flags.get("filters")
    if not plain or given is None:
        return given if given is not None else plain or None
    if isinstance(given, Mapping) and not given.keys() & plain.keys():
        return {**given, **plain}
    return {"all": [given, plain]}


def _plain(pairs: Sequence[str]) -> dict[str, Any]:
    """What all `--filter` ask for together: the values of a name that is given twice are alternatives."""
    equal: dict[str, list[Any]] = {}
    unequal: dict[str, list[Any]] = {}
    bounds: dict[str, dict[str, Any]] = {}
    for pair in pairs:
        found = CONDITION.fullmatch(pair)
        if found is None:
            raise UsageError(f"--filter must be NAME=VALUE, not {validation.describe(pair)}")
        name, operator, value = found.group(1), found.group(2), scalar_text.scalar(found.group(3))
        if operator in BOUNDS:
            sides = bounds.setdefault(name, {})
            if BOUNDS[operator] in sides:
                raise UsageError(f"--filter {usage.shown(name + operator)} is given twice")
            sides[BOUNDS[operator]] = value
        else:
            (equal if operator == "=" else unequal).setdefault(name, []).append(value)
    plain = {name: _one_or_all(values) for name, values in equal.items()}
    for name, sides in bounds.items():
        plain[name] = {"in": equal[name], **sides} if name in equal else sides
    if unequal:
        plain["not"] = {"any": [{name: _one_or_all(values)} for name, values in unequal.items()]}
    return plain


def _one_or_all(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values

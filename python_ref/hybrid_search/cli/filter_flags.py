"""Reads the filters of a command line: `--filters` as data, and every `--filter` (CUR-5)."""

import re
from collections.abc import Mapping
from typing import Any

from hybrid_search.base import validation
from hybrid_search.cli import usage
from hybrid_search.cli.usage import UsageError
from hybrid_search.doc_store_adapter.filters import filter_texts
from hybrid_search.doc_store_adapter.filters.filter_texts import Condition

CONDITION = re.compile(r"([^!=<>]*?[^!=<> ])( *)(\*=|\^=|\$=|>=|<=|!=|==|=|>|<)(.*)", re.DOTALL)
"""A name, spaces, one of the operators, and a value."""
OPERATORS = {
    "=": "",
    "==": "",
    "!=": "not",
    ">": "gt",
    ">=": "gte",
    "<": "lt",
    "<=": "lte",
    "*=": "contains",
    "^=": "starts_with",
    "$=": "ends_with",
}
SIGNS = {operator: sign for sign, operator in OPERATORS.items()}


def are_given(flags: Mapping[str, Any]) -> bool:
    """Return whether a command line has filters."""
    return "filters" in flags or "filter" in flags


def filters_of(flags: Mapping[str, Any]) -> Any:
    """Return the filters of a command line as data, or `None` if it has none.

    Raises:
        UsageError: a `--filter` is not a condition, or sets a bound twice.
    """
    conditions = [_condition(text) for text in flags.get("filter", ())]
    return filter_texts.joined(flags.get("filters"), filter_texts.filters(conditions, _twice))


def _condition(text: str) -> Condition:
    """Return the parts of a condition; spaces around its operator are ignored."""
    found = CONDITION.fullmatch(text)
    if found is None:
        raise UsageError(f"--filter must be NAME=VALUE, not {validation.describe(text)}")
    name, spaces, sign, value = found.groups()
    return name, OPERATORS[sign], value.lstrip(" ") if spaces else value


def _twice(condition: Condition) -> UsageError:
    name, operator, _ = condition
    return UsageError(f"--filter {usage.shown(name + SIGNS[operator])} is given twice")

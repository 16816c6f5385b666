"""Filters from conditions that are written as texts, on a command line or in a query string (CUR-5, CUR-6)."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hybrid_search.base import scalar_text

Condition = tuple[str, str, str]
"""A name, an operator ("" for equality) and a value as text."""
OF_TEXTS = ("contains", "starts_with", "ends_with")
"""The operators whose value is always a text, even if it looks like a number."""


def filters(conditions: Iterable[Condition], twice: Callable[[Condition], Exception]) -> dict[str, Any]:
    """Return filters that require all conditions; the values of a repeated name are alternatives.

    Args:
        conditions: the conditions in the given order.
        twice: returns the error for a comparison that is repeated.
    """
    equal: dict[str, list[Any]] = {}
    unequal: dict[str, list[Any]] = {}
    compared: dict[str, dict[str, Any]] = {}
    for name, operator, text in conditions:
        if operator == "in":
            equal.setdefault(name, []).extend(map(scalar_text.scalar, text.split(",")))
        elif operator in ("", "not"):
            (unequal if operator else equal).setdefault(name, []).append(scalar_text.scalar(text))
        else:
            sides = compared.setdefault(name, {})
            if operator in sides:
                raise twice((name, operator, text))
            value = scalar_text.scalar(text)
            sides[operator] = text if operator in OF_TEXTS and not isinstance(value, str) else value
    plain = {name: _one_or_all(values) for name, values in equal.items()}
    for name, sides in compared.items():
        plain[name] = {"in": equal[name], **sides} if name in equal else sides
    if unequal:
        plain["not"] = {"any": [{name: _one_or_all(values)} for name, values in unequal.items()]}
    return plain


def joined(given: Any, plain: Mapping[str, Any]) -> Any:
    """Return filters that require the given ones and those of conditions; `None` if there are neither."""
    if given is None or not plain:
        return given if given is not None else plain or None
    if isinstance(given, Mapping) and not given.keys() & plain.keys():
        return {**given, **plain}
    return {"all": [given, plain]}


def _one_or_all(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values

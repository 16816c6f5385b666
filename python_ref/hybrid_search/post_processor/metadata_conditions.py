"""Converts conditions on metadata, as Dify and RAGFlow write them, into filters (DFY-8)."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.base import validation

NAMES = ("name", "key")
OPERATOR_NAMES = ("comparison_operator", "op", "operator")
ALSO_WRITTEN = ("id", "metadata_id", "metadata_type", "type")
"""The keys that Dify's interface adds to a condition for its own use."""
LISTS = ("conditions", "manual")
LOGICS = ("logical_operator", "logic")
METHODS = ("manual", "disabled")

DOCUMENT_NAME = "document_name"
OPERATORS: Mapping[str, str] = {
    "is": "in", "=": "in", "==": "in", "in": "in",
    "is not": "not in", "not is": "not in", "≠": "not in", "!=": "not in", "not in": "not in",
    "contains": "contains", "not contains": "not contains",
    "start with": "starts_with", "starts with": "starts_with",
    "end with": "ends_with", "ends with": "ends_with",
    "empty": "empty", "not empty": "not empty",
    ">": "gt", "after": "gt", "≥": "gte", ">=": "gte", "<": "lt", "before": "lt", "≤": "lte", "<=": "lte",
}  # fmt: skip
"""The operators of both systems → the operators of filters."""
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{0,16}[1-9])?")
TRUTHS = {"true": True, "false": False}
ONE_VALUE = "a text, a number, true or false"


class MetadataConditions:
    """Converts the conditions of Dify's knowledge bases and nodes, and of RAGFlow's API and chats."""

    @staticmethod
    def filters(conditions: Mapping[str, Any], name: str = "conditions") -> dict[str, Any]:
        """Return the equivalent filters.

        `{"logical_operator": "and", "conditions": [{"name": "lang", "comparison_operator": "is", "value": "zh"}]}`
        becomes `{"all": [{"metadata.lang": {"in": ["zh"]}}]}`. If a name is a list, one of its fields must match.
        `document_name` is the name of the document, every other name an attribute in `metadata`.

        Args:
            conditions: the object. `logic` may replace `logical_operator`, `manual` replaces `conditions`, `key`
                replaces `name`, and `op` and `operator` replace `comparison_operator`. With the method "disabled" no
                condition counts.
            name: the name of the object in messages.

        Returns:
            Filters for `Index.search`, `RetrievalService` and stores; empty if no condition counts.

        Raises:
            InvalidInputError: an unknown key or operator, or a value that is not acceptable.
        """
        given = validation.mapping(name, conditions)
        validation.known(f"key of {name}", given, (*LOGICS, *LISTS, "method"))
        method = given.get("method")
        if method is not None and validation.choice(f"{name}.method", method, METHODS) == "disabled":
            return {}
        logic = _given(name, given, LOGICS)
        joined = "all" if logic is None else {"and": "all", "or": "any"}[validation.choice(*logic, ("and", "or"))]
        listed = _given(name, given, LISTS)
        if listed is None:
            return {}
        place, members = listed
        if not isinstance(members, (list, tuple)):
            raise validation.fail(place, members, "a list of conditions")
        found = [_condition(f"{place}[{index}]", one) for index, one in enumerate(members)]
        counted = [one for one in found if one is not None]
        return {joined: counted} if counted else {}


def _given(name: str, given: Mapping[str, Any], keys: Sequence[str]) -> tuple[str, Any] | None:
    """Return the place and the value of the first of the keys that is present."""
    return next(((f"{name}.{key}", given[key]) for key in keys if given.get(key) is not None), None)


def _condition(place: str, condition: Any) -> dict[str, Any] | None:
    """Return the filters of one condition; `None` for one without a value, which does not count, as in Dify."""
    given = validation.mapping(place, condition)
    validation.known(f"key of {place}", given, (*NAMES, *OPERATOR_NAMES, "value", *ALSO_WRITTEN))
    written: Any = next((given[key] for key in OPERATOR_NAMES if given.get(key) is not None), None)
    validation.known(f"operator of {place}", [written], tuple(OPERATORS))
    operator, value = OPERATORS[written], given.get("value")
    if value is None and operator not in ("empty", "not empty"):
        return None
    wanted = _operators(f"{place}.value", operator, value, is_list=written in ("in", "not in"))
    fields = _fields(*(_given(place, given, NAMES) or (f"{place}.{NAMES[0]}", None)))
    return {fields[0]: wanted} if len(fields) == 1 else {"any": [{field: wanted} for field in fields]}


def _fields(place: str, value: Any) -> list[str]:
    names = [validation.text(place, value)] if isinstance(value, str) else validation.texts(place, value)
    if not names or "" in names:
        raise validation.fail(place, value, "the name of an attribute, or a list of names")
    return ["docnm_kwd" if name == DOCUMENT_NAME else f"metadata.{name}" for name in names]


def _operators(place: str, operator: str, value: Any, is_list: bool) -> dict[str, Any]:
    """Return the operators of a filter. A missing value is not unequal to any value, as in both systems' databases."""
    if operator in ("empty", "not empty"):
        return {"exists": operator == "not empty"}
    if operator in ("in", "not in"):
        values = [one for member in _members(place, value, is_list) for one in _alike(place, member)]
        return {"in": values} if operator == "in" else {"exists": True, "not": values}
    if operator == "not contains":
        return {"exists": True, "not": {"contains": validation.text(place, value)}}
    if operator in ("contains", "starts_with", "ends_with"):
        return {operator: validation.text(place, value)}
    if isinstance(value, str):
        return {operator: _number(value) if NUMBER.fullmatch(value) else validation.text(place, value)}
    validation.number(place, value)
    return {operator: value}


def _members(place: str, value: Any, is_list: bool) -> list[Any]:
    """Return the values of a list, which may be written as a text with commas."""
    if is_list and isinstance(value, str):
        return [part for part in (part.strip(" ") for part in value.split(",")) if part]
    if isinstance(value, (list, tuple)):
        if not is_list:
            raise validation.fail(place, value, ONE_VALUE)
        return [member for member in value if member is not None]
    return [value]


def _alike(place: str, value: Any) -> list[Any]:
    """Return a value, and for a text also the number or the truth value that is written like it."""
    if isinstance(value, str):
        text = validation.text(place, value)
        if NUMBER.fullmatch(text):
            return [text, _number(text)]
        return [text, TRUTHS[text]] if text in TRUTHS else [text]
    if not isinstance(value, bool):
        validation.number(place, value)
    return [value]


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)

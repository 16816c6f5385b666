"""Filters of Haystack, translated both ways; Python only, the extra `haystack`."""

import datetime
from collections.abc import Mapping
from typing import Any

from hybrid_search.base import validation
from hybrid_search.doc_store_adapter.filters.filter_parser import FilterParser
from hybrid_search.errors import InvalidInputError
from hybrid_search.integrations import filter_tree, packages
from hybrid_search.integrations.filter_tree import AND, NOT, OR, FieldComparison, FieldOperation, FilterTree
from hybrid_search.protocols import FilterData
from hybrid_search.retriever.field_words import ATTRIBUTES, FieldWords

try:
    from haystack.errors import FilterError
except ImportError as problem:
    raise packages.missing("hybrid_search.integrations.haystack", "haystack-ai", "haystack") from problem

META = "meta."
OWN_FIELDS = ("id", "content")
"""The fields of a Haystack document, other than `meta`, that filters know."""
OTHER_FIELDS = ("blob", "score", "embedding", "sparse_embedding", "meta", "dataframe")

_OPERATORS = {"==": "eq", "!=": "ne", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte", "in": "in", "not in": "nin"}
_OF_OPERATORS = {name: operator for operator, name in _OPERATORS.items()}
_LOGIC = {"AND": AND, "OR": OR, "NOT": NOT}
_OF_LOGIC = {name: operator for operator, name in _LOGIC.items()}
_ORDERING = ("gt", "gte", "lt", "lte")


class UntranslatableFilterError(InvalidInputError, FilterError):
    """A filter of Haystack is not acceptable, or has no translation; the error is also a `FilterError` of Haystack."""


def to_filters(filters: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the filters of a search that are equivalent to filters of Haystack.

    Dates are compared as texts of ISO 8601, which sort chronologically if they have the same form.

    Args:
        filters: a comparison (`field`, `operator`, `value`) or a logic dictionary (`operator`, `conditions`).

    Raises:
        InvalidInputError: the filters are malformed, or have no translation; the error is also a `FilterError` of
            Haystack.
    """
    if not filters:
        return {}
    try:
        translated = filter_tree.to_filters(_tree("filters", filters))
        FilterParser(FieldWords()).parse(translated)
    except InvalidInputError as problem:
        raise UntranslatableFilterError(str(problem)) from None
    return translated


def from_filters(filters: FilterData) -> dict[str, Any] | None:
    """Return filters of a search as filters of Haystack; `None` for filters without a condition.

    Raises:
        InvalidInputError: the filters are not acceptable, or name a field that Haystack's documents do not have.
    """
    tree = filter_tree.of_filters(filters)
    return None if tree is None else _written(tree)


def _tree(place: str, filters: Any) -> FilterTree:
    given = validation.mapping(place, filters)
    return _comparison(place, given) if "field" in given else _operation(place, given)


def _operation(place: str, given: Mapping[str, Any]) -> FilterTree:
    _need(place, given, ("operator", "conditions"))
    operator = validation.choice(f"{place}.operator", given["operator"], tuple(_LOGIC))
    conditions = given["conditions"]
    if not isinstance(conditions, list) or not conditions:
        raise validation.fail(f"{place}.conditions", conditions, "a list of filters that is not empty")
    members = [_tree(f"{place}.conditions[{index}]", one) for index, one in enumerate(conditions)]
    return FieldOperation(_LOGIC[operator], members)


def _comparison(place: str, given: Mapping[str, Any]) -> FilterTree:
    _need(place, given, ("field", "operator", "value"))
    operator = _OPERATORS[validation.choice(f"{place}.operator", given["operator"], tuple(_OPERATORS))]
    field, value = _field(place, given["field"]), given["value"]
    if operator in ("in", "nin"):
        if not isinstance(value, list):
            raise validation.fail(f"{place}.value", value, "a list")
        return FieldComparison(field, operator, value)
    if isinstance(value, (list, tuple, set, Mapping)):
        raise validation.fail(f"{place}.value", value, "one value")
    if operator not in _ORDERING:
        return FieldComparison(field, operator, value)
    if value is None:  # nothing is above or below it
        return FieldComparison(field, "in", [])
    if isinstance(value, str) and not _is_date(value):
        raise validation.fail(f"{place}.value", value, "a number or a date of ISO 8601")
    return FieldComparison(field, operator, value)


def _need(place: str, given: Mapping[str, Any], names: tuple[str, ...]) -> None:
    missing = [name for name in names if name not in given]
    if missing:
        raise InvalidInputError(f"{place} must have {' and '.join(names)}; {missing[0]} is missing")


def _field(place: str, given: Any) -> str:
    name = validation.text(f"{place}.field", given)
    if name in OWN_FIELDS:
        return name
    if name in OTHER_FIELDS:
        raise InvalidInputError(f"{place}.field cannot be {name}: filters know id, content and the fields of meta")
    return ATTRIBUTES + name.removeprefix(META)


def _is_date(value: str) -> bool:
    try:
        datetime.datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _written(tree: FilterTree) -> dict[str, Any]:
    if isinstance(tree, FieldOperation):
        return {"operator": _OF_LOGIC[tree.operator], "conditions": [_written(one) for one in tree.conditions]}
    field = tree.field if tree.field in OWN_FIELDS else META + filter_tree.attribute(tree.field, "Haystack")
    if tree.operator == filter_tree.EXISTS:
        return {"field": field, "operator": "!=" if tree.value else "==", "value": None}
    if tree.operator not in _OF_OPERATORS:
        raise filter_tree.untranslatable(tree, "Haystack")
    return {"field": field, "operator": _OF_OPERATORS[tree.operator], "value": tree.value}

"""Filters of LlamaIndex, translated both ways; Python only, the extra `llama-index`."""

from collections.abc import Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.errors import InvalidInputError
from hybrid_search.integrations import filter_tree, packages
from hybrid_search.integrations.filter_tree import AND, EXISTS, NOT, OR, FieldComparison, FieldOperation, FilterTree
from hybrid_search.protocols import FilterData
from hybrid_search.retriever.field_words import ATTRIBUTES

try:
    from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters
except ImportError as problem:
    raise packages.missing("hybrid_search.integrations.llama_index", "llama-index-core", "llama-index") from problem

_OPERATORS = {
    "==": "eq", "!=": "ne", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte", "in": "in", "nin": "nin", "any": "in",
    "contains": "eq", "text_match": "contains",
}  # fmt: skip
_OF_OPERATORS = {
    "eq": "==", "ne": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<=", "in": "in", "nin": "nin",
    "contains": "text_match",
}  # fmt: skip
_LISTS = ("in", "nin", "any", "all")


def to_filters(filters: MetadataFilters | None) -> dict[str, Any]:
    """Return the filters of a search that are equivalent to filters of LlamaIndex.

    `contains` matches a list that has the value as a member, `any` a list with one of the values, `all` a list with
    each of them. The condition `not` matches if none of its filters matches.

    Args:
        filters: `MetadataFilters`, which may be nested; `None` means no condition.

    Raises:
        InvalidInputError: an operator has no translation (`text_match_insensitive`), or a value is not acceptable.
    """
    if filters is None or not filters.filters:
        return {}
    return filter_tree.to_filters(_tree(filters))


def from_filters(filters: FilterData) -> MetadataFilters | None:
    """Return filters of a search as filters of LlamaIndex; `None` for filters without a condition.

    Raises:
        InvalidInputError: the filters are not acceptable, or LlamaIndex has no equivalent filter: another field than
            `metadata`, or a value that is true or false.
    """
    tree = filter_tree.of_filters(filters)
    if tree is None:
        return None
    written = _written(tree)
    return written if isinstance(written, MetadataFilters) else MetadataFilters(filters=[written])


def _tree(filters: MetadataFilters) -> FilterTree:
    if not filters.filters:
        raise InvalidInputError("filters must not be empty within other filters")
    members = [_tree(one) if isinstance(one, MetadataFilters) else _comparison(one) for one in filters.filters]
    condition = (filters.condition or FilterCondition.AND).value
    if condition == NOT:
        return FieldOperation(NOT, [FieldOperation(OR, members)])
    return FieldOperation(condition, members)


def _comparison(given: MetadataFilter) -> FilterTree:
    field, operator = ATTRIBUTES + given.key, given.operator.value
    value: Any = given.value
    if operator == "is_empty":
        return FieldComparison(field, EXISTS, False)
    if operator != "all" and operator not in _OPERATORS:
        raise InvalidInputError(f"filters here have no operator {operator!r} (key {given.key!r})")
    if (operator in _LISTS) != isinstance(value, list):
        wanted = "a list" if operator in _LISTS else "one value"
        raise validation.fail(f"the value of {given.key} {operator}", value, wanted)
    if operator == "all":
        return FieldOperation(AND, [FieldComparison(field, "eq", one) for one in value or [None]])
    return FieldComparison(field, _OPERATORS[operator], value)


def _written(tree: FilterTree) -> MetadataFilter | MetadataFilters:
    if isinstance(tree, FieldOperation):
        members: Sequence[FilterTree] = tree.conditions
        if tree.operator == NOT and isinstance(members[0], FieldOperation) and members[0].operator == OR:
            members = members[0].conditions
        return _together(tree.operator, [_written(one) for one in members])
    key = filter_tree.attribute(tree.field, "LlamaIndex")
    if tree.operator == EXISTS:
        empty = MetadataFilter(key=key, value=None, operator=FilterOperator.IS_EMPTY)
        return _together(NOT, [empty]) if tree.value else empty
    if tree.operator not in _OF_OPERATORS:
        raise filter_tree.untranslatable(tree, "LlamaIndex")
    try:
        return MetadataFilter(key=key, value=tree.value, operator=FilterOperator(_OF_OPERATORS[tree.operator]))
    except ValueError:
        accepted = "a text, a number, or a list of one kind of these in filters of LlamaIndex"
        raise validation.fail(f"the value of {tree.field}", tree.value, accepted) from None


def _together(condition: str, members: list[Any]) -> MetadataFilters:
    try:
        return MetadataFilters(filters=members, condition=FilterCondition(condition))
    except ValueError:
        raise InvalidInputError(f"this version of LlamaIndex has no condition {condition!r} of filters") from None

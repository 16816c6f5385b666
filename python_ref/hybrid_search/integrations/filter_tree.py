"""Filters as a tree of comparisons, the form that the frameworks share (RET-8)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from hybrid_search.doc_store_adapter.filters.filter_parser import FilterParser
from hybrid_search.errors import InvalidInputError
from hybrid_search.protocols import FilterData
from hybrid_search.retriever.field_words import ATTRIBUTES, TAGS, WORDS, FieldWords

AND, OR, NOT = "and", "or", "not"
EQUAL, NOT_EQUAL, IN, NOT_IN, EXISTS = "eq", "ne", "in", "nin", "exists"

_RECORD_WORDS = {field: word for word, field in WORDS.items()}
_NEGATED = {EQUAL: NOT_EQUAL, IN: NOT_IN}
_TAG_FIELDS = "tag_feas."


@dataclass(frozen=True)
class FieldComparison:
    """One condition on one field.

    Attributes:
        field: the name of the field in filters: "metadata.lang", "id" …
        operator: "eq", "ne", "in", "nin", or an operator of filters other than "not": "gt", "contains", "exists" …
        value: the value to compare with; a list for "in" and "nin", true or false for "exists".
    """

    field: str
    operator: str
    value: Any


@dataclass(frozen=True)
class FieldOperation:
    """Conditions that belong together.

    Attributes:
        operator: "and", "or" or "not", which means that not all of the conditions hold.
        conditions: the conditions, at least one.
    """

    operator: str
    conditions: Sequence["FilterTree"]


FilterTree: TypeAlias = FieldComparison | FieldOperation


def to_filters(tree: FilterTree) -> dict[str, Any]:
    """Return the filters that are equivalent to a tree."""
    if isinstance(tree, FieldComparison):
        return {tree.field: _condition(tree)}
    members = [to_filters(condition) for condition in tree.conditions]
    if tree.operator == OR:
        return members[0] if len(members) == 1 else {"any": members}
    together = members[0] if len(members) == 1 else {"all": members}
    return {"not": together} if tree.operator == NOT else together


def of_filters(filters: FilterData) -> FilterTree | None:
    """Return filters as a tree; `None` for filters without a condition.

    Raises:
        InvalidInputError: the filters are not acceptable.
    """
    return _together(_trees(FilterParser(FieldWords()).parse(filters).data()))


def attribute(field: str, framework: str) -> str:
    """Return the name of an attribute of `metadata`.

    Args:
        field: the name of a field in filters.
        framework: the name of the framework, for the message.

    Raises:
        InvalidInputError: the field is not an attribute.
    """
    if not field.startswith(ATTRIBUTES):
        raise InvalidInputError(f"filters of {framework} know only metadata, not {field}")
    return field.removeprefix(ATTRIBUTES)


def untranslatable(comparison: FieldComparison, framework: str) -> InvalidInputError:
    """Return the error for an operator that a framework does not have.

    Args:
        comparison: the condition.
        framework: the name of the framework, for the message.
    """
    return InvalidInputError(f"filters of {framework} have no {comparison.operator}, which {comparison.field} has")


def _condition(comparison: FieldComparison) -> Any:
    match comparison.operator:
        case "eq" | "in":
            return comparison.value
        case "ne" | "nin":
            return {"not": comparison.value}
    return {comparison.operator: comparison.value}


def _trees(data: Mapping[str, Any]) -> list[FilterTree]:
    """Return the conditions of an object of filters in the form of `Condition.data`."""
    found: list[FilterTree] = []
    for name, wanted in data.items():
        match name:
            case "all":
                found.extend(tree for one in wanted for tree in _trees(one))
            case "any":
                found.append(FieldOperation(OR, [_one(one) for one in wanted]))
            case "not":
                found.append(_negated(_one(wanted)))
            case "must_not":
                found.extend(FieldComparison(_word(field), EXISTS, False) for field in wanted["exists"])
            case _:
                found.extend(_comparisons(_word(name), wanted))
    return found


def _negated(tree: FilterTree) -> FilterTree:
    if isinstance(tree, FieldComparison) and tree.operator in _NEGATED:
        return FieldComparison(tree.field, _NEGATED[tree.operator], tree.value)
    return FieldOperation(NOT, [tree])


def _one(data: Mapping[str, Any]) -> FilterTree:
    tree = _together(_trees(data))
    if tree is None:
        raise InvalidInputError("filters of other frameworks have no condition that always holds: {}")
    return tree


def _together(trees: Sequence[FilterTree]) -> FilterTree | None:
    if len(trees) < 2:
        return trees[0] if trees else None
    return FieldOperation(AND, trees)


def _comparisons(field: str, wanted: Any) -> list[FilterTree]:
    if not isinstance(wanted, Mapping):
        return [_equality(field, wanted)]
    return [
        _equality(field, value) if operator == IN else FieldComparison(field, operator, value)
        for operator, value in wanted.items()
    ]


def _equality(field: str, wanted: Any) -> FieldComparison:
    if not isinstance(wanted, list):
        return FieldComparison(field, EQUAL, wanted)
    return FieldComparison(field, EQUAL, wanted[0]) if len(wanted) == 1 else FieldComparison(field, IN, wanted)


def _word(field: str) -> str:
    """Return the name of a field of the store in filters."""
    if field.startswith(_TAG_FIELDS):
        return TAGS + field.removeprefix(_TAG_FIELDS)
    return _RECORD_WORDS.get(field, field)

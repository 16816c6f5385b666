"""Parses filters as data into conditions (DOC-2)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hybrid_search.base import validation
from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.documents.stored_document import scalar_key
from hybrid_search.doc_store_adapter.filters.comparisons import Bound, ScalarKey, TextPart
from hybrid_search.doc_store_adapter.filters.filter_conditions import (
    AllConditions,
    AnyCondition,
    Available,
    Condition,
    Conjunction,
    Exists,
    Identified,
    Missing,
    Negation,
    Valued,
)
from hybrid_search.doc_store_adapter.filters.filter_names import FilterField, FilterNames
from hybrid_search.errors import InvalidInputError

MOST_CONDITIONS = 128
MOST_VALUES = 65_536
"""The maximum number of values in all lists of an object of filters together."""
DEEPEST_FILTERS = 16
OPERATORS = ("eq", "in", "gt", "gte", "lt", "lte", "contains", "starts_with", "ends_with", "exists", "not")
OPERATORS_OF_EXISTENCE = ("exists", "not")
BOUNDS = ("gt", "gte", "lt", "lte")
PARTS = ("contains", "starts_with", "ends_with")
LONGEST_PART = 256
"""The maximum number of code points of a part of a text."""

VALUES = "a text, a number, true or false, or a list of these"
BY_PATH = "; what is in it is filtered by its path, like metadata.lang"
ONE_VALUE = "a text, a number, true or false"


class FilterParser:
    """Parses one object of filters; an instance is used once.

    Args:
        names: resolves the names in the filters.

    Attributes:
        fields: the fields of the store that the filters mention.
    """

    def __init__(self, names: FilterNames) -> None:
        self._names = names
        self._conditions = 0
        self._values = 0
        self._is_rewritten = False
        self.fields: set[str] = set()

    def parse(self, filters: Any, place: str = "filters", depth: int = 1) -> Conjunction:
        """Return the conditions of an object of filters.

        Raises:
            InvalidInputError: a condition of another form, an unknown name, too many conditions, or too deep nesting.
        """
        self._check_depth(depth)
        conditions: list[Condition] = []
        asked: set[str] = set()
        for name, wanted in validation.mapping(place, filters).items():
            self.count(1)
            conditions.extend(self._conditions_of(place, name, wanted, depth, asked))
        found = Conjunction(tuple(conditions))
        if depth == 1 and self._is_rewritten:
            self._count_written(found)
        return found

    def count(self, conditions: int) -> None:
        """Refuse too many conditions.

        Args:
            conditions: the number of further conditions.
        """
        self._conditions += conditions
        if self._conditions > MOST_CONDITIONS:
            raise InvalidInputError(f"filters must not hold more than {MOST_CONDITIONS} conditions")

    def _check_depth(self, depth: int) -> None:
        if depth > DEEPEST_FILTERS:
            raise InvalidInputError(f"filters must not be nested more than {DEEPEST_FILTERS} deep")

    def _count_written(self, found: Conjunction) -> None:
        """Apply the limits to the conditions that replace short forms too, since stores read these."""
        written = FilterParser(FilterNames())
        written.parse(found.data())
        self._conditions = written._conditions

    def _count_values(self, wanted: Any) -> None:
        """Refuse too many values in lists."""
        self._values += len(wanted) if _is_list(wanted) else 0
        if self._values > MOST_VALUES:
            raise InvalidInputError(f"filters must not hold more than {MOST_VALUES} values in lists")

    def _conditions_of(self, place: str, name: str, wanted: Any, depth: int, asked: set[str]) -> list[Condition]:
        within = validation.member(place, name)
        if name == "not":
            return [Negation(self.parse(wanted, within, depth + 1))]
        if name == "any":
            return [AnyCondition(self._list(within, wanted, depth))]
        if name == "all":
            return [AllConditions(self._list(within, wanted, depth))]
        if name == "must_not":
            return [self._must_not(within, wanted)]
        field = self._names.field(place, name)
        if field.name in asked:
            raise InvalidInputError(f"{within} asks about {field.name} a second time: put one of the two into all")
        asked.add(field.name)
        self.fields.add(field.name)
        return self._of_field(within, field, wanted, depth)

    def _list(self, place: str, wanted: Any, depth: int) -> tuple[Conjunction, ...]:
        if not isinstance(wanted, (list, tuple)):
            raise validation.fail(place, wanted, "a list of filters")
        self.count(len(wanted))
        return tuple(self.parse(one, f"{place}[{index}]", depth + 1) for index, one in enumerate(wanted))

    def _must_not(self, place: str, wanted: Any) -> Condition:
        conditions = validation.mapping(place, wanted)
        validation.known("condition of must_not", conditions, ["exists"])
        names: list[str] = []
        if "exists" in conditions:
            names = _texts(f"{place}.exists", conditions["exists"])
        self.count(len(names))
        fields = [self._names.field(f"{place}.exists", name).name for name in dict.fromkeys(names)]
        return Missing(tuple(FieldPath.of(field) for field in sorted(fields)))

    def _of_field(self, place: str, field: FilterField, wanted: Any, depth: int) -> list[Condition]:
        if isinstance(wanted, Mapping):
            return self._operators(place, field, wanted, depth)
        self._count_values(wanted)
        if wanted is None and field.kind != "identifier":
            return [Exists(FieldPath.of(field.name), False)]
        if field.kind == "existence":
            raise validation.fail(place, wanted, 'null or an object like {"exists": true}')
        return self._either(self._alternatives(place, field, wanted, depth))

    def _alternatives(self, place: str, field: FilterField, wanted: Any, depth: int) -> list[Conjunction]:
        """Return the alternatives of a value or a list: its values, each object of operators, and null."""
        if not _is_list(wanted):
            return [Conjunction((_valued(place, field, wanted),))]
        found: list[Conjunction] = []
        if len(wanted) == 0 or _values(field, wanted):
            found.append(Conjunction((_valued(place, field, wanted),)))
        for index, member in enumerate(wanted):
            if isinstance(member, Mapping):
                self._check_depth(depth + 1)
                self.count(1)
                found.append(Conjunction(tuple(self._operators(f"{place}[{index}]", field, member, depth + 1))))
        if _holds_null(wanted):
            found.append(Conjunction((Exists(FieldPath.of(field.name), False),)))
        return found

    def _either(self, alternatives: Sequence[Conjunction]) -> list[Condition]:
        """Return conditions that hold if one of the alternatives does."""
        if len(alternatives) == 1:
            return list(alternatives[0].conditions)
        self._is_rewritten = True
        return [AnyCondition(tuple(alternatives))]

    def _operators(self, place: str, field: FilterField, given: Any, depth: int) -> list[Condition]:
        wanted = validation.mapping(place, given)
        accepted = OPERATORS if field.kind in ("value", "identifier") else OPERATORS_OF_EXISTENCE
        validation.known(f"operator of {place}", wanted, accepted, BY_PATH if field.name == "metadata" else "")
        if not wanted:
            raise InvalidInputError(f"{place} must hold at least one operator. Known: {', '.join(accepted)}")
        self.count(len(wanted) - 1)
        found = []
        compared = {name: value for name, value in wanted.items() if name != "not"}
        if _holds_objects(wanted.get("in")):
            self._is_rewritten = True
            found.extend(self._of_field(f"{place}.in", field, compared.pop("in"), depth))
        if compared:
            found.extend(self._compared(place, field, compared))
        if "not" in wanted:
            self._check_depth(depth + 1)
            self._is_rewritten = True
            found.append(Negation(Conjunction(tuple(self._of_field(f"{place}.not", field, wanted["not"], depth + 1)))))
        return found

    def _compared(self, place: str, field: FilterField, wanted: Mapping[str, Any]) -> list[Condition]:
        """Return the conditions of all operators except `not`."""
        self._count_values(wanted.get("in"))
        path = FieldPath.of(field.name)
        exists = validation.boolean(f"{place}.exists", wanted["exists"]) if "exists" in wanted else None
        any_of, or_missing = _any_of(place, field, wanted)
        bounds = [_bound(f"{place}.{name}", field, name, wanted[name]) for name in BOUNDS if name in wanted]
        parts = [_part(f"{place}.{name}", field, name, wanted[name]) for name in PARTS if name in wanted]
        if any_of is None and not bounds and not parts and exists is not None:
            return [Exists(path, exists)]
        if not or_missing or bounds or parts:
            return [Valued(path, any_of, bounds, exists, parts)]
        present: list[Conjunction] = [Conjunction((Valued(path, any_of),))] if any_of else []
        found = self._either([*present, Conjunction((Exists(path, False),))])
        return found if exists is None else [*found, Exists(path, exists)]


def _valued(place: str, field: FilterField, wanted: Any) -> Condition:
    if field.kind == "identifier":
        return Identified(frozenset(_texts(place, _plain(place, field, wanted))))
    if field.kind == "availability":
        return _available(place, field, wanted, lambda name, value: validation.integer(name, value, 0, 1) == 1)
    if field.kind == "flag":
        return _available(place, field, wanted, validation.boolean)
    return Valued(FieldPath.of(field.name), _keys(place, field, wanted, VALUES))


def _available(place: str, field: FilterField, wanted: Any, flag: Callable[[str, Any], bool]) -> Available:
    if not _is_list(wanted):
        return Available((flag(place, wanted),))
    given = {flag(f"{place}[{index}]", one): None for index, one in _values(field, wanted)}
    return Available(tuple(given))


def _any_of(place: str, field: FilterField, wanted: Mapping[str, Any]) -> tuple[list[ScalarKey] | None, bool]:
    """Return the values that `in` and `eq` accept, and whether both accept a missing value.

    The values are `None` if any value is accepted.
    """
    found: list[ScalarKey] | None = None
    or_missing = True
    if "in" in wanted:
        if not _is_list(wanted["in"]):
            raise validation.fail(f"{place}.in", wanted["in"], "a list of texts, numbers, true or false")
        found = _keys(f"{place}.in", field, wanted["in"], ONE_VALUE)
        or_missing = _holds_null(wanted["in"])
    if "eq" in wanted:
        if _is_list(wanted["eq"]):
            raise validation.fail(f"{place}.eq", wanted["eq"], ONE_VALUE)
        if wanted["eq"] is None and field.kind != "identifier":
            return [], or_missing
        one = _keys(f"{place}.eq", field, wanted["eq"], ONE_VALUE)
        found, or_missing = one if found is None or one[0] in found else [], False
    return found, or_missing


def _bound(place: str, field: FilterField, operator: str, limit: Any) -> Bound:
    plain = _plain(place, field, limit)
    if isinstance(plain, (bool, list, tuple, Mapping)) or plain is None:
        raise validation.fail(place, plain, "a number or a text")
    return Bound(operator, _key(place, field, plain, "a number or a text"))


def _part(place: str, field: FilterField, operator: str, part: Any) -> TextPart:
    plain = _plain(place, field, part)
    if not isinstance(plain, str):
        raise validation.fail(place, plain, "a text")
    if len(validation.text(place, plain)) > LONGEST_PART:
        raise InvalidInputError(f"{place} must be a text of at most {LONGEST_PART} code points, not of {len(plain)}")
    return TextPart(operator, plain)


def _keys(place: str, field: FilterField, wanted: Any, accepted: str) -> list[ScalarKey]:
    plain = _plain(place, field, wanted)
    members = plain if isinstance(plain, list) else [plain]
    keys = list(dict.fromkeys(_key(place, field, member, accepted) for member in members))
    return sorted(keys) if isinstance(wanted, (set, frozenset)) else keys


def _key(place: str, field: FilterField, member: Any, accepted: str) -> ScalarKey:
    if isinstance(member, str) or field.kind == "identifier":
        return ("text", validation.text(place, member))
    if _is_list(member) or isinstance(member, Mapping):
        raise validation.fail(place, member, accepted)
    if not isinstance(member, bool):
        validation.number(place, member)
        member = member.item() if hasattr(member, "item") else member
    key = scalar_key(member)
    if key is None:
        raise validation.fail(place, member, accepted)
    return key


def _plain(place: str, field: FilterField, wanted: Any) -> Any:
    """Return a value, or each value of a list, as converted by its field."""
    if not _is_list(wanted):
        return field.value(place, wanted)
    return [field.value(f"{place}[{index}]", member) for index, member in _values(field, wanted)]


def _is_list(value: Any) -> bool:
    """Return whether a value is a list of alternatives."""
    return isinstance(value, (list, tuple, set, frozenset, range)) or (
        isinstance(value, np.ndarray) and value.ndim == 1
    )


def _values(field: FilterField, wanted: Any) -> list[tuple[int, Any]]:
    """Return the values among alternatives with their positions, without objects of operators and null."""
    given = [(index, member) for index, member in enumerate(wanted) if not isinstance(member, Mapping)]
    return given if field.kind == "identifier" else [pair for pair in given if pair[1] is not None]


def _holds_null(wanted: Any) -> bool:
    """Return whether null is among alternatives."""
    return any(member is None for member in wanted)


def _holds_objects(wanted: Any) -> bool:
    return _is_list(wanted) and any(isinstance(member, Mapping) for member in wanted)


def _texts(place: str, value: Any) -> list[str]:
    return [validation.text(place, value)] if isinstance(value, str) else validation.texts(place, value)

"""From filters as they are given to the conditions they mean (DOC-2)."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from hybrid_search import _validation as validation
from hybrid_search.doc_store_adapter._field_path import FieldPath
from hybrid_search.doc_store_adapter._filter_conditions import (
    AllOf,
    AnyOf,
    Available,
    Bound,
    Condition,
    Conjunction,
    Exists,
    Identified,
    Missing,
    Negation,
    ScalarKey,
    Valued,
)
from hybrid_search.doc_store_adapter._stored_document import scalar_key
from hybrid_search.errors import InvalidInputError

MOST_CONDITIONS = 128
MOST_VALUES = 65_536
"""The number of values that all lists of an object of filters hold together, at most."""
DEEPEST_FILTERS = 16
OPERATORS = ("eq", "in", "gt", "gte", "lt", "lte", "exists")
BOUNDS = ("gt", "gte", "lt", "lte")

KINDS = {"id": "identifier", "available_int": "availability"}
VALUES = "a text, a number, true or false, or a list of these"
BY_PATH = "; what is in it is filtered by its path, like metadata.lang"
ONE_VALUE = "a text, a number, true or false"


class FilterField(NamedTuple):
    """What a name in filters means.

    Attributes:
        name: the field of the store.
        kind: "value", "identifier" (texts alone), "availability" (1 or 0), "flag" (true or false, for availability), or
            "existence" (nothing but `exists`).
        value: makes a value plain before it is checked: its name in messages and the value go in.
    """

    name: str
    kind: str
    value: Callable[[str, Any], Any]


class FilterNames:
    """The names that filters of a store have: those of its fields, whatever they are."""

    def field(self, place: str, name: str) -> FilterField:
        """What a name means.

        Args:
            place: where it stands, for messages.
            name: as given.

        Raises:
            InvalidInputError: there is no such field.
        """
        return FilterField(name, KINDS.get(name, "value"), lambda _, value: value)


class FilterParser:
    """Reads filters once.

    Args:
        names: what the names in them mean.

    Attributes:
        fields: the fields of the store that they ask about.
    """

    def __init__(self, names: FilterNames) -> None:
        self._names = names
        self._conditions = 0
        self._values = 0
        self.fields: set[str] = set()

    def parse(self, filters: Any, place: str = "filters", depth: int = 1) -> Conjunction:
        """What an object of filters asks for.

        Raises:
            InvalidInputError: a condition of another form, an unknown name, too many of them, or too deep.
        """
        if depth > DEEPEST_FILTERS:
            raise InvalidInputError(f"filters must not be nested more than {DEEPEST_FILTERS} deep")
        conditions = []
        asked: set[str] = set()
        for name, wanted in validation.mapping(place, filters).items():
            self.count(1)
            conditions.append(self._condition(place, name, wanted, depth, asked))
        return Conjunction(tuple(conditions))

    def count(self, conditions: int) -> None:
        """Refuse too many conditions.

        Args:
            conditions: how many more there are.
        """
        self._conditions += conditions
        if self._conditions > MOST_CONDITIONS:
            raise InvalidInputError(f"filters must not hold more than {MOST_CONDITIONS} conditions")

    def _count_values(self, wanted: Any) -> None:
        """Refuse too many values in lists."""
        self._values += len(wanted) if isinstance(wanted, (list, tuple)) else 0
        if self._values > MOST_VALUES:
            raise InvalidInputError(f"filters must not hold more than {MOST_VALUES} values in lists")

    def _condition(self, place: str, name: str, wanted: Any, depth: int, asked: set[str]) -> Condition:
        within = validation.member(place, name)
        if name == "not":
            return Negation(self.parse(wanted, within, depth + 1))
        if name == "any":
            return AnyOf(self._list(within, wanted, depth))
        if name == "all":
            return AllOf(self._list(within, wanted, depth))
        if name == "must_not":
            return self._must_not(within, wanted)
        field = self._names.field(place, name)
        if field.name in asked:
            raise InvalidInputError(f"{within} asks about {field.name} a second time: put one of the two into all")
        asked.add(field.name)
        self.fields.add(field.name)
        return self._of_field(within, field, wanted)

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

    def _of_field(self, place: str, field: FilterField, wanted: Any) -> Condition:
        if isinstance(wanted, Mapping):
            return self._operators(place, field, validation.mapping(place, wanted))
        self._count_values(wanted)
        if field.kind == "existence":
            raise validation.fail(place, wanted, 'an object like {"exists": true}')
        if field.kind == "identifier":
            return Identified(frozenset(_texts(place, _plain(place, field, wanted))))
        if field.kind == "availability":
            return _available(place, wanted, lambda name, value: validation.integer(name, value, 0, 1) == 1)
        if field.kind == "flag":
            return _available(place, wanted, validation.boolean)
        return Valued(FieldPath.of(field.name), _keys(place, field, wanted, VALUES))

    def _operators(self, place: str, field: FilterField, wanted: Mapping[str, Any]) -> Condition:
        accepted = OPERATORS if field.kind in ("value", "identifier") else ("exists",)
        validation.known(f"operator of {place}", wanted, accepted, BY_PATH if field.name == "metadata" else "")
        if not wanted:
            raise InvalidInputError(f"{place} must hold at least one operator. Known: {', '.join(accepted)}")
        self.count(len(wanted) - 1)
        self._count_values(wanted.get("in"))
        path = FieldPath.of(field.name)
        exists = validation.boolean(f"{place}.exists", wanted["exists"]) if "exists" in wanted else None
        if exists is not None and len(wanted) == 1:
            return Exists(path, exists)
        bounds = [_bound(f"{place}.{name}", field, name, wanted[name]) for name in BOUNDS if name in wanted]
        return Valued(path, _any_of(place, field, wanted), bounds, exists)


def _available(place: str, wanted: Any, flag: Callable[[str, Any], bool]) -> Available:
    if not isinstance(wanted, (list, tuple)):
        return Available((flag(place, wanted),))
    return Available(tuple(dict.fromkeys(flag(f"{place}[{index}]", one) for index, one in enumerate(wanted))))


def _any_of(place: str, field: FilterField, wanted: Mapping[str, Any]) -> list[ScalarKey] | None:
    found: list[ScalarKey] | None = None
    if "in" in wanted:
        if not isinstance(wanted["in"], (list, tuple)):
            raise validation.fail(f"{place}.in", wanted["in"], "a list of texts, numbers, true or false")
        found = _keys(f"{place}.in", field, wanted["in"], ONE_VALUE)
    if "eq" in wanted:
        if isinstance(wanted["eq"], (list, tuple)):
            raise validation.fail(f"{place}.eq", wanted["eq"], ONE_VALUE)
        one = _keys(f"{place}.eq", field, wanted["eq"], ONE_VALUE)
        found = one if found is None or one[0] in found else []
    return found


def _bound(place: str, field: FilterField, operator: str, limit: Any) -> Bound:
    plain = _plain(place, field, limit)
    if isinstance(plain, (bool, list, tuple, Mapping)) or plain is None:
        raise validation.fail(place, plain, "a number or a text")
    return Bound(operator, _key(place, field, plain, "a number or a text"))


def _keys(place: str, field: FilterField, wanted: Any, accepted: str) -> list[ScalarKey]:
    plain = _plain(place, field, wanted)
    members = plain if isinstance(plain, (list, tuple)) else [plain]
    return list(dict.fromkeys(_key(place, field, member, accepted) for member in members))


def _key(place: str, field: FilterField, member: Any, accepted: str) -> ScalarKey:
    if isinstance(member, str) or field.kind == "identifier":
        return ("text", validation.text(place, member))
    if member is None or isinstance(member, (list, tuple, Mapping)):
        raise validation.fail(place, member, accepted)
    if not isinstance(member, bool):
        validation.number(place, member)
        member = member.item() if hasattr(member, "item") else member
    key = scalar_key(member)
    if key is None:
        raise validation.fail(place, member, accepted)
    return key


def _plain(place: str, field: FilterField, wanted: Any) -> Any:
    """The value, or each of a list, as the names want it."""
    if isinstance(wanted, (list, tuple)):
        return [field.value(f"{place}[{index}]", member) for index, member in enumerate(wanted)]
    return field.value(place, wanted)


def _texts(place: str, value: Any) -> list[str]:
    return [validation.text(place, value)] if isinstance(value, str) else validation.texts(place, value)

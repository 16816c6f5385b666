"""The order of documents by their fields (DOC-1)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.protocols import OrderBy

DIRECTIONS = ("asc", "desc")
SPELLED = {"asc": "asc", "ASC": "asc", "desc": "desc", "DESC": "desc"}
FORMS = 'a name, an object like {"metadata.year": "desc"}, or a list of names, objects and [name, direction] pairs'
ONE_FORM = 'a name, an object like {"metadata.year": "desc"}, or a [name, direction] pair'
FieldKey = tuple[int, Any]
OrderValue = int | float | str


Pair = tuple[str, str]


def pairs(order_by: Any) -> list[Pair]:
    """Return an order as pairs of a name and a direction.

    Args:
        order_by: a list of pairs, of objects of a name and a direction, and of texts; or one of these alone. A text is
            a name, sorted in ascending order; with "-" before it, or " desc" or ":desc" after it, in descending order.

    Raises:
        InvalidInputError: any other value.
    """
    if isinstance(order_by, (str, Mapping)) or _is_pair(order_by):
        return _of_one("order_by", order_by)
    if not isinstance(order_by, Sequence):
        raise validation.fail("order_by", order_by, FORMS)
    return [pair for index, one in enumerate(order_by) for pair in _of_one(f"order_by[{index}]", one)]


def _of_one(place: str, given: Any) -> list[Pair]:
    if isinstance(given, str):
        return [_of_text(validation.text(place, given))]
    if isinstance(given, Mapping):
        order = validation.mapping(place, given)
        return [(name, _direction(validation.member(place, name), order[name])) for name in order]
    if not isinstance(given, Sequence) or len(given) != 2:
        raise validation.fail(place, given, ONE_FORM)
    return [(validation.text(f"{place}[0]", given[0]), _direction(f"{place}[1]", given[1]))]


def _of_text(text: str) -> Pair:
    """Parse a text: "metadata.year", "-metadata.year", "metadata.year desc" or "metadata.year:desc"."""
    if text.startswith("-"):
        return text[1:], "desc"
    for sign in (" ", ":"):
        name, _, direction = text.rpartition(sign)
        if name and direction in SPELLED:
            return name, SPELLED[direction]
    return text, "asc"


def _direction(place: str, given: Any) -> str:
    return validation.choice(place, SPELLED.get(given, given) if isinstance(given, str) else given, DIRECTIONS)


def _is_pair(given: Any) -> bool:
    """Return whether a list is itself a pair of a name and a direction, not a list of two names."""
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != 2:
        return False
    return isinstance(given[0], str) and isinstance(given[1], str) and given[1] in SPELLED


class SortOrder:
    """An order by fields; later fields break ties of earlier ones.

    In ascending order, numbers come before texts (by code points); descending order is the reverse. A document that
    lacks the field, or has a value of another type, comes last in both. Of a list, the smallest member counts in
    ascending order and the largest in descending order.

    Args:
        order_by: see `pairs`.

    Raises:
        InvalidInputError: any other value.

    Attributes:
        criteria: the path of each pair, and whether the order is descending.
    """

    def __init__(self, order_by: OrderBy) -> None:
        self.criteria = [(FieldPath.of(name), direction == "desc") for name, direction in pairs(order_by)]

    def is_empty(self) -> bool:
        """Return whether there is no field to sort by."""
        return not self.criteria

    def arrange(
        self, ranking: list[tuple[str, float]], values: Callable[[FieldPath, Sequence[str]], Sequence[Any]]
    ) -> None:
        """Sort a ranking by this order; ties retain their order.

        Args:
            ranking: (id, score) pairs.
            values: returns the values of documents at a path, given their ids.
        """
        identifiers = [identifier for identifier, _ in ranking]
        for path, descending in reversed(self.criteria):
            found = zip(identifiers, values(path, identifiers), strict=True)
            keys = {identifier: _key(value, descending) for identifier, value in found}
            ranking.sort(key=lambda pair, keys=keys: keys[pair[0]] or (0, 0), reverse=descending)  # type: ignore[misc]
            ranking.sort(key=lambda pair, keys=keys: keys[pair[0]] is None)  # type: ignore[misc]

    def values(self, fields: Mapping[str, Any]) -> tuple[OrderValue | None, ...]:
        """Return the value that decides for each field, or `None` if there is no value to sort by."""
        keys = [_key(path.value(fields), descending) for path, descending in self.criteria]
        return tuple(None if key is None else key[1] for key in keys)

    def compare(self, left: Sequence[OrderValue | None], right: Sequence[OrderValue | None]) -> int:
        """Return a number below 0 if the first values come first, above 0 if the second do, and otherwise 0."""
        for (_, descending), one, other in zip(self.criteria, left, right, strict=True):
            mine, theirs = _scalar(one), _scalar(other)
            if mine is None or theirs is None:
                order = (mine is None) - (theirs is None)
            else:
                order = (mine < theirs) - (mine > theirs) if descending else (mine > theirs) - (mine < theirs)
            if order != 0:
                return order
        return 0


NO_ORDER = SortOrder(())
"""The order of an empty `order_by`."""


def _key(value: Any, descending: bool) -> FieldKey | None:
    members = [_scalar(member) for member in (value if isinstance(value, list) else [value])]
    keys = [key for key in members if key is not None]
    if not keys:
        return None
    return max(keys) if descending else min(keys)


def _scalar(value: Any) -> FieldKey | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return (0, value)
    return (1, value) if isinstance(value, str) else None

"""The order of documents by their fields (DOC-1)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybrid_search import _validation as validation
from hybrid_search.doc_store_adapter._field_path import FieldPath

DIRECTIONS = ("asc", "desc")
FieldKey = tuple[int, Any]
OrderValue = int | float | str


class SortOrder:
    """`[field, "asc" or "desc"]` pairs, the first decides first.

    Numbers come before texts (by code points), the other way round descending; a document without the field, or with a
    value of another kind, comes last in both. Of a list the smallest member counts ascending, the largest descending.

    Args:
        order_by: the pairs.

    Raises:
        InvalidInputError: anything else.

    Attributes:
        criteria: the path of each pair, and whether it counts descending.
    """

    def __init__(self, order_by: Sequence[Sequence[str]]) -> None:
        if isinstance(order_by, str) or not isinstance(order_by, Sequence):
            raise validation.fail("order_by", order_by, "a list of [field, direction] pairs")
        self.criteria: list[tuple[FieldPath, bool]] = []
        for index, pair in enumerate(order_by):
            name = f"order_by[{index}]"
            if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
                raise validation.fail(name, pair, "a [field, direction] pair")
            path = FieldPath.of(validation.text(f"{name}[0]", pair[0]))
            self.criteria.append((path, validation.choice(f"{name}[1]", pair[1], DIRECTIONS) == "desc"))

    def is_empty(self) -> bool:
        """Whether there is nothing to order by."""
        return not self.criteria

    def arrange(
        self, ranking: list[tuple[str, float]], values: Callable[[FieldPath, Sequence[str]], Sequence[Any]]
    ) -> None:
        """Put a ranking into this order; what is equal stays as it is.

        Args:
            ranking: (id, score) pairs.
            values: what documents have at a path, by their ids.
        """
        identifiers = [identifier for identifier, _ in ranking]
        for path, descending in reversed(self.criteria):
            found = zip(identifiers, values(path, identifiers), strict=True)
            keys = {identifier: _key(value, descending) for identifier, value in found}
            ranking.sort(key=lambda pair, keys=keys: keys[pair[0]] or (0, 0), reverse=descending)  # type: ignore[misc]
            ranking.sort(key=lambda pair, keys=keys: keys[pair[0]] is None)  # type: ignore[misc]

    def values(self, fields: Mapping[str, Any]) -> tuple[OrderValue | None, ...]:
        """The value that counts in each field, none where there is none that can be ordered."""
        keys = [_key(path.value(fields), descending) for path, descending in self.criteria]
        return tuple(None if key is None else key[1] for key in keys)

    def compare(self, left: Sequence[OrderValue | None], right: Sequence[OrderValue | None]) -> int:
        """Below 0 where the values of a document come before those of another one, above 0 where after, else 0."""
        for (_, descending), one, other in zip(self.criteria, left, right, strict=True):
            mine, theirs = _scalar(one), _scalar(other)
            if mine is None or theirs is None:
                order = (mine is None) - (theirs is None)
            else:
                order = (mine < theirs) - (mine > theirs) if descending else (mine > theirs) - (mine < theirs)
            if order != 0:
                return order
        return 0


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

"""Comparisons of a value with a limit or with a part of a text (DOC-2)."""

from typing import Any, NamedTuple

ScalarKey = tuple[str, Any]
"""The type of a value, and the value."""


class Bound(NamedTuple):
    """One side of a range: `gt`, `gte`, `lt` or `lte`, and the limit, which is a number or a text."""

    operator: str
    limit: ScalarKey

    def holds(self, key: ScalarKey) -> bool:
        """Return whether a value satisfies the comparison; a value of another type never does."""
        if key[0] != self.limit[0]:
            return False
        value, limit = key[1], self.limit[1]
        if self.operator == "gt":
            return bool(value > limit)
        if self.operator == "gte":
            return bool(value >= limit)
        if self.operator == "lt":
            return bool(value < limit)
        return bool(value <= limit)


class TextPart(NamedTuple):
    """A condition on a text: `contains`, `starts_with` or `ends_with`, and a text, compared by code points."""

    operator: str
    part: str

    def holds(self, key: ScalarKey) -> bool:
        """Return whether a value is a text that has the part."""
        if key[0] != "text":
            return False
        if self.operator == "contains":
            return self.part in key[1]
        return bool(key[1].startswith(self.part) if self.operator == "starts_with" else key[1].endswith(self.part))

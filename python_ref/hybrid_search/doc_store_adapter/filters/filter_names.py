"""The names in filters, and what they mean (DOC-2)."""

from collections.abc import Callable
from typing import Any, NamedTuple

KINDS = {"id": "identifier", "available_int": "availability"}


class FilterField(NamedTuple):
    """What a name in filters means.

    Attributes:
        name: the field of the store.
        kind: "value", "identifier" (texts alone), "availability" (1 or 0), "flag" (true or false, for availability), or
            "existence" (null and `exists`).
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

"""The names in filters and the fields that they stand for (DOC-2)."""

from collections.abc import Callable
from typing import Any, NamedTuple

KINDS = {"id": "identifier", "available_int": "availability"}


class FilterField(NamedTuple):
    """The meaning of a name in filters.

    Attributes:
        name: the field of the store.
        kind: "value", "identifier" (texts alone), "availability" (1 or 0), "flag" (true or false, for availability), or
            "existence" (null and `exists`).
        value: converts a given value before it is checked; its arguments are the value's name in messages and the
            value.
    """

    name: str
    kind: str
    value: Callable[[str, Any], Any]


class FilterNames:
    """The names in the filters of a store: those of its fields, without any restriction."""

    def field(self, place: str, name: str) -> FilterField:
        """Return the meaning of a name.

        Args:
            place: the position of the name, for messages.
            name: the name as given.

        Raises:
            InvalidInputError: there is no such field.
        """
        return FilterField(name, KINDS.get(name, "value"), lambda _, value: value)

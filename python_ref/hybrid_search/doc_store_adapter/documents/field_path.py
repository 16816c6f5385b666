"""Where in a document a field's value is (DOC-2): a field, or a place in one of the objects it holds."""

from collections.abc import Mapping
from typing import Any, NamedTuple

ATTRIBUTES = "metadata."
TAGS = "tag_feas."


class FieldPath(NamedTuple):
    """A field's name as steps into a document.

    `metadata.a.b` is the value b in the object a of `metadata`, and `tag_feas.x` the number of the tag x, be there
    dots in its name or not. Any other name is a field's own, dots and all.

    Attributes:
        name: the whole name.
        steps: the key of each object on the way.
    """

    name: str
    steps: tuple[str, ...]

    @classmethod
    def of(cls, name: str) -> "FieldPath":
        """The path that a name means."""
        if name.startswith(ATTRIBUTES):
            return cls(name, tuple(name.split(".")))
        if name.startswith(TAGS):
            return cls(name, ("tag_feas", name.removeprefix(TAGS)))
        return cls(name, (name,))

    def value(self, fields: Mapping[str, Any]) -> Any:
        """What a document has there, none if nothing."""
        value = fields.get(self.steps[0])
        for step in self.steps[1:]:
            if not isinstance(value, Mapping):
                return None
            value = value.get(step)
        return value

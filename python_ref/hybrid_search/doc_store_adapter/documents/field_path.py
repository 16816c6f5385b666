"""The path to a value of a document: a field, or a key inside an object (DOC-2)."""

from collections.abc import Mapping
from typing import Any, NamedTuple

ATTRIBUTES = "metadata."
TAGS = "tag_feas."


class FieldPath(NamedTuple):
    """The steps from a document to a value.

    `metadata.a.b` is the value b in the object a of `metadata`. `tag_feas.x` is the number of the tag x, whose name may
    contain dots. Any other name is the name of a field, even if it contains dots.

    Attributes:
        name: the whole name.
        steps: the keys from the outermost object to the value.
    """

    name: str
    steps: tuple[str, ...]

    @classmethod
    def of(cls, name: str) -> "FieldPath":
        """Return the path that a name stands for."""
        if name.startswith(ATTRIBUTES):
            return cls(name, tuple(name.split(".")))
        if name.startswith(TAGS):
            return cls(name, ("tag_feas", name.removeprefix(TAGS)))
        return cls(name, (name,))

    def value(self, fields: Mapping[str, Any]) -> Any:
        """Return a document's value at the path, or `None` if it has none."""
        value = fields.get(self.steps[0])
        for step in self.steps[1:]:
            if not isinstance(value, Mapping):
                return None
            value = value.get(step)
        return value

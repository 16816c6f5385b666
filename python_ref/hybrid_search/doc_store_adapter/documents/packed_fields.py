"""Fields of documents whose vectors stay as the store has packed them, so that a rerank makes no lists of numbers."""

import struct
from collections.abc import Iterator, Mapping, Set
from typing import Any, NamedTuple


class PackedVector(NamedTuple):
    """A vector as bytes.

    Attributes:
        packed: the components, each with the lowest byte first.
        kind: "f" for floats of 32 bits, "d" for floats of 64 bits.
    """

    packed: bytes
    kind: str

    @staticmethod
    def of(packed: bytes, dimension: int) -> "PackedVector":
        """Return the vector of bytes.

        Raises:
            ValueError: it has another dimension.
        """
        if len(packed) == 4 * dimension:
            return PackedVector(packed, "f")
        if len(packed) == 8 * dimension:
            return PackedVector(packed, "d")
        raise ValueError(len(packed))

    def numbers(self) -> list[float]:
        """Return the components."""
        return list(struct.unpack(f"<{len(self.packed) // struct.calcsize(self.kind)}{self.kind}", self.packed))


class PackedFields(Mapping[str, Any]):
    """The fields of a document; a vector becomes a list of numbers each time it is read.

    Args:
        fields: every field except vectors.
        vectors: vector field → vector; other names than those of the fields.
    """

    __slots__ = ("_fields", "vectors")

    def __init__(self, fields: Mapping[str, Any], vectors: Mapping[str, PackedVector]) -> None:
        self._fields = fields
        self.vectors = vectors

    def __getitem__(self, name: str) -> Any:
        """Return the value of a field, or the components of a vector."""
        return self._fields[name] if name in self._fields else self.vectors[name].numbers()

    def __iter__(self) -> Iterator[str]:
        """Return the names of the fields, and then those of the vectors."""
        yield from self._fields
        yield from self.vectors

    def __len__(self) -> int:
        """Return the number of fields and vectors."""
        return len(self._fields) + len(self.vectors)

    def get(self, name: str, default: Any = None) -> Any:
        """Return the same as `[name]`, or the default if it is missing."""
        if name in self._fields:
            return self._fields[name]
        return self.vectors[name].numbers() if name in self.vectors else default

    def only(self, names: Set[str]) -> "PackedFields":
        """Return those of the fields and vectors that have one of the names."""
        return PackedFields(_only(self._fields, names), _only(self.vectors, names))


def _only(values: Mapping[str, Any], names: Set[str]) -> Mapping[str, Any]:
    """Return the values that have one of the names; the same mapping if all have, which is fast."""
    return values if values.keys() <= names else {name: value for name, value in values.items() if name in names}

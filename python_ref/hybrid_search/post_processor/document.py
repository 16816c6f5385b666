"""Documents in the form in which Dify's retrieval returns them (DFY-1)."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from hybrid_search.base import validation
from hybrid_search.errors import DimensionMismatchError, InvalidInputError

KEYS = ("page_content", "metadata")
PARTS = ("provider", "vector", "children", "attachments")
"""The parts of Dify's documents in addition to text and metadata."""
LISTS = ("children", "attachments")
NUMBERS = ("score", "vector_score", "keyword_score")
DEEPEST = 100


class Document:
    """A text with its metadata; it is immutable, and contains copies of the given data.

    Args:
        page_content: the text.
        metadata: any values by name; null counts as missing. Known names are `doc_id` (a text), `score`, `vector_score`
            and `keyword_score` (finite numbers) and `vector` (a list of finite numbers).
        name: the argument's name, for messages.
        parts: the other parts of Dify's documents, null counting as missing: `provider` (a text), `vector` (a list of
            finite numbers; used if metadata has none), `children` and `attachments` (lists, only passed on).

    Raises:
        InvalidInputError: a part is not acceptable, or metadata is nested deeper than 100 levels.
    """

    __slots__ = ("metadata", "page_content", "parts")

    page_content: str
    metadata: Mapping[str, Any]
    parts: Mapping[str, Any]

    def __init__(
        self,
        page_content: str,
        metadata: Mapping[str, Any] | None = None,
        name: str = "",
        parts: Mapping[str, Any] | None = None,
    ) -> None:
        place = f"{name}." if name else ""
        object.__setattr__(self, "page_content", validation.text(f"{place}page_content", page_content))
        given = validation.mapping(f"{place}metadata", {} if metadata is None else metadata)
        _check(f"{place}metadata", given)
        copied = {key: _copy(f"{place}metadata", value, 1) for key, value in given.items()}
        object.__setattr__(self, "metadata", MappingProxyType(copied))
        object.__setattr__(self, "parts", MappingProxyType(_parts(place, parts)))

    @classmethod
    def build(cls, name: str, value: Any) -> "Document":
        """Return a copy of a document, or of an object of `page_content` and `metadata` as Dify dumps it.

        Raises:
            InvalidInputError: any other value; the message begins with `name`.
        """
        if isinstance(value, Document):
            return cls(value.page_content, value.metadata, name, value.parts)
        if not isinstance(value, Mapping):
            raise validation.fail(name, value, "a document: an object of page_content and metadata")
        given = validation.mapping(name, value)
        validation.known("part of a document", given, (*KEYS, *PARTS))
        if "page_content" not in given:
            raise InvalidInputError(f"{name} has no page_content")
        parts = {key: part for key, part in given.items() if key in PARTS}
        return cls(given["page_content"], given.get("metadata"), name, parts)

    @classmethod
    def build_many(cls, name: str, values: Any) -> "list[Document]":
        """Return copies of documents, in their order.

        Raises:
            InvalidInputError: as for `build`, or the value is not a list.
        """
        if not isinstance(values, (list, tuple)):
            raise validation.fail(name, values, "a list of documents")
        return [cls.build(f"{name}[{index}]", value) for index, value in enumerate(values)]

    @property
    def doc_id(self) -> str | None:
        """The id of the chunk, or `None`."""
        identifier: str | None = self.metadata.get("doc_id")
        return identifier

    @property
    def provider(self) -> str:
        """The origin of the document: "dify" unless its parts name another."""
        provider: str = self.parts.get("provider", "dify")
        return provider

    @property
    def vector(self) -> Sequence[Any] | None:
        """The vector in metadata, otherwise the document's own, or `None`."""
        vector: Sequence[Any] | None = self.metadata.get("vector")
        return self.parts.get("vector") if vector is None else vector

    def number(self, key: str) -> float | None:
        """Return `score`, `vector_score` or `keyword_score`, or `None`."""
        value = self.metadata.get(key)
        return None if value is None else float(value)

    def check_dimension(self, name: str, dimension: int) -> None:
        """Refuse a vector of another length.

        Raises:
            DimensionMismatchError: the document has a vector whose length is not `dimension`.
        """
        vector = self.vector
        if vector is not None and len(vector) != dimension:
            place = "vector" if self.metadata.get("vector") is None else "metadata.vector"
            raise DimensionMismatchError(f"{name}.{place} must have {dimension} components, not {len(vector)}")

    def with_metadata(self, changes: Mapping[str, Any]) -> "Document":
        """Return the same document with changed metadata; entries that are not named stay."""
        changed = Document.__new__(Document)
        object.__setattr__(changed, "page_content", self.page_content)
        object.__setattr__(changed, "metadata", MappingProxyType({**self.metadata, **changes}))
        object.__setattr__(changed, "parts", self.parts)
        return changed

    def to_dict(self) -> dict[str, Any]:
        """Return a copy of the document as plain data, with the parts that are present."""
        plain = {"page_content": self.page_content, "metadata": _copy("metadata", dict(self.metadata), 0)}
        return {**plain, **{name: _copy(name, value, 0) for name, value in self.parts.items()}}

    def __setattr__(self, name: str, value: Any) -> None:
        """Raise an error, since documents are immutable."""
        raise AttributeError(f"a document does not change: {name}")

    def __eq__(self, other: object) -> bool:
        """Return whether text, metadata and other parts are equal."""
        return isinstance(other, Document) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        """Return the hash of the text."""
        return hash(self.page_content)

    def __repr__(self) -> str:
        """Return text and metadata."""
        return f"Document({self.page_content!r}, {dict(self.metadata)!r})"


def _check(name: str, metadata: Mapping[str, Any]) -> None:
    if metadata.get("doc_id") is not None:
        validation.text(f"{name}.doc_id", metadata["doc_id"])
    for key in NUMBERS:
        if metadata.get(key) is not None:
            validation.number(f"{name}.{key}", metadata[key])
    if metadata.get("vector") is not None:
        validation.vector(f"{name}.vector", metadata["vector"])


def _parts(place: str, parts: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return checked copies of the parts that are present."""
    given = validation.mapping(f"{place}parts", {} if parts is None else parts)
    validation.known("part of a document", given, PARTS)
    found = {name: given[name] for name in PARTS if given.get(name) is not None}
    if "provider" in found:
        validation.text(f"{place}provider", found["provider"])
    if "vector" in found:
        validation.vector(f"{place}vector", found["vector"])
    for name in LISTS:
        if name in found and not isinstance(found[name], (list, tuple)):
            raise validation.fail(f"{place}{name}", found[name], "a list")
    return {name: _copy(f"{place}{name}", value, 0) for name, value in found.items()}


def _copy(name: str, value: Any, depth: int) -> Any:
    """Return a copy of plain data: lists and objects are copied, all other values shared."""
    if depth > DEEPEST:
        raise InvalidInputError(f"{name} must not be nested deeper than {DEEPEST} levels")
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {key: _copy(name, item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_copy(name, item, depth + 1) for item in value]
    return value

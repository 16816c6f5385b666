"""Stored values as the rerankers read them (RNK-1, RNK-2, NUM-4).

An index that others wrote may hold anything: a value that is not what its field should hold counts as missing, and
the reader keeps a note of it, which ends as one warning per field.
"""

from collections.abc import Mapping
from typing import Any

from hybrid_search.base import numeric, validation
from hybrid_search.base.characters import split_white
from hybrid_search.errors import DimensionMismatchError, InvalidInputError


class StoredFields:
    """Reads the fields of documents, one after the other, and collects what was not usable."""

    @staticmethod
    def hybrid_tokens(identifier: str, fields: Mapping[str, Any], reader: "StoredFields") -> list[str]:
        """The tokens a document is compared by in the hybrid rerank (RNK-1)."""
        content = list(dict.fromkeys(reader.tokens(identifier, fields, "content_ltks")))
        title = reader.tokens(identifier, fields, "title_tks")
        important = reader.keywords(identifier, fields, "important_kwd")
        question = reader.tokens(identifier, fields, "question_tks")
        return content + title * 2 + important * 5 + question * 6

    @staticmethod
    def model_tokens(identifier: str, fields: Mapping[str, Any], reader: "StoredFields") -> list[str]:
        """The tokens a document is compared by, and is shown to a model by, in the model rerank (RNK-2)."""
        content = reader.tokens(identifier, fields, "content_ltks")
        title = reader.tokens(identifier, fields, "title_tks")
        return content + title + reader.keywords(identifier, fields, "important_kwd")

    @staticmethod
    def vector_field(dimension: int) -> str:
        """The name of the field that holds vectors of a dimension."""
        return f"q_{dimension}_vec"

    def __init__(self) -> None:
        self._problems: dict[tuple[str, str], list[str]] = {}

    def tokens(self, identifier: str, fields: Mapping[str, Any], name: str) -> list[str]:
        """The tokens of a token field, a text split at WHITE; missing is no tokens."""
        value = fields.get(name)
        if value is None:
            return []
        try:
            return split_white(validation.text(name, value))
        except InvalidInputError:
            self.reject(identifier, name, "a text")
            return []

    def keywords(self, identifier: str, fields: Mapping[str, Any], name: str) -> list[str]:
        """The keywords of a document as they are: a list of texts, a single text is one keyword."""
        value = fields.get(name)
        if value is None:
            return []
        try:
            return [validation.text(name, value)] if isinstance(value, str) else validation.texts(name, value)
        except InvalidInputError:
            self.reject(identifier, name, "a list of texts")
            return []

    def vector(self, identifier: str, fields: Mapping[str, Any], name: str, dimension: int) -> list[float] | None:
        """The vector of a document, or none: missing, or not `dimension` finite numbers with a finite squared norm.

        A text holds the numbers separated by tabs (RNK-1).
        """
        value = fields.get(name)
        if value is None:
            return None
        try:
            return validation.vector(name, _numbers(value) if isinstance(value, str) else value, dimension)
        except (InvalidInputError, DimensionMismatchError):
            self.reject(identifier, name, f"{dimension} finite numbers with a finite squared norm")
            return None

    def number(self, identifier: str, fields: Mapping[str, Any], name: str, default: float) -> float:
        """A finite number, or the default when it is missing."""
        value = fields.get(name)
        if value is None:
            return default
        try:
            return validation.number(name, value)
        except InvalidInputError:
            self.reject(identifier, name, "a finite number")
            return default

    def reject(self, identifier: str, name: str, accepted: str) -> None:
        """Note that a document's value counts as missing."""
        self._problems.setdefault((name, accepted), []).append(identifier)

    def warnings(self) -> tuple[str, ...]:
        """One text per field that was not usable somewhere, in the order they were met."""
        return tuple(
            f"{name} is not {accepted} in {len(identifiers)} of the documents and counts as missing there, "
            f"first in {validation.describe(identifiers[0])}"
            for (name, accepted), identifiers in self._problems.items()
        )


def _numbers(text: str) -> list[Any]:
    return [numeric.parse_decimal(piece) for piece in text.split("\t")]

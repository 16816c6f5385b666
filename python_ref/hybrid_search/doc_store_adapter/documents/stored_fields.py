"""Reads stored values for the rerankers (RNK-1, RNK-2, NUM-4).

An index that other programs wrote may contain any values. A value that its field does not accept counts as missing. The
reader records it, and reports one warning per field.
"""

from collections.abc import Mapping
from typing import Any

from hybrid_search.base import numeric, validation
from hybrid_search.base.characters import split_white
from hybrid_search.errors import DimensionMismatchError, InvalidInputError


class StoredFields:
    """Reads fields of documents, and records unusable values."""

    @staticmethod
    def hybrid_tokens(identifier: str, fields: Mapping[str, Any], reader: "StoredFields") -> list[str]:
        """Return the tokens of a document for the hybrid rerank (RNK-1)."""
        content = list(dict.fromkeys(reader.tokens(identifier, fields, "content_ltks")))
        title = reader.tokens(identifier, fields, "title_tks")
        important = reader.keywords(identifier, fields, "important_kwd")
        question = reader.tokens(identifier, fields, "question_tks")
        return content + title * 2 + important * 5 + question * 6

    @staticmethod
    def model_tokens(identifier: str, fields: Mapping[str, Any], reader: "StoredFields") -> list[str]:
        """Return the tokens of a document for the model rerank, which also sends them to the model (RNK-2)."""
        content = reader.tokens(identifier, fields, "content_ltks")
        title = reader.tokens(identifier, fields, "title_tks")
        return content + title + reader.keywords(identifier, fields, "important_kwd")

    @staticmethod
    def vector_field(dimension: int) -> str:
        """Return the name of the field for vectors of a dimension."""
        return f"q_{dimension}_vec"

    def __init__(self) -> None:
        self._problems: dict[tuple[str, str], list[str]] = {}

    def tokens(self, identifier: str, fields: Mapping[str, Any], name: str) -> list[str]:
        """Return the tokens of a token field, a text split at WHITE; a missing field has no tokens."""
        value = fields.get(name)
        if value is None:
            return []
        try:
            return split_white(validation.text(name, value))
        except InvalidInputError:
            self.reject(identifier, name, "a text")
            return []

    def keywords(self, identifier: str, fields: Mapping[str, Any], name: str) -> list[str]:
        """Return the keywords of a document unchanged: a list of texts, or a single text as one keyword."""
        value = fields.get(name)
        if value is None:
            return []
        try:
            return [validation.text(name, value)] if isinstance(value, str) else validation.texts(name, value)
        except InvalidInputError:
            self.reject(identifier, name, "a list of texts")
            return []

    def vector(self, identifier: str, fields: Mapping[str, Any], name: str, dimension: int) -> list[float] | None:
        """Return the vector of a document, or `None` if it is missing or unusable.

        A usable vector has `dimension` finite numbers with a finite squared norm. A text contains the numbers separated
        by tabs (RNK-1).
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
        """Return a finite number, or the default if it is missing."""
        value = fields.get(name)
        if value is None:
            return default
        try:
            return validation.number(name, value)
        except InvalidInputError:
            self.reject(identifier, name, "a finite number")
            return default

    def reject(self, identifier: str, name: str, accepted: str) -> None:
        """Record that a document's value counts as missing."""
        self._problems.setdefault((name, accepted), []).append(identifier)

    def warnings(self) -> tuple[str, ...]:
        """Return one warning for each field with unusable values, in the order in which they were found."""
        return tuple(
            f"{name} is not {accepted} in {len(identifiers)} of the documents and counts as missing there, "
            f"first in {validation.describe(identifiers[0])}"
            for (name, accepted), identifiers in self._problems.items()
        )


def _numbers(text: str) -> list[Any]:
    return [numeric.parse_decimal(piece) for piece in text.split("\t")]

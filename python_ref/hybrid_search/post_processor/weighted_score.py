"""Combines vector and keyword scores (DFY-2) with weights (DFY-7)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hybrid_search.base import numeric, validation
from hybrid_search.errors import ConfigurationError, InvalidInputError
from hybrid_search.fusion.weights import parse as parse_weights
from hybrid_search.post_processor.document import Document
from hybrid_search.post_processor.keyword_cosine import KeywordScores

KEYS = ("vector_setting", "keyword_setting", "weight_type")
VECTOR_KEYS = ("vector_weight", "embedding_provider_name", "embedding_model_name")
KEYWORD_KEYS = ("keyword_weight",)


@dataclass(frozen=True)
class ScoreWeights:
    """The weights of a weighted score: finite, none negative, not both zero; they need not add up to 1.

    Attributes:
        vector_weight: the weight of the vector score.
        keyword_weight: the weight of the keyword score.
    """

    vector_weight: float
    keyword_weight: float

    @classmethod
    def parse(cls, value: Any, name: str = "weights") -> "ScoreWeights":
        """Return weights from an object in Dify's form, or "0.3,0.7" or a list of vector and keyword weight.

        Raises:
            InvalidInputError: any other value.
            ConfigurationError: an object without a weight.
        """
        if isinstance(value, ScoreWeights):
            return value
        if isinstance(value, Mapping):
            return cls.from_dify(value, name)
        vector_weight, keyword_weight = parse_weights(value, 2, name)
        return cls(vector_weight, keyword_weight)

    @classmethod
    def from_dify(cls, value: Any, name: str = "weights") -> "ScoreWeights":
        """Return the weights of Dify's `{vector_setting: {vector_weight}, keyword_setting: {keyword_weight}}`.

        Raises:
            InvalidInputError: another form, an unknown key, a weight that is not a number or is negative, or both are
                zero.
            ConfigurationError: a weight is missing.
        """
        given = validation.mapping(name, value)
        validation.known(f"key of {name}", given, KEYS)
        vector = _weight(name, given, "vector_setting", VECTOR_KEYS)
        keyword = _weight(name, given, "keyword_setting", KEYWORD_KEYS)
        if vector == 0.0 and keyword == 0.0:
            raise InvalidInputError(f"{name} must not both be 0")
        return cls(vector, keyword)

    def to_dict(self) -> dict[str, Any]:
        """Return the weights in Dify's form."""
        return {
            "vector_setting": {"vector_weight": self.vector_weight},
            "keyword_setting": {"keyword_weight": self.keyword_weight},
        }


def score(
    documents: Sequence[Document],
    keywords: KeywordScores,
    weights: ScoreWeights,
    query_vector: Sequence[float] | None = None,
) -> list[Document]:
    """Return copies with `score` = vector_weight · vector + keyword_weight · keyword, in the given order (DFY-2).

    The copies also have both parts, `vector_score` and `keyword_score`, and their `keywords`.

    Args:
        documents: the whole collection.
        keywords: the keywords of the query and of these documents.
        weights: the weight of each part.
        query_vector: compared with the vector of a document that has neither `vector_score` nor `score`; of the length
            of those vectors.

    Raises:
        InvalidInputError: a score is not finite.
    """
    scored = []
    for document, found, keyword in zip(documents, keywords.document_keywords, keywords.scores, strict=True):
        vector = _vector_score(document, query_vector)
        weighted = weights.vector_weight * vector + weights.keyword_weight * keyword
        if not math.isfinite(weighted):
            shown = validation.describe(document.doc_id)
            raise InvalidInputError(f"the weighted score of the document {shown} is not finite")
        parts = {"score": weighted, "vector_score": vector, "keyword_score": keyword, "keywords": list(found)}
        scored.append(document.with_metadata(parts))
    return scored


def _vector_score(document: Document, query_vector: Sequence[float] | None) -> float:
    """Return the vector score, else the score (as Dify does), else the cosine of the vectors, else 0.0."""
    given = document.number("vector_score")
    if given is None:
        given = document.number("score")
    if given is not None:
        return given
    vector = document.vector
    if query_vector is None or vector is None:
        return 0.0
    return numeric.cosine(query_vector, [float(component) for component in vector])


def _weight(name: str, given: Mapping[str, Any], setting: str, keys: tuple[str, ...]) -> float:
    place = f"{name}.{setting}"
    if given.get(setting) is None:
        raise ConfigurationError(f"{name} has no {setting}")
    found = validation.mapping(place, given[setting])
    validation.known(f"key of {place}", found, keys)
    if found.get(keys[0]) is None:
        raise ConfigurationError(f"{place} has no {keys[0]}")
    return validation.number(f"{place}.{keys[0]}", found[keys[0]], 0)

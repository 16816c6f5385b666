"""How much vectors and keywords count (DFY-2, DFY-7)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hybrid_search import validation
from hybrid_search.errors import ConfigurationError, InvalidInputError
from hybrid_search.fusion.weights import Weights

KEYS = ("vector_setting", "keyword_setting", "weight_type")
VECTOR_KEYS = ("vector_weight", "embedding_provider_name", "embedding_model_name")
KEYWORD_KEYS = ("keyword_weight",)


@dataclass(frozen=True)
class ScoreWeights:
    """The weights of a weighted score: finite, none negative, not both zero; they need not add up to 1.

    Attributes:
        vector_weight: what the vector score counts.
        keyword_weight: what the keyword score counts.
    """

    vector_weight: float
    keyword_weight: float

    @classmethod
    def parse(cls, value: Any, name: str = "weights") -> "ScoreWeights":
        """Weights as they are given: an object in Dify's form, or "0.3,0.7" or a list of vector and keyword weight.

        Raises:
            InvalidInputError: anything else.
            ConfigurationError: an object without a weight.
        """
        if isinstance(value, ScoreWeights):
            return value
        if isinstance(value, Mapping):
            return cls.from_dify(value, name)
        vector_weight, keyword_weight = Weights.parse(value, 2, name)
        return cls(vector_weight, keyword_weight)

    @classmethod
    def from_dify(cls, value: Any, name: str = "weights") -> "ScoreWeights":
        """The weights of Dify's `{vector_setting: {vector_weight}, keyword_setting: {keyword_weight}}`.

        Raises:
            InvalidInputError: another form, an unknown key, a weight that is not a number or negative, both zero.
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
        """The weights in Dify's form."""
        return {
            "vector_setting": {"vector_weight": self.vector_weight},
            "keyword_setting": {"keyword_weight": self.keyword_weight},
        }


def _weight(name: str, given: Mapping[str, Any], setting: str, keys: tuple[str, ...]) -> float:
    place = f"{name}.{setting}"
    if given.get(setting) is None:
        raise ConfigurationError(f"{name} has no {setting}")
    found = validation.mapping(place, given[setting])
    validation.known(f"key of {place}", found, keys)
    if found.get(keys[0]) is None:
        raise ConfigurationError(f"{place} has no {keys[0]}")
    return validation.number(f"{place}.{keys[0]}", found[keys[0]], 0)

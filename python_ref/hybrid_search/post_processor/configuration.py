"""Dify's retrieval settings, as it stores and sends them (DFY-7)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hybrid_search import validation
from hybrid_search.errors import ConfigurationError, InvalidInputError
from hybrid_search.post_processor.reranking_modes import MODEL, MODES, WEIGHTED
from hybrid_search.post_processor.score_weights import ScoreWeights
from hybrid_search.strict_json import StrictJson

SEARCH_METHODS = ("semantic_search", "full_text_search", "hybrid_search", "keyword_search")
KEYS = (
    "search_method",
    "reranking_enable",
    "reranking_mode",
    "reranking_model",
    "weights",
    "top_k",
    "score_threshold_enabled",
    "score_threshold",
)
IGNORED_KEYS = (
    "metadata_filtering_conditions",
    "metadata_filtering_mode",
    "metadata_model_config",
    "retrieval_model",
    "datasets",
)
MODEL_KEYS = ("reranking_provider_name", "reranking_model_name")
DEFAULT_TOP_K = 4


@dataclass(frozen=True)
class RetrievalConfiguration:
    """Checked settings.

    Attributes:
        search_method: one of `SEARCH_METHODS`.
        reranking_enable: whether documents are reranked.
        reranking_mode: how, "weighted_score" or "reranking_model".
        reranking_model: the name of the model, none if it is not named.
        weights: the weights, none if there are none.
        top_k: how many documents are wanted, at least 1.
        score_threshold: the lowest score shown, none when there is none or it is switched off.
    """

    search_method: str = "semantic_search"
    reranking_enable: bool = False
    reranking_mode: str = MODEL
    reranking_model: str | None = None
    weights: ScoreWeights | None = None
    top_k: int = DEFAULT_TOP_K
    score_threshold: float | None = None

    @classmethod
    def parse(cls, value: Any) -> "RetrievalConfiguration":
        """The settings that Dify's object, or its JSON text, holds; null counts as missing.

        Raises:
            InvalidInputError: no such object, an unknown key (the message names the nearest), a value that is not
                acceptable; numbers as texts are not.
            ConfigurationError: weights without a part, reranking switched on without its weights or its model's name.
        """
        if isinstance(value, RetrievalConfiguration):
            return value
        settings = cls.settings(value)
        validation.known("setting", settings, (*KEYS, *IGNORED_KEYS))
        given = {key: item for key, item in settings.items() if item is not None}
        threshold = None
        if "score_threshold" in given:
            threshold = validation.number("score_threshold", given["score_threshold"])
        if not validation.boolean("score_threshold_enabled", given.get("score_threshold_enabled", True)):
            threshold = None
        parsed = cls(
            validation.choice("search_method", given.get("search_method", SEARCH_METHODS[0]), SEARCH_METHODS),
            validation.boolean("reranking_enable", given.get("reranking_enable", False)),
            validation.choice("reranking_mode", given.get("reranking_mode", MODEL), MODES),
            _model_name(given.get("reranking_model")),
            ScoreWeights.from_dify(given["weights"]) if "weights" in given else None,
            validation.integer("top_k", given.get("top_k", DEFAULT_TOP_K), 1),
            threshold,
        )
        if parsed.reranking_enable:
            parsed.check_reranking()
        return parsed

    @staticmethod
    def settings(value: Any) -> dict[str, Any]:
        """The settings by name, unchecked, of an object, its JSON text, checked settings or none.

        Raises:
            InvalidInputError: anything else.
        """
        if isinstance(value, RetrievalConfiguration):
            return {key: item for key, item in value.to_dict().items() if key != "score_threshold_enabled"}
        if value is None:
            return {}
        if isinstance(value, str):
            parsed = StrictJson.parse_object(validation.text("configuration", value))
            if parsed is None:
                raise InvalidInputError("configuration must be an object or the strict JSON text of one")
            return parsed
        return dict(validation.mapping("configuration", value))

    def check_reranking(self) -> None:
        """Refuse a mode without what it needs.

        Raises:
            ConfigurationError: weighted_score without weights, reranking_model without the model's name.
        """
        if self.reranking_mode == WEIGHTED and self.weights is None:
            raise ConfigurationError("reranking_mode weighted_score needs weights")
        if self.reranking_mode == MODEL and self.reranking_model is None:
            raise ConfigurationError("reranking_mode reranking_model needs a reranking_model with reranking_model_name")

    def model(self, models: Mapping[str, Any] | None) -> Any:
        """The model of this name.

        Raises:
            ConfigurationError: no name, or none of the models has it.
            InvalidInputError: `models` is no object.
        """
        known = validation.mapping("models", {} if models is None else models)
        name = self.reranking_model
        if name is None:
            raise ConfigurationError("reranking_mode reranking_model needs a reranking_model with reranking_model_name")
        if not known:
            raise ConfigurationError(f"unknown reranking model {validation.describe(name)}: there are no models")
        try:
            validation.known("reranking model", [name], tuple(known))
        except InvalidInputError as problem:
            raise ConfigurationError(str(problem)) from None
        return known[name]

    def to_dict(self) -> dict[str, Any]:
        """The settings in Dify's form."""
        return {
            "search_method": self.search_method,
            "reranking_enable": self.reranking_enable,
            "reranking_mode": self.reranking_mode,
            "reranking_model": None if self.reranking_model is None else {"reranking_model_name": self.reranking_model},
            "weights": None if self.weights is None else self.weights.to_dict(),
            "top_k": self.top_k,
            "score_threshold_enabled": self.score_threshold is not None,
            "score_threshold": self.score_threshold,
        }


def _model_name(value: Any) -> str | None:
    """The name in Dify's `{reranking_provider_name, reranking_model_name}`; an empty one is none."""
    if value is None:
        return None
    given = validation.mapping("reranking_model", value)
    validation.known("key of reranking_model", given, MODEL_KEYS)
    for key in MODEL_KEYS:
        if given.get(key) is not None:
            validation.text(f"reranking_model.{key}", given[key])
    return given.get("reranking_model_name") or None

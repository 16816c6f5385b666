"""Parses Dify's retrieval settings, as it stores and sends them (DFY-7)."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hybrid_search.base import strict_json, validation
from hybrid_search.errors import ConfigurationError, InvalidInputError
from hybrid_search.post_processor import dify_settings
from hybrid_search.post_processor.dify_settings import ENABLED, MODEL, MODES, WEIGHTED
from hybrid_search.post_processor.metadata_conditions import MetadataConditions
from hybrid_search.post_processor.weighted_score import ScoreWeights

SEARCH_METHODS = ("semantic_search", "full_text_search", "hybrid_search", "keyword_search")
DEFAULT_TOP_K = 4
CONDITIONS = "metadata_filtering_conditions"
MODE_OF_CONDITIONS = "metadata_filtering_mode"
MODES_OF_CONDITIONS = ("disabled", "automatic", "manual")


@dataclass(frozen=True)
class RetrievalConfiguration:
    """Checked settings.

    Attributes:
        search_method: one of `SEARCH_METHODS`.
        reranking_enable: whether documents are reranked.
        reranking_mode: the way of reranking, "weighted_score" or "reranking_model".
        reranking_model: the name of the model, `None` if it is not named.
        weights: the weights, `None` without weights.
        top_k: the number of wanted documents, at least 1.
        score_threshold: the lowest score shown, `None` if it is not set or switched off.
        metadata_filtering_conditions: the conditions on metadata, `None` without conditions, or if their mode is not
            manual.
        filters: the equivalent filters (DFY-8).
    """

    search_method: str = "semantic_search"
    reranking_enable: bool = False
    reranking_mode: str = MODEL
    reranking_model: str | None = None
    weights: ScoreWeights | None = None
    top_k: int = DEFAULT_TOP_K
    score_threshold: float | None = None
    metadata_filtering_conditions: Mapping[str, Any] | None = None
    filters: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def parse(cls, value: Any, options: Mapping[str, Any] | None = None) -> "RetrievalConfiguration":
        """Return the settings of Dify's object or its JSON text.

        Null counts as missing; so does a `top_k` of 0, which Dify treats as not set. A model with an empty name reranks
        nothing.

        Args:
            value: an object, its JSON text, checked settings, or `None`.
            options: settings that replace those of `value`; null sets the default, and a `top_k` of 0 is refused here.

        Raises:
            InvalidInputError: not such an object, an unknown key (the message names the nearest), or a value that is
                not acceptable; numbers as texts are not.
            ConfigurationError: weights without a part, or reranking switched on without its weights or its model's
                name.
        """
        options = {} if options is None else options
        if isinstance(value, RetrievalConfiguration) and options == {}:
            return value
        given = cls._settings(value)
        replaced = dify_settings.read("settings", options)
        for name in options:
            given.pop("reranking_enable" if name == ENABLED else name, None)
        given.update(replaced)
        return cls._checked(given)

    @property
    def reranks(self) -> bool:
        """Return whether documents are reranked.

        They are if reranking is switched on. As in Dify, they also are if a hybrid search has weights in the mode
        weighted_score, since its interface writes those with `reranking_enable` false.
        """
        weighted = self.reranking_mode == WEIGHTED and self.weights is not None
        return self.reranking_enable or (weighted and self.search_method == "hybrid_search")

    def check_reranking(self) -> None:
        """Refuse a mode without the settings that it needs.

        Raises:
        ConfigurationError: weighted_score without weights, or reranking_model without the model's name.
        """
        if self.reranking_mode == WEIGHTED and self.weights is None:
            raise ConfigurationError("reranking_mode weighted_score needs weights")
        if self.reranking_mode == MODEL and self.reranking_model is None:
            raise ConfigurationError("reranking_mode reranking_model needs a reranking_model with reranking_model_name")

    def model(self, models: Mapping[str, Any] | None) -> Any:
        """Return the model of this name.

        Raises:
            ConfigurationError: no name is set, or no model has it.
            InvalidInputError: `models` is not an object.
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
        """Return the settings in Dify's form."""
        return {
            "search_method": self.search_method,
            "reranking_enable": self.reranking_enable,
            "reranking_mode": self.reranking_mode,
            "reranking_model": None if self.reranking_model is None else {"reranking_model_name": self.reranking_model},
            "weights": None if self.weights is None else self.weights.to_dict(),
            "top_k": self.top_k,
            "score_threshold_enabled": self.score_threshold is not None,
            "score_threshold": self.score_threshold,
            **self._conditions(),
        }

    def _conditions(self) -> dict[str, Any]:
        conditions = self.metadata_filtering_conditions
        return {} if conditions is None else {"metadata_filtering_conditions": copy.deepcopy(dict(conditions))}

    @staticmethod
    def _settings(value: Any) -> dict[str, Any]:
        """Return the unchecked settings by name of an object, its JSON text, checked settings or `None`."""
        if isinstance(value, RetrievalConfiguration):
            return {key: item for key, item in value.to_dict().items() if key != "score_threshold_enabled"}
        if isinstance(value, str):
            parsed = strict_json.parse_object(validation.text("configuration", value))
            if parsed is None:
                raise InvalidInputError("configuration must be an object or the strict JSON text of one")
            value = parsed
        found = dify_settings.read("configuration", {} if value is None else value)
        if _is_zero(found.get("top_k")):
            del found["top_k"]
        return found

    @classmethod
    def _checked(cls, given: Mapping[str, Any]) -> "RetrievalConfiguration":
        threshold = None
        if given.get("score_threshold") is not None:
            threshold = validation.number("score_threshold", given["score_threshold"])
        if not validation.boolean("score_threshold_enabled", given.get("score_threshold_enabled", True)):
            threshold = None
        weights = given.get("weights")
        method = validation.choice("search_method", given.get("search_method", SEARCH_METHODS[0]), SEARCH_METHODS)
        enabled = validation.boolean("reranking_enable", given.get("reranking_enable", False))
        mode = validation.choice("reranking_mode", given.get("reranking_mode", MODEL), MODES)
        model = dify_settings.model_name(given.get("reranking_model"))
        if mode == MODEL and dify_settings.names_no_model(given.get("reranking_model")):
            enabled = False  # as in Dify
        parsed = cls(
            method,
            enabled,
            mode,
            model,
            None if weights is None else ScoreWeights.from_dify(weights),
            validation.integer("top_k", given.get("top_k", DEFAULT_TOP_K), 1),
            threshold,
            *_conditions_of(given),
        )
        if parsed.reranking_enable:
            parsed.check_reranking()
        return parsed


def _conditions_of(given: Mapping[str, Any]) -> tuple[Mapping[str, Any] | None, Mapping[str, Any]]:
    """Return the active conditions and their filters. In the mode automatic, Dify's model would write them."""
    mode = validation.choice(MODE_OF_CONDITIONS, given.get(MODE_OF_CONDITIONS, "manual"), MODES_OF_CONDITIONS)
    conditions = given.get(CONDITIONS)
    if mode != "manual" or conditions is None:
        return None, {}
    filters = MetadataConditions.filters(conditions, CONDITIONS)
    return copy.deepcopy(dict(conditions)), filters


def _is_zero(value: Any) -> bool:
    return type(value) is int and value == 0

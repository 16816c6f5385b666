"""Dify's settings under one name each, however it spells and nests them (DFY-7).

Its knowledge bases, apps, workflow nodes and API write the same settings in different ways.
"""

from collections.abc import Mapping
from typing import Any

from hybrid_search.base import validation
from hybrid_search.errors import InvalidInputError

WEIGHTED = "weighted_score"
MODEL = "reranking_model"
MODES = (WEIGHTED, MODEL)
"""Dify's modes of reranking (DFY-1)."""
SETTINGS = (
    "search_method",
    "reranking_enable",
    "reranking_mode",
    "reranking_model",
    "weights",
    "top_k",
    "score_threshold_enabled",
    "score_threshold",
    "metadata_filtering_mode",
    "metadata_filtering_conditions",
)
ENABLED = "reranking_enabled"
"""How the settings of apps spell `reranking_enable`."""
NODE = "multiple_retrieval_config"
"""Where the knowledge node of a workflow keeps its settings."""
NESTED = ("retrieval_model", NODE, "external_retrieval_model", "retrieval_setting")
"""Objects that hold settings; the first that is there counts."""
IGNORED = (
    "metadata_model_config",
    "retrieval_mode",
    "single_retrieval_config",
    "dataset_ids",
    "datasets",
)
OTHER_NAMES = (ENABLED, *NESTED, *IGNORED)
INNER_NAMES = (*SETTINGS, ENABLED, *IGNORED)
SEARCH_METHODS = {"fulltext_search": "full_text_search", "invertedIndex": "keyword_search"}
MODEL_KEYS = ("reranking_provider_name", "reranking_model_name", "provider", "model")
NAME_KEYS = ("reranking_model_name", "model")


def read(name: str, value: Any) -> dict[str, Any]:
    """The settings by the names of `SETTINGS`, their values unchecked; null, and an empty mode, is left out.

    Settings beside a nested object win over those within it.

    Args:
        name: the argument's name, for messages.
        value: an object of settings.

    Raises:
        InvalidInputError: no object, an unknown key (the message names the nearest), two spellings that differ.
    """
    given = validation.mapping(name, value)
    validation.known("setting", given, (*SETTINGS, *OTHER_NAMES))
    nested = [_nested(key, given[key]) for key in NESTED if _holds_settings(key, given.get(key))]
    return {**(nested[0] if nested else {}), **_plain(given)}


def model_name(value: Any) -> str | None:
    """The model's name in `{reranking_provider_name, reranking_model_name}` or `{provider, model}`.

    Returns:
        The name, none if there is none or it is empty.

    Raises:
        InvalidInputError: no object, an unknown key, a value that is not a text, two names.
    """
    if value is None:
        return None
    given = validation.mapping("reranking_model", value)
    validation.known("key of reranking_model", given, MODEL_KEYS)
    for key in MODEL_KEYS:
        if given.get(key) is not None:
            validation.text(f"reranking_model.{key}", given[key])
    names = {given[key]: None for key in NAME_KEYS if given.get(key)}
    if len(names) > 1:
        raise InvalidInputError("reranking_model.reranking_model_name and reranking_model.model must not differ")
    return next(iter(names), None)


def names_no_model(value: Any) -> bool:
    """Whether the model's name is there and empty, as Dify's interface writes it where no model is chosen.

    Args:
        value: `reranking_model`, checked by `model_name`.
    """
    return value is not None and model_name(value) is None and any(value.get(key) == "" for key in NAME_KEYS)


def _holds_settings(key: str, value: Any) -> bool:
    """Whether a nested object is there; in an app's settings `retrieval_model` is a text that says nothing here."""
    return value is not None and not (key == "retrieval_model" and isinstance(value, str))


def _nested(key: str, value: Any) -> dict[str, Any]:
    given = validation.mapping(key, value)
    validation.known(f"key of {key}", given, INNER_NAMES)
    found = _plain(given)
    if key == NODE:
        found.setdefault("reranking_enable", _node_reranks(found))
    return found


def _node_reranks(settings: Mapping[str, Any]) -> bool:
    """Whether a workflow node reranks that does not say so: where there are weights, or a model, to do it by."""
    if settings.get("reranking_mode", MODEL) == WEIGHTED:
        return "weights" in settings
    return model_name(settings.get("reranking_model")) is not None


def _plain(given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that an object holds itself, without null."""
    found = {name: given[name] for name in SETTINGS if given.get(name) is not None}
    method = found.get("search_method")
    if isinstance(method, str):
        found["search_method"] = SEARCH_METHODS.get(method, method)
    if found.get("reranking_mode") == "":
        del found["reranking_mode"]
    if given.get(ENABLED) is not None:
        enabled = validation.boolean(ENABLED, given[ENABLED])
        if validation.boolean("reranking_enable", found.setdefault("reranking_enable", enabled)) != enabled:
            raise InvalidInputError(f"reranking_enable and {ENABLED} must not differ")
    return found

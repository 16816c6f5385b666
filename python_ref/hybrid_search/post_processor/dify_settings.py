"""Reads Dify's settings under one name each, independently of their spelling and nesting (DFY-7).

Dify's knowledge bases, apps, workflow nodes and API write the same settings in different ways.
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
"""The spelling of `reranking_enable` in the settings of apps."""
NODE = "multiple_retrieval_config"
"""The key under which the knowledge node of a workflow stores its settings."""
NESTED = ("retrieval_model", NODE, "external_retrieval_model", "retrieval_setting")
"""The keys of objects with settings; the first one that is present counts."""
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
    """Return the unchecked settings by the names of `SETTINGS`, without nulls and without an empty mode.

    Settings next to a nested object override those within it.

    Args:
        name: the argument's name, for messages.
        value: an object of settings.

    Raises:
        InvalidInputError: not an object, an unknown key (the message names the nearest), or two spellings that differ.
    """
    given = validation.mapping(name, value)
    validation.known("setting", given, (*SETTINGS, *OTHER_NAMES))
    nested = [_nested(key, given[key]) for key in NESTED if _holds_settings(key, given.get(key))]
    return {**(nested[0] if nested else {}), **_plain(given)}


def model_name(value: Any) -> str | None:
    """Return the model's name from `{reranking_provider_name, reranking_model_name}` or `{provider, model}`.

    Returns:
        The name, `None` if it is missing or empty.

    Raises:
        InvalidInputError: not an object, an unknown key, a value that is not a text, or two names.
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
    """Return whether the model's name is present but empty, as Dify's interface writes it if no model is chosen.

    Args:
        value: `reranking_model`, checked by `model_name`.
    """
    return value is not None and model_name(value) is None and any(value.get(key) == "" for key in NAME_KEYS)


def _holds_settings(key: str, value: Any) -> bool:
    """Return whether a nested object is present; a text as an app's `retrieval_model` is ignored."""
    return value is not None and not (key == "retrieval_model" and isinstance(value, str))


def _nested(key: str, value: Any) -> dict[str, Any]:
    given = validation.mapping(key, value)
    validation.known(f"key of {key}", given, INNER_NAMES)
    found = _plain(given)
    if key == NODE:
        found.setdefault("reranking_enable", _node_reranks(found))
    return found


def _node_reranks(settings: Mapping[str, Any]) -> bool:
    """Return whether a workflow node reranks although it does not state it: if it has weights or a model for it."""
    if settings.get("reranking_mode", MODEL) == WEIGHTED:
        return "weights" in settings
    return model_name(settings.get("reranking_model")) is not None


def _plain(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that an object itself contains, without nulls."""
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

"""Profiles: named sets of options that belong together (RET-10)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

from hybrid_search.base import validation

# choices:begin: made by `bin/conformance make options`
CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "parents": ("mean", "max"),
        "profile": ("balanced", "ragflow", "dify"),
        "text_leg": ("tree", "bm25f"),
        "fusion": ("weighted_sum", "rrf", "auto", "min_max"),
        "ranking": ("rerank", "fused"),
        "on_index_change": ("continue", "error"),
        "rerank_fusion": ("replace", "linear"),
    }
)
"""The values of the options that have a few."""

PROFILES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "balanced": {
            "text_leg": "bm25f",
            "fusion": "auto",
            "ranking": "fused",
            "similarity_threshold": 0.0,
        },
        "ragflow": {
            "text_leg": "tree",
            "fusion": "weighted_sum",
            "ranking": "rerank",
            "similarity_threshold": 0.2,
        },
        "dify": {
            "text_leg": "bm25f",
            "fusion": "rrf",
            "ranking": "fused",
            "similarity_threshold": 0.0,
        },
    }
)
"""Profile → the options that it sets (RET-10)."""
# choices:end


def of_index(supports_bm25f: bool) -> Literal["balanced", "ragflow"]:
    """Return the default profile of an index; it depends on whether the store supports bags of tokens (DOC-8)."""
    return "balanced" if supports_bm25f else "ragflow"


def for_store(options: Mapping[str, Any], supports_bm25f: bool) -> Mapping[str, Any]:
    """Return the options of a request; they depend on whether the store supports bags of tokens (DOC-8).

    If it does not, the profile "dify" uses RAGFlow's query, unless a text leg is given.
    """
    profile = options.get("profile")
    if supports_bm25f or not (isinstance(profile, str) and profile == "dify"):
        return options
    return {"text_leg": "tree", **options}


def filled(defaults: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with the missing ones filled in from the profile, and otherwise from the defaults.

    Raises:
        InvalidInputError: no profile has this name.
    """
    profile = validation.choice("profile", options.get("profile", defaults["profile"]), CHOICES["profile"])
    return {**defaults, **PROFILES[profile], **options}

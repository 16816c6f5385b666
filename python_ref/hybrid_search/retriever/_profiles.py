"""Options that belong together, by one name (RET-10)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from hybrid_search import _validation as validation

TEXT_LEGS = ("tree", "bm25f")
RANKINGS = ("rerank", "fused")
PROFILES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "ragflow": {
            "text_leg": "tree",
            "fusion": "weighted_sum",
            "ranking": "rerank",
            "similarity_threshold": 0.2,
        },
        "balanced": {
            "text_leg": "bm25f",
            "fusion": "auto",
            "ranking": "fused",
            "similarity_threshold": 0.0,
        },
        "dify": {
            "text_leg": "tree",
            "fusion": "rrf",
            "ranking": "fused",
            "similarity_threshold": 0.0,
        },
    }
)


def of_index(exact_text: bool) -> str:
    """The profile of an index that names none, on a store that promises exact text scores (DOC-8) or does not."""
    return "balanced" if exact_text else "ragflow"


def filled(defaults: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with what counts where they are not given: the profile's, else the defaults.

    Raises:
        InvalidInputError: there is no such profile.
    """
    profile = validation.choice("profile", options.get("profile", defaults["profile"]), tuple(PROFILES))
    return {**defaults, **PROFILES[profile], **options}

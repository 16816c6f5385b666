"""Reads the rerank model that a command line requests (RNK-4, RNK-9, CNV-5)."""

import os
from collections.abc import Mapping
from typing import Any

from hybrid_search.cli.usage import UsageError
from hybrid_search.embedding.embedding_choice import KEY
from hybrid_search.reranker.rerank_choice import FAMILIES, RERANK_KEY, RerankChoice


def options_of(flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a search that set its model, if one is named.

    Raises:
        UsageError: an address without a model.
        InvalidInputError: an unknown name.
        ConfigurationError: the library of the model is not installed.
    """
    if "rerank-model" in flags:
        return {"rerank_model": RerankChoice.named(flags["rerank-model"], flags.get("rerank-url")).made()}
    if "rerank-url" in flags:
        raise UsageError("--rerank-url needs --rerank-model")
    return {}


def model_of_blocks(flags: Mapping[str, Any]) -> Any:
    """Return the model of `locate`: a named one, a service, or a cross-encoder of this process; `None` without one.

    No part of it is loaded before its first use.
    """
    if "enable-rerank" not in flags:
        return None
    name = flags["rerank-model"]
    if name.partition("/")[0] in FAMILIES:
        return RerankChoice.named(name, flags.get("rerank-url")).made()
    if "rerank-url" not in flags:
        from hybrid_search.reranker.cross_encoder import CrossEncoderModel

        return CrossEncoderModel(name, max_length=flags.get("rerank-max-length"))
    from hybrid_search.reranker.http_reranker import HttpReranker

    key = next((name for name in (RERANK_KEY, KEY) if name in os.environ), None)
    return HttpReranker(flags["rerank-url"], name, shape=flags["rerank-shape"], api_key_env=key)

"""Chooses the rerank model of a command line (RNK-4, CNV-5)."""

from collections.abc import Mapping
from typing import Any

from hybrid_search.embedding.embedding_choice import KEY


class RerankChoice:
    """Makes the model, which is loaded only on first use.

    Args:
        flags: the flags of the command line.
    """

    def __init__(self, flags: Mapping[str, Any]) -> None:
        self._flags = flags

    def model(self) -> Any:
        """Return a service if an address is given, else a cross-encoder of this process; `None` without a rerank."""
        if "enable-rerank" not in self._flags:
            return None
        name = self._flags["rerank-model"]
        if "rerank-url" not in self._flags:
            from hybrid_search.reranker.cross_encoder import CrossEncoderModel

            return CrossEncoderModel(name, max_length=self._flags.get("rerank-max-length"))
        import os

        from hybrid_search.reranker.http_reranker import HttpReranker

        key = KEY if KEY in os.environ else None
        return HttpReranker(self._flags["rerank-url"], name, shape=self._flags["rerank-shape"], api_key_env=key)

"""Chooses rerank models by their names (RNK-9)."""

import os
from dataclasses import dataclass
from typing import Any

from hybrid_search.base import validation
from hybrid_search.embedding.embedding_choice import KEY
from hybrid_search.embedding.model_names import FASTEMBED, SENTENCE_TRANSFORMERS
from hybrid_search.errors import InvalidInputError
from hybrid_search.reranker import rerank_model

RERANK_KEY = "HYBRID_SEARCH_RERANK_API_KEY"
"""The environment variable that contains the key of a rerank service."""
COHERE, JINA, TEI = "cohere", "jina", "tei"
LOCAL = (FASTEMBED, SENTENCE_TRANSFORMERS)
"""Families whose models run in this process, each with the extra of that name."""
FAMILIES = (*LOCAL, COHERE, JINA, TEI)
DEFAULT_MODELS = {
    FASTEMBED: "BAAI/bge-reranker-base",
    SENTENCE_TRANSFORMERS: "BAAI/bge-reranker-base",
    COHERE: "rerank-v3.5",
    JINA: "jina-reranker-v2-base-multilingual",
}
"""Family → the model of a name without one; all of them support Chinese and English."""
ADDRESSES = {COHERE: "https://api.cohere.com/v2/rerank", JINA: "https://api.jina.ai/v1/rerank"}
"""Family → the address of its service."""


@dataclass(frozen=True)
class RerankChoice:
    """A rerank model that was chosen by its name.

    Attributes:
        family: one of `FAMILIES`.
        model: the name of the model; `None` for tei, whose server has one model.
        url: the address of the service; `None` for a model in this process.
    """

    family: str
    model: str | None = None
    url: str | None = None

    @classmethod
    def named(cls, name: str, url: str | None = None) -> "RerankChoice":
        """Return the choice of a name such as `fastembed/BAAI/bge-reranker-base` (RNK-9).

        Args:
            name: a family, and after a slash a model, or for tei the address of the server.
            url: the address of the service, for cohere, jina and tei.

        Raises:
            InvalidInputError: an unknown family, a missing address, or an address that the family does not have.
        """
        family, _, rest = validation.text("rerank_model", name).partition("/")
        validation.known("rerank model", [family], FAMILIES)
        url = None if url is None else validation.text("url", url)
        if family in LOCAL and url is not None:
            raise InvalidInputError(f"url has no meaning for the rerank model {family}")
        if family != TEI:
            return cls(family, rest or DEFAULT_MODELS[family], url or ADDRESSES.get(family))
        if rest and url:
            raise InvalidInputError(f"url has no meaning for the rerank model {validation.describe(name)}")
        if not (rest or url):
            raise InvalidInputError(f"rerank_model must be tei/ADDRESS, not {validation.describe(name)}")
        return cls(family, None, url or rest)

    def to_dict(self) -> dict[str, Any]:
        """Return the choice as plain data, without options that are not set."""
        parts = {"family": self.family, "model": self.model, "url": self.url}
        return {part: value for part, value in parts.items() if value is not None}

    def made(self) -> Any:
        """Return the model; a model in this process is loaded on first use.

        Raises:
            ConfigurationError: its library is not installed; the message names the extra.
            InvalidInputError: the address of the service is not accepted.
        """
        if self.family in LOCAL:
            from hybrid_search.reranker import cross_encoder

            return cross_encoder.named(self.family, str(self.model))
        from hybrid_search.reranker.http_reranker import HttpReranker

        shape = TEI if self.family == TEI else "standard"
        batch_size = 32 if self.family == TEI else 64
        return HttpReranker(str(self.url), self.model or "", shape=shape, batch_size=batch_size, api_key_env=self._key)

    @property
    def _key(self) -> str | None:
        """The environment variable of the key: the embedding's key is not sent to a rerank service of another owner."""
        if self.url == ADDRESSES.get(self.family):
            return RERANK_KEY
        return next((name for name in (RERANK_KEY, KEY) if name in os.environ), None)


def accept(name: str, model: Any) -> Any:
    """Return the given rerank model, or the one of a name.

    Raises:
        InvalidInputError: neither a callable, an object with `similarity`, nor a known name.
        ConfigurationError: the library of a named model is not installed.
    """
    return RerankChoice.named(model).made() if isinstance(model, str) else rerank_model.accept(name, model)

"""What makes the vectors of an index file: chosen when it is made, and kept in it (CUR-5, SQL-1)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hybrid_search.base import json_writer, strict_json
from hybrid_search.errors import IndexCorruptError

if TYPE_CHECKING:
    from hybrid_search.embedding.embedding import Embedding

HASHING, OPENAI, NONE = "hashing", "openai", "none"
KEY = "HYBRID_SEARCH_API_KEY"
"""The environment variable that holds the key of the service; it is never kept in a file."""
DIMENSION = 256
PARTS = ("embed", "dimension", "url", "model")


@dataclass(frozen=True)
class EmbeddingChoice:
    """What makes the vectors.

    Attributes:
        embed: "hashing", "openai" or "none".
        dimension: components of a vector; none: not known beforehand, or no vectors.
        url: of the service, for openai.
        model: of the service, for openai.
    """

    embed: str
    dimension: int | None = None
    url: str | None = None
    model: str | None = None

    @classmethod
    def of_text(cls, text: str) -> "EmbeddingChoice":
        """The choice that an index file holds.

        Raises:
            IndexCorruptError: it holds no such.
        """
        kept = strict_json.parse_object(text)
        if kept is None or not set(kept) <= set(PARTS) or kept.get("embed") not in (HASHING, OPENAI, NONE):
            raise IndexCorruptError(f"the index file says in a way that is not known how it is embedded: {text}")
        return cls(**kept)

    def to_dict(self) -> dict[str, Any]:
        """The choice as plain data, without what it does not say."""
        parts = {part: getattr(self, part) for part in PARTS}
        return {part: value for part, value in parts.items() if value is not None}

    def to_text(self) -> str:
        """How an index file holds it."""
        return json_writer.write(self.to_dict())

    def embedding(self) -> "Embedding | None":
        """What makes the vectors; none: nothing does."""
        if self.embed == NONE:
            return None
        from hybrid_search.embedding.embedding import Embedding

        if self.embed == HASHING:
            from hybrid_search.embedding.hashing import HashingEmbedder

            return Embedding(HashingEmbedder(DIMENSION if self.dimension is None else self.dimension))
        import os

        from hybrid_search.embedding.open_ai import OpenAiEmbedder

        key = KEY if KEY in os.environ else None
        return Embedding(OpenAiEmbedder(str(self.url), str(self.model), dimension=self.dimension, api_key_env=key))

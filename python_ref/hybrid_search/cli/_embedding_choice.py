"""What makes the vectors of an index file: chosen when it is made, and kept in it (CUR-5)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hybrid_search import _json_writer as json_writer
from hybrid_search import _strict_json as strict_json
from hybrid_search import _validation as validation
from hybrid_search.cli._usage import UsageError
from hybrid_search.errors import IndexCorruptError

if TYPE_CHECKING:
    from hybrid_search.embedding.embedding import Embedding

HASHING, OPENAI, NONE = "hashing", "openai", "none"
KEY = "HYBRID_SEARCH_API_KEY"
"""The environment variable that holds the key of the service; it is never kept in a file."""
DIMENSION = 256
FLAGS = {"embed": "embed", "dimension": "dimension", "url": "embed-url", "model": "embed-model"}


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
    def of_flags(cls, flags: Mapping[str, Any], kept: "EmbeddingChoice | None") -> "EmbeddingChoice":
        """The choice of a command line, which must be that of the file, if that has one.

        Raises:
            UsageError: it is another one, or not whole.
        """
        if "dimension" in flags:
            validation.integer("--dimension", flags["dimension"], 1)
        given = {part: flags[flag] for part, flag in FLAGS.items() if flag in flags}
        if kept is not None:
            for part, value in given.items():
                if getattr(kept, part) != value:
                    shown = validation.describe(getattr(kept, part))
                    raise UsageError(f"--{FLAGS[part]} is {shown} in this index file, not {validation.describe(value)}")
            return kept
        return cls._new(given)

    @classmethod
    def _new(cls, given: Mapping[str, Any]) -> "EmbeddingChoice":
        choice = cls(**{"embed": HASHING, **given})
        accepted = {HASHING: ("embed", "dimension"), OPENAI: tuple(FLAGS), NONE: ("embed",)}[choice.embed]
        for part in given:
            if part not in accepted:
                raise UsageError(f"--{FLAGS[part]} says nothing where --embed is {choice.embed}")
        if choice.embed == OPENAI and (choice.url is None or choice.model is None):
            raise UsageError("--embed openai needs --embed-url and --embed-model")
        if choice.embed == HASHING and choice.dimension is None:
            return cls(HASHING, DIMENSION)
        return choice

    @classmethod
    def of_text(cls, text: str) -> "EmbeddingChoice":
        """The choice that an index file holds.

        Raises:
            IndexCorruptError: it holds no such.
        """
        kept = strict_json.parse_object(text)
        if kept is None or not set(kept) <= set(FLAGS) or kept.get("embed") not in (HASHING, OPENAI, NONE):
            raise IndexCorruptError(f"the index file says in a way that is not known how it is embedded: {text}")
        return cls(**kept)

    def to_dict(self) -> dict[str, Any]:
        """The choice as plain data, without what it does not say."""
        parts = {part: getattr(self, part) for part in FLAGS}
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

"""A cache around any embedding provider (EMB-3)."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from hybrid_search import validation
from hybrid_search.embedding.embedding import Embedding

Key = tuple[str, str, int | None, str]
Vector = tuple[float, ...]
OPTIONS = ("provider", "model", "dimension", "capacity")


class EmbeddingCache:
    """A bounded LRU cache of checked vectors; itself a provider.

    Entries are told apart by model, kind (query or passage), dimension and SHA-256 of the text. Vectors are frozen.
    Errors are not cached. Safe to use from several threads: a key is computed by one caller at a time; those who wait
    for it count as hits, and try again themselves if it fails.
    """

    def __init__(
        self,
        provider: Any,
        model: str | None = None,
        dimension: int | None = None,
        capacity: int = 1024,
        **unknown: Any,
    ) -> None:
        """Wrap a provider.

        Args:
            provider: as for `Embedding`; an `Embedding` is one too.
            model: as for `Embedding`.
            dimension: as for `Embedding`.
            capacity: how many vectors are kept; at least 1.
            unknown: refused.

        Raises:
            InvalidInputError: an argument is not acceptable.
        """
        validation.known("option", unknown, OPTIONS)
        self._capacity = validation.integer("capacity", capacity, 1)
        self._embedding = Embedding(provider, model, dimension)
        self._key_dimension = self._embedding.dimension
        self._condition = threading.Condition()
        self._entries: OrderedDict[Key, Vector] = OrderedDict()
        self._underway: set[Key] = set()
        self._hits = 0
        self._misses = 0

    @property
    def model(self) -> str:
        """The name of the model; may be empty."""
        return self._embedding.model

    @property
    def dimension(self) -> int | None:
        """How many components every vector has; none until it is known."""
        return self._embedding.dimension

    @property
    def hits(self) -> int:
        """How many vectors were given without asking the provider for them."""
        return self._hits

    @property
    def misses(self) -> int:
        """How many vectors the provider was asked for."""
        return self._misses

    @property
    def size(self) -> int:
        """How many vectors are kept."""
        return len(self._entries)

    def encode_queries(self, text: str) -> Vector:
        """The vector of one query, frozen.

        Raises:
            InvalidInputError: `text` is not a text of valid Unicode.
            EmbeddingError: the provider failed or gave an unusable vector.
        """
        return self._lookup("query", [validation.text("text", text)])[0]

    def encode(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of texts, in their order, frozen; the provider is asked once, for the missing ones.

        Raises:
            InvalidInputError: `texts` is not a list of texts of valid Unicode.
            EmbeddingError: the provider failed, or gave another number of vectors or an unusable one.
        """
        return self._lookup("passage", validation.texts("texts", texts))

    def clear(self) -> None:
        """Forget all vectors; the counts stay."""
        with self._condition:
            self._entries.clear()

    def _lookup(self, kind: str, texts: list[str]) -> list[Vector]:
        keys = [self._key(kind, text) for text in texts]
        found: dict[Key, Vector] = {}
        missing = dict(zip(keys, texts, strict=True))
        while missing:
            mine = self._claim(missing, found)
            if mine:
                found.update(self._compute(kind, mine))
            missing = {key: text for key, text in missing.items() if key not in found}
            self._wait(missing)
        with self._condition:
            self._hits += len(keys) - len(found)
        return [found[key] for key in keys]

    def _claim(self, missing: dict[Key, str], found: dict[Key, Vector]) -> dict[Key, str]:
        """Take what is there into `found`; the rest that nobody computes is the caller's to compute."""
        mine = {}
        with self._condition:
            for key, text in missing.items():
                if key in self._entries:
                    self._entries.move_to_end(key)
                    found[key] = self._entries[key]
                    self._hits += 1
                elif key not in self._underway:
                    self._underway.add(key)
                    mine[key] = text
                    self._misses += 1
        return mine

    def _compute(self, kind: str, mine: dict[Key, str]) -> dict[Key, Vector]:
        computed: dict[Key, Vector] = {}
        try:
            texts = list(mine.values())
            vectors = [self._embedding.encode_queries(texts[0])] if kind == "query" else self._embedding.encode(texts)
            computed = {key: tuple(vector) for key, vector in zip(mine, vectors, strict=True)}
        finally:
            with self._condition:
                self._entries.update(computed)
                while len(self._entries) > self._capacity:
                    self._entries.popitem(last=False)
                self._underway.difference_update(mine)
                self._condition.notify_all()
        return computed

    def _wait(self, missing: dict[Key, str]) -> None:
        """Until none of the keys is being computed by another caller."""
        with self._condition:
            self._condition.wait_for(lambda: self._underway.isdisjoint(missing))

    def _key(self, kind: str, text: str) -> Key:
        digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
        return (self._embedding.model, kind, self._key_dimension, digest)

"""A cache around any embedding provider (EMB-3)."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence

from hybrid_search.base import validation
from hybrid_search.base.process_lock import ProcessLock
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.protocols import Embedder

Key = tuple[str, str, int | None, str]
Vector = tuple[float, ...]
OPTIONS = ("provider", "model", "dimension", "capacity")


class EmbeddingCache:
    """A bounded LRU cache of checked vectors; itself a provider.

    Entries are identified by model, kind (query or passage), dimension and SHA-256 of the text. Vectors are frozen.
    Errors are not cached. The cache is safe to use from several threads: one caller at a time computes a key. Callers
    that wait for it count as hits. If it fails, they compute the key themselves.
    """

    @validation.known_options(OPTIONS)
    def __init__(
        self,
        provider: Embedder,
        model: str | None = None,
        dimension: int | None = None,
        capacity: int = 1024,
    ) -> None:
        """Wrap a provider.

        Args:
            provider: as for `Embedding`; an `Embedding` is one too.
            model: as for `Embedding`.
            dimension: as for `Embedding`.
            capacity: the maximum number of cached vectors, at least 1.

        Raises:
            InvalidInputError: an argument is not acceptable.
        """
        self._capacity = validation.integer("capacity", capacity, 1)
        self._embedding = Embedding(provider, model, dimension)
        self._key_dimension = self._embedding.dimension
        self._lock = ProcessLock(threading.Condition)
        self._entries: OrderedDict[Key, Vector] = OrderedDict()
        self._underway: dict[Key, threading.Thread] = {}
        self._hits = 0
        self._misses = 0

    @property
    def model(self) -> str:
        """The name of the model; may be empty."""
        return self._embedding.model

    @property
    def dimension(self) -> int | None:
        """Return the number of components of every vector; `None` until it is known."""
        return self._embedding.dimension

    @property
    def hits(self) -> int:
        """Return the number of vectors that were returned without a call of the provider."""
        return self._hits

    @property
    def misses(self) -> int:
        """Return the number of vectors for which the provider was called."""
        return self._misses

    @property
    def size(self) -> int:
        """Return the number of cached vectors."""
        return len(self._entries)

    def encode_queries(self, text: str) -> Vector:
        """Return the vector of one query, frozen.

        Raises:
            InvalidInputError: `text` is not a text of valid Unicode.
            EmbeddingError: the provider failed or returned an unusable vector.
        """
        return self._lookup("query", [validation.text("text", text)])[0]

    def encode(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of texts, in their order, frozen; one call of the provider computes the missing ones.

        Raises:
            InvalidInputError: `texts` is not a list of texts of valid Unicode.
            EmbeddingError: the provider failed, or returned another number of vectors or an unusable one.
        """
        return self._lookup("passage", validation.texts("texts", texts))

    def clear(self) -> None:
        """Forget all vectors; the counts stay."""
        with self._lock.mutex:
            self._entries.clear()

    def _lookup(self, kind: str, texts: list[str]) -> list[Vector]:
        keys = [self._key(kind, text) for text in texts]
        found: dict[Key, Vector] = {}
        missing = dict(zip(keys, texts, strict=True))
        while missing:
            mine: dict[Key, str] = {}
            try:
                self._claim(missing, found, mine)
                if mine:
                    found.update(self._compute(kind, mine))
            finally:
                self._release(mine)
            missing = {key: text for key, text in missing.items() if key not in found}
            self._wait(missing)
        with self._lock.mutex:
            self._hits += len(keys) - len(found)
        return [found[key] for key in keys]

    def _claim(self, missing: dict[Key, str], found: dict[Key, Vector], mine: dict[Key, str]) -> None:
        """Put cached vectors into `found`, and the keys that nobody is computing into `mine`."""
        with self._lock.mutex:
            for key, text in missing.items():
                if key in self._entries:
                    self._entries.move_to_end(key)
                    found[key] = self._entries[key]
                    self._hits += 1
                elif not self._is_underway(key):
                    mine[key] = text
                    self._underway[key] = threading.current_thread()
                    self._misses += 1

    def _compute(self, kind: str, mine: dict[Key, str]) -> dict[Key, Vector]:
        texts = list(mine.values())
        vectors = [self._embedding.encode_queries(texts[0])] if kind == "query" else self._embedding.encode(texts)
        computed = {key: tuple(vector) for key, vector in zip(mine, vectors, strict=True)}
        with self._lock.mutex:
            self._entries.update(computed)
            while len(self._entries) > self._capacity:
                self._entries.popitem(last=False)
        return computed

    def _release(self, mine: dict[Key, str]) -> None:
        condition = self._lock.mutex
        with condition:
            for key in mine:
                self._underway.pop(key, None)
            condition.notify_all()

    def _wait(self, missing: dict[Key, str]) -> None:
        """Wait until no other caller computes one of the keys."""
        condition = self._lock.mutex
        with condition:
            condition.wait_for(lambda: not any(map(self._is_underway, missing)))

    def _is_underway(self, key: Key) -> bool:
        """Return whether another thread computes it; the threads of a forked child's parent do not count."""
        owner = self._underway.get(key)
        return owner is not None and owner.is_alive() and owner is not threading.current_thread()

    def _key(self, kind: str, text: str) -> Key:
        digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
        return (self._embedding.model, kind, self._key_dimension, digest)

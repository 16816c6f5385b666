"""Caches the keywords of documents, since they are the same for every query."""

import hashlib
from collections import OrderedDict
from typing import Protocol

from hybrid_search.base import validation
from hybrid_search.base.process_lock import ProcessLock
from hybrid_search.text import keyword_source
from hybrid_search.text.keyword_extractor import KeywordExtractor, Keywords

OPTIONS = ("keyword_extractor", "capacity")


class KeywordSource(Protocol):
    """Anything that finds keywords: a `KeywordExtractor`, or a cache around one."""

    def extract(self, text: str, limit: int | None = 10) -> Keywords:
        """Return the keywords of a text."""
        ...


class KeywordCache:
    """A bounded LRU cache of keywords around an extractor; itself an extractor, and safe to share between threads.

    Texts are identified by their SHA-256. Words should be added to the extractor before the first call.

    Args:
        keyword_extractor: finds the keywords; the default `KeywordExtractor` when not given.
        capacity: maximum number of texts whose keywords are cached; at least 1.

    Raises:
        InvalidInputError: an argument is not acceptable, or unknown.
    """

    @validation.known_options(OPTIONS)
    def __init__(
        self,
        keyword_extractor: KeywordExtractor | None = None,
        capacity: int = 4096,
    ) -> None:
        self._extractor: KeywordSource = keyword_source.accept("keyword_extractor", keyword_extractor)
        self._capacity = validation.integer("capacity", capacity, 1)
        self._lock = ProcessLock()
        self._entries: OrderedDict[tuple[int | None, bytes], Keywords] = OrderedDict()

    @property
    def size(self) -> int:
        """The number of texts whose keywords are cached."""
        return len(self._entries)

    @validation.known_options(("limit",))
    def extract(self, text: str, limit: int | None = 10) -> Keywords:
        """Return the keywords of a text, see `KeywordExtractor.extract`.

        Raises:
            InvalidInputError: an argument is not acceptable.
        """
        if limit is not None:
            validation.integer("limit", limit, 0)
        key = (limit, hashlib.sha256(validation.text("text", text).encode("utf-8")).digest())
        with self._lock.mutex:
            if key in self._entries:
                self._entries.move_to_end(key)
                return self._entries[key]
        found = self._extractor.extract(text, limit)
        with self._lock.mutex:
            self._entries[key] = found
            while len(self._entries) > self._capacity:
                self._entries.popitem(last=False)
        return found

    def clear(self) -> None:
        """Remove all cached keywords."""
        with self._lock.mutex:
            self._entries.clear()

"""English stems (TXT-4): the Snowball "english" algorithm, also called Porter2, of Snowball 3.1.

The package `snowballstemmer` runs it. Its class for English is used by name: the package's own `stemmer("english")`
would take another version of the algorithm when PyStemmer of another version happens to be installed. PyStemmer of
Snowball 3.1 is the same algorithm in C, and is used where it is installed.
"""

import re
from importlib import import_module
from typing import Any

from snowballstemmer.english_stemmer import EnglishStemmer

from hybrid_search.base import validation
from hybrid_search.base.process_lock import ProcessLock

CACHE_SIZE = 32_768
"""The number of stems that a stemmer caches; a further one clears the cache."""
CACHED_LENGTH = 40
"""Longer words are stemmed each time, so that the memory of a cache is bounded."""

SNOWBALL = "3.1."
"""The version of the algorithm; PyStemmer has the same numbers."""

_ENGLISH_WORD = re.compile("[a-z]+")


class Stemmer:
    """Stems English words. Safe to share between threads."""

    def __init__(self) -> None:
        self._algorithm = _algorithm()
        self._cache: dict[str, str] = {}
        self._lock = ProcessLock()

    def stem(self, word: str) -> str:
        """The stem of a word that is all `[a-z]`; any other text comes back unchanged.

        Raises:
            InvalidInputError: `word` is not a text, or holds a lone surrogate (UNI-2).
        """
        checked = validation.text("word", word)
        return self.stem_english(checked) if _ENGLISH_WORD.fullmatch(checked) else checked

    def stem_english(self, word: str) -> str:
        """The stem of a word that is known to be all `[a-z]`."""
        stem = self._cache.get(word)
        if stem is not None:
            return stem
        with self._lock.mutex:
            result: str = self._algorithm.stemWord(word)
            if len(word) <= CACHED_LENGTH:
                if len(self._cache) >= CACHE_SIZE:
                    self._cache.clear()
                self._cache[word] = result
            return result


def _algorithm() -> Any:
    """What stems a word by `stemWord`; one thread at a time may use it."""
    try:
        package = import_module("Stemmer")
        return package.Stemmer("english", 0) if package.version().startswith(SNOWBALL) else EnglishStemmer()
    except ImportError:
        return EnglishStemmer()

"""Stems English words (TXT-4) by the Snowball "english" algorithm, also called Porter2, of Snowball 3.1.

The package `snowballstemmer` implements it. Its class for English is used by name, since the package's own
`stemmer("english")` uses PyStemmer if that is installed, which may have another version of the algorithm. PyStemmer of
Snowball 3.1 is the same algorithm in C, and is used where it is installed.
"""

import re
from importlib import import_module
from typing import Any

from hybrid_search.base import validation
from hybrid_search.base.process_lock import ProcessLock

CACHE_SIZE = 32_768
"""Maximum number of cached stems; one more clears the cache."""
CACHED_LENGTH = 40
"""Longer words are not cached, so that the memory of a cache is bounded."""

SNOWBALL = "3.1."
"""The version of the algorithm; PyStemmer has the same version numbers."""

_ENGLISH_WORD = re.compile("[a-z]+")


class Stemmer:
    """Stems English words. Safe to share between threads."""

    def __init__(self) -> None:
        self._algorithm = _algorithm()
        self._cache: dict[str, str] = {}
        self._lock = ProcessLock()

    def stem(self, word: str) -> str:
        """Return the stem of a word of `[a-z]` only; any other text is returned unchanged.

        Raises:
            InvalidInputError: `word` is not a text, or contains a lone surrogate (UNI-2).
        """
        checked = validation.text("word", word)
        return self.stem_english(checked) if _ENGLISH_WORD.fullmatch(checked) else checked

    def stem_english(self, word: str) -> str:
        """Return the stem of a word that is known to contain only `[a-z]`."""
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
    """Return an object that stems a word with `stemWord`; only one thread at a time may use it."""
    try:
        package = import_module("Stemmer")
        if package.version().startswith(SNOWBALL):
            return package.Stemmer("english", 0)
    except ImportError:
        pass
    return import_module("snowballstemmer.english_stemmer").EnglishStemmer()

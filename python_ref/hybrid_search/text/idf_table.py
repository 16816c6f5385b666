"""Inverse document frequencies of words, read from jieba's `idf.txt` on first use (TXT-8)."""

from hybrid_search.base.process_lock import ProcessLock
from hybrid_search.text import jieba_files


class IdfTable:
    """The inverse document frequencies of words; immutable.

    Attributes:
        median: the inverse document frequency of the middle word, used for words without one.
    """

    _lock = ProcessLock()
    _shared: "IdfTable | None" = None

    def __init__(self) -> None:
        self._values: dict[str, float] = dict(entries())
        self.median: float = sorted(self._values.values())[len(self._values) // 2]

    @classmethod
    def shared(cls) -> "IdfTable":
        """Return the table, which is read on first use."""
        with cls._lock.mutex:
            if cls._shared is None:
                cls._shared = cls()
            return cls._shared

    def idf(self, word: str) -> float:
        """Return the inverse document frequency of a word, above 0; the `median` if it has none."""
        return self._values.get(word, self.median)


def entries() -> list[tuple[str, float]]:
    """Return the word and inverse document frequency of every line of the file."""
    text = jieba_files.read("analyse/idf.txt").decode("utf-8")
    lines = [line.strip(" \r").split(" ") for line in text.split("\n") if line]
    return [(word, float(value)) for word, value in lines]

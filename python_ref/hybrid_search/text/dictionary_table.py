"""jieba's own dictionary: word frequencies and parts of speech (TXT-2, TXT-6).

It is read from jieba's `dict.txt` on first use and shared by every `Dictionary`. jieba's cache files are neither read
nor written, so nothing depends on a temporary directory or on files that other programs wrote there.
"""

import sys
from collections.abc import Iterable

from hybrid_search.base.process_lock import ProcessLock
from hybrid_search.text import jieba_files


def content() -> bytes:
    """Return the contents of jieba's `dict.txt`."""
    return jieba_files.read("dict.txt")


class DictionaryTable:
    """The words of jieba's `dict.txt`; immutable.

    Attributes:
        frequencies: word → frequency, and every prefix of a word → 0 unless it is a word itself.
        total: the sum of the frequencies of all lines.
    """

    _lock = ProcessLock()
    _shared: "DictionaryTable | None" = None

    def __init__(self) -> None:
        fields = content().decode("utf-8").split()  # word, frequency, part of speech, and so on
        words, frequencies, tags = fields[0::3], list(map(int, fields[1::3])), map(sys.intern, fields[2::3])
        self.total: int = sum(frequencies)  # whole numbers
        self.frequencies: dict[str, int] = dict(zip(words, frequencies, strict=True))
        self._tags: dict[str, str] = dict(zip(words, tags, strict=True))
        # An entry that exists already brought its prefixes along.
        missing: Iterable[str] = words
        while missing := {word[:-1] for word in missing}.difference(self.frequencies, ("",)):
            self.frequencies.update(dict.fromkeys(missing, 0))

    @classmethod
    def shared(cls) -> "DictionaryTable":
        """Return the table, which is read on first use."""
        with cls._lock.mutex:
            if cls._shared is None:
                cls._shared = cls()
            return cls._shared

    def words_in(self, text: str) -> dict[str, int]:
        """Return frequencies that include all words and prefixes that begin with a character of the text."""
        del text  # the table includes all others too
        return self.frequencies

    def tag(self, word: str) -> str:
        """Return the part of speech of a word, "" if it has none."""
        return self._tags.get(word, "")

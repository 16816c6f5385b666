"""jieba's dictionary, of which only the words are read that begin with a character of a given text (TXT-2, TXT-6).

After a few words with letters and digits, the words in jieba's `dict.txt` are in the order of their first characters.
The words of one character are therefore together, and are found by bisection. That holds for the one file whose digest
is known here; any other file is read as a whole.
"""

import hashlib
import sys

from hybrid_search.base.process_lock import ProcessLock
from hybrid_search.text import dictionary_table as plain

DIGEST = "7197c3211ddd98962b036cdf40324d1ea2bfaa12bd028e68faa70111a88e12a8"
TOTAL = 60_101_967
"""The sum of the frequencies of all lines of the file with that digest."""
_ORDERED_FROM = "\n一 ".encode()
"""The beginning of the first line from which on the first characters are in order."""
_FIRST, _LAST = "\u4e00", "\u9fd5"
"""The range of characters with which words begin, apart from ASCII."""


class FastDictionaryTable:
    """The words of jieba's `dict.txt`; the part that has been read grows, and is never changed.

    Attributes:
        total: the sum of the frequencies of all lines.
    """

    _lock = ProcessLock()
    _shared: "FastDictionaryTable | None" = None

    def __init__(self, content: bytes) -> None:
        known = hashlib.sha256(content).hexdigest() == DIGEST
        self.total = TOTAL if known else plain.DictionaryTable.shared().total
        self._content = content
        self._frequencies: dict[str, int] = {}
        self._tags: dict[str, str] = {}
        self._ordered = content.index(_ORDERED_FROM) + 1 if known else len(content)
        self._take(content[: self._ordered])
        self._read = set(map(chr, range(128)))

    @classmethod
    def shared(cls) -> "FastDictionaryTable":
        """Return the table, which is made on first use."""
        with cls._lock.mutex:
            if cls._shared is None:
                cls._shared = cls(plain.content())
            return cls._shared

    @property
    def frequencies(self) -> dict[str, int]:
        """All words and prefixes; see the plain form."""
        return plain.DictionaryTable.shared().frequencies

    def words_in(self, text: str) -> dict[str, int]:
        """Return frequencies that include all words and prefixes that begin with a character of the text."""
        if not self._read.issuperset(text):
            with self._lock.mutex:
                for character in set(text) - self._read:
                    if _FIRST <= character <= _LAST:
                        self._take(self._content[self._start(character) : self._start(chr(ord(character) + 1))])
                        self._read.add(character)
        return self._frequencies

    def tag(self, word: str) -> str:
        """Return the part of speech of a word, or "" if it has none."""
        self.words_in(word[:1])
        return self._tags.get(word, "")

    def _start(self, character: str) -> int:
        """Return the start of the first line whose first character is not before this one, in the order of UTF-8."""
        wanted, content = character.encode(), self._content
        low, high = self._ordered, len(content)
        while low < high:
            start = content.rfind(b"\n", low, (low + high) // 2) + 1 or low
            if content[start : start + len(wanted)] < wanted:
                low = content.find(b"\n", start) + 1 or len(content)
            else:
                high = start
        return low

    def _take(self, lines: bytes) -> None:
        fields = lines.decode("utf-8").split()  # word, frequency, part of speech, and so on
        words = fields[0::3]
        read = dict(zip(words, map(int, fields[1::3]), strict=True))
        for word in words:
            for end in range(1, len(word)):
                read.setdefault(word[:end], 0)
        self._tags.update(zip(words, map(sys.intern, fields[2::3]), strict=True))
        self._frequencies.update(read)

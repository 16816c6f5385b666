"""jieba's own dictionary: word frequencies and parts of speech (TXT-2, TXT-6).

It is read from jieba's `dict.txt` on first use and shared by every `Dictionary`. jieba's cache files are neither read
nor written, so nothing depends on a temporary directory or on what other programs left there.
"""

import threading
import warnings
from functools import cached_property

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import jieba as jieba


class DictionaryTable:
    """The words of jieba's `dict.txt`; never changed once made.

    Attributes:
        frequencies: word to frequency; every prefix of a word is there too, with 0 if it is no word itself.
        total: the sum of the frequencies of all lines.
    """

    _lock = threading.Lock()
    _shared: "DictionaryTable | None" = None

    def __init__(self) -> None:
        source = jieba.get_module_res(jieba.DEFAULT_DICT_NAME)
        self.frequencies: dict[str, int]
        self.total: int
        self.frequencies, self.total = jieba.Tokenizer.gen_pfdict(source)

    @classmethod
    def shared(cls) -> "DictionaryTable":
        """The table, read on first use."""
        with cls._lock:
            if cls._shared is None:
                cls._shared = cls()
            return cls._shared

    def tag(self, word: str) -> str:
        """The part of speech of a word, "" if it has none."""
        return self._tags.get(word, "")

    @cached_property
    def _tags(self) -> dict[str, str]:
        with jieba.get_module_res(jieba.DEFAULT_DICT_NAME) as source:
            lines = source.read().decode("utf-8").split("\n")
        return {word: tag for word, _, tag in (line.split(" ") for line in lines if line)}

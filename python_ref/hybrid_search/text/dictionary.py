"""The word frequencies and parts of speech the segmenter works with (TXT-2, TXT-6).

The table is jieba's `dict.txt`, read once and shared by every `Dictionary`; the words a user adds belong to the one
`Dictionary` they were added to. jieba's own cache files are neither read nor written, so nothing depends on a
temporary directory or on what other programs left there.
"""

import warnings
from functools import cache

from hybrid_search import validation

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import jieba as jieba

MAXIMUM_FREQUENCY = 1_000_000_000_000
"""The largest frequency a user word may have."""


@cache
def _frequencies() -> tuple[dict[str, int], int]:
    """The prefix dictionary jieba makes and its total; never changed once made."""
    frequencies, total = jieba.Tokenizer.gen_pfdict(jieba.get_module_res(jieba.DEFAULT_DICT_NAME))
    return frequencies, total


@cache
def _tags() -> dict[str, str]:
    """The part of speech of every word in jieba's dictionary; never changed once made."""
    with jieba.get_module_res(jieba.DEFAULT_DICT_NAME) as source:
        lines = source.read().decode("utf-8").split("\n")
    return {word: tag for word, _, tag in (line.split(" ") for line in lines if line)}


class Dictionary:
    """Frequencies and parts of speech: jieba's, and the user's on top.

    Attributes:
        frequencies: word to frequency; every prefix of a word is there too, with 0 if it is no word itself.
            To be read, not written: it is jieba's shared table until the first user word.
        total: the sum of the frequencies, as jieba counts it.
        force_split: the user's words of frequency 0, which the hidden Markov model may not join either.
    """

    def __init__(self) -> None:
        self.frequencies, self.total = _frequencies()
        self.force_split: set[str] = set()
        self._user_tags: dict[str, str] = {}
        self._shared = True

    def frequency(self, term: str) -> int:
        """How often `term` occurs in the dictionary's corpus; 0 if it is no word (TXT-6)."""
        return self.frequencies.get(validation.text("term", term), 0)

    def tag(self, term: str) -> str:
        """The part of speech of `term`, such as `n` or `v`; "" if the dictionary has none (TXT-6)."""
        term = validation.text("term", term)
        return self._user_tags.get(term) or _tags().get(term, "")

    def add(self, word: str, frequency: int, tag: str | None = None) -> None:
        """Add a user word, or give a word another frequency; 0 takes the word away.

        As in jieba, the total grows by `frequency` even if the word was there before, and an earlier part of speech
        stays if no other is given.

        Args:
            word: the word, not empty.
            frequency: from 0 to `MAXIMUM_FREQUENCY`.
            tag: its part of speech; `None` and "" give none.

        Raises:
            InvalidInputError: an argument is not acceptable.
        """
        word = user_word(word)
        frequency = validation.integer("frequency", frequency, 0, MAXIMUM_FREQUENCY)
        tag = None if tag is None else validation.text("tag", tag)
        if self._shared:
            self.frequencies = dict(self.frequencies)
            self._shared = False
        self.frequencies[word] = frequency
        self.total += frequency
        if tag:
            self._user_tags[word] = tag
        for end in range(1, len(word)):
            self.frequencies.setdefault(word[:end], 0)
        if frequency == 0:
            self.force_split.add(word)


def user_word(word: str) -> str:
    """The word a user adds: a text that is not empty."""
    if not validation.text("word", word):
        raise validation.fail("word", word, "a text that is not empty")
    return word

"""Cuts Chinese text into words (TXT-2), as jieba does, with jieba's tables.

Segmenters share nothing that changes, so they do not disturb each other nor anybody else who uses jieba.
"""

import os
import re
from collections.abc import Iterable
from operator import add
from typing import Any

from hybrid_search import validation
from hybrid_search.text import user_dictionary
from hybrid_search.text.dictionary import MAXIMUM_FREQUENCY, Dictionary, user_word
from hybrid_search.text.hidden_markov_model import HiddenMarkovModel
from hybrid_search.text.route_finder import RouteFinder

_BLOCK = re.compile("([\u4e00-\u9fd5a-zA-Z0-9+#&._%-]+)")
_OUTSIDE = re.compile("\r\n|.", re.DOTALL)
_LETTERS = re.compile("[A-Za-z]{2,}")
_SINGLE_LATIN = re.compile(r"[0-9A-Za-z]\Z")


class Segmenter:
    """Cuts text into words with jieba's dictionary, its most probable route, and its hidden Markov model.

    Cutting may run in several threads at once; words should be added before.

    Attributes:
        dictionary: the frequencies and parts of speech, user words among them.
    """

    def __init__(self, dictionary: Dictionary | None = None) -> None:
        """Make a segmenter with a dictionary of its own, or with the one given."""
        if dictionary is not None and not isinstance(dictionary, Dictionary):
            raise validation.fail("dictionary", dictionary, "a Dictionary")
        self.dictionary = dictionary if dictionary is not None else Dictionary()
        self._finder = RouteFinder(self.dictionary)
        self._model = HiddenMarkovModel(self.dictionary.force_split)

    def cut(self, text: str, *, hmm: bool = True, **unknown: Any) -> list[str]:
        """The words of a text in their order; joined they are the text again.

        Args:
            text: any text.
            hmm: whether unknown words are guessed by the hidden Markov model.
            **unknown: refused.

        Raises:
            InvalidInputError: the text is no valid text, or an option is unknown.
        """
        validation.known("option", unknown, ["hmm"])
        checked = validation.text("text", text)
        cut_block = self._cut_with_model if validation.boolean("hmm", hmm) else self._cut_without_model
        words: list[str] = []
        for index, piece in enumerate(_BLOCK.split(checked)):
            if index % 2:
                words += cut_block(piece)
            else:
                words += _OUTSIDE.findall(piece) if len(piece) > 1 else piece
        return words

    def cut_for_search(self, text: str, *, hmm: bool = True, **unknown: Any) -> list[str]:
        """The words of a text, each after the dictionary words of two and three characters inside it.

        Args and errors as for `cut`.
        """
        validation.known("option", unknown, ["hmm"])
        frequency = self.dictionary.frequencies.get
        words: list[str] = []
        for word in self.cut(text, hmm=hmm):
            for length in (2, 3):
                if len(word) > length:
                    grams = (word[start : start + length] for start in range(len(word) - length + 1))
                    words += [gram for gram in grams if frequency(gram)]
            words.append(word)
        return words

    def add_word(self, word: str, frequency: int | None = None, tag: str | None = None, **unknown: Any) -> None:
        """Add a word to this segmenter's dictionary.

        Args:
            word: the word, not empty.
            frequency: from 0 to `MAXIMUM_FREQUENCY`; `None` takes the one `suggest_frequency` gives; 0 makes the
                segmenter cut the word up.
            tag: its part of speech.
            **unknown: refused.

        Raises:
            InvalidInputError: an argument is not acceptable, or an option is unknown.
        """
        validation.known("option", unknown, ["frequency", "tag"])
        self.dictionary.add(word, self.suggest_frequency(word) if frequency is None else frequency, tag)

    def suggest_frequency(self, word: str) -> int:
        """The frequency that makes a word more probable than the words it is cut into without the model."""
        frequencies, total = self.dictionary.frequencies, self.dictionary.total
        product = 1.0
        for piece in self.cut(user_word(word), hmm=False):
            product = product * (frequencies.get(piece, 1) / float(total))
        return min(max(int(product * total) + 1, frequencies.get(word, 1)), MAXIMUM_FREQUENCY)

    def frequency(self, term: str) -> int:
        """How often `term` occurs in the dictionary's corpus; 0 if it is no word (TXT-6)."""
        return self.dictionary.frequency(term)

    def tag(self, term: str) -> str:
        """The part of speech of `term`; "" if the dictionary has none (TXT-6)."""
        return self.dictionary.tag(term)

    def load_user_dict(self, path: str | os.PathLike[str]) -> None:
        """Add the words of a file in jieba's format: a line holds a word, and maybe a frequency and a tag.

        The file is UTF-8, with or without a byte order mark; empty lines are skipped. Nothing is added if a line
        is not acceptable.

        Raises:
            ConfigurationError: the file cannot be read, is not UTF-8, or has a frequency out of range.
            InvalidInputError: `path` is no text.
        """
        for word, frequency, tag in user_dictionary.read(path):
            self.add_word(word, frequency, tag)

    def best_route_without_whole(self, token: str) -> list[str]:
        """The most probable way to cut a token up, the token as a whole left out (TXT-5), without the model.

        A token of one character gives itself. Single letters and digits stay apart: see `rejoin_latin`.

        Raises:
            InvalidInputError: the token is no valid text.
        """
        token = validation.text("token", token)
        return _pieces(token, self._finder.ends(token, whole=False))

    @staticmethod
    def rejoin_latin(pieces: list[str]) -> list[str]:
        """The pieces with runs of single `[0-9A-Za-z]` joined again, as jieba does without the model."""
        joined: list[str] = []
        run = ""
        for piece in pieces:
            if _SINGLE_LATIN.match(piece):
                run += piece
                continue
            if run:
                joined.append(run)
                run = ""
            joined.append(piece)
        if run:
            joined.append(run)
        return joined

    def _cut_with_model(self, block: str) -> list[str]:
        """The words of a block of Han characters, letters and digits.

        Letters in which no dictionary word of several letters can begin stay together: single letters make a run, and
        the model leaves runs of letters whole. So most English words need no route.
        """
        known = self.dictionary.frequencies
        if _LETTERS.fullmatch(block) and not any(map(known.__contains__, map(add, block, block[1:]))):
            return [block]
        words: list[str] = []
        ends = self._finder.ends(block)
        start = single = 0
        while start < len(block):
            end = ends[start]
            if end > start + 1:
                words += self._singles(block[single:start])
                words.append(block[start:end])
                single = end
            start = end
        words += self._singles(block[single:])
        return words

    def _singles(self, run: str) -> Iterable[str]:
        """A run that the route left in single characters: the model's words, unless the dictionary has it as a word."""
        return run if len(run) < 2 or self.dictionary.frequencies.get(run) else self._model.cut(run)

    def _cut_without_model(self, block: str) -> list[str]:
        return self.rejoin_latin(_pieces(block, self._finder.ends(block)))


def _pieces(text: str, ends: list[int]) -> list[str]:
    pieces = []
    start = 0
    while start < len(text):
        pieces.append(text[start : ends[start]])
        start = ends[start]
    return pieces

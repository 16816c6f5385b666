"""Segments Chinese text into words as jieba does, with jieba's tables (TXT-2).

Segmenters share no mutable state, so they affect neither each other nor other users of jieba.
"""

import os
import re
from typing import TYPE_CHECKING

from hybrid_search.base import validation
from hybrid_search.base.kernels import choice, kernel
from hybrid_search.text import user_dictionary
from hybrid_search.text.dictionary import MAXIMUM_FREQUENCY, Dictionary, user_word

if TYPE_CHECKING:
    from hybrid_search.text.cutter import Cutter

_SINGLE_LATIN = re.compile(r"[0-9A-Za-z]\Z")


class Segmenter:
    """Segments text with jieba's dictionary, its most probable route, and its hidden Markov model.

    Several threads may cut at once. Words should be added before the first call.

    Attributes:
        dictionary: the frequencies and parts of speech, including the user's words.
        kernels: "plain" or "fast", as chosen.
    """

    @validation.known_options(("kernels",))
    def __init__(self, dictionary: Dictionary | None = None, kernels: str | None = None) -> None:
        """Make a segmenter.

        Args:
            dictionary: the words; a new dictionary when not given.
            kernels: "plain" cuts with jieba itself; "fast" finds the same words in less time; see `kernels.choice`.

        Raises:
            InvalidInputError: `dictionary` is not a `Dictionary`, or no kernels have this name.
            ConfigurationError: the environment variable contains an unknown name.
        """
        if dictionary is not None and not isinstance(dictionary, Dictionary):
            raise validation.fail("dictionary", dictionary, "a Dictionary")
        self.dictionary = dictionary if dictionary is not None else Dictionary(kernels)
        self.kernels = choice(kernels)
        self._cutter: Cutter = kernel("cutter", kernels)(self.dictionary)

    @validation.known_options(("hmm",))
    def cut(self, text: str, *, hmm: bool = True) -> list[str]:
        """Return the words of a text in their order; joined they are the text again.

        Args:
            text: any text.
            hmm: whether unknown words are guessed by the hidden Markov model.

        Raises:
            InvalidInputError: the text is not a valid text, or an option is unknown.
        """
        return self._cutter.cut(validation.text("text", text), validation.boolean("hmm", hmm))

    @validation.known_options(("hmm",))
    def cut_for_search(self, text: str, *, hmm: bool = True) -> list[str]:
        """Return the words of a text, each after the dictionary words of two and three characters inside it.

        Arguments and errors are those of `cut`.
        """
        cut = self.cut(text, hmm=hmm)
        frequency = self.dictionary.words_in(text).get
        words: list[str] = []
        for word in cut:
            for length in (2, 3):
                if len(word) > length:
                    grams = (word[start : start + length] for start in range(len(word) - length + 1))
                    words += [gram for gram in grams if frequency(gram)]
            words.append(word)
        return words

    @validation.known_options(("frequency", "tag"))
    def add_word(self, word: str, frequency: int | None = None, tag: str | None = None) -> None:
        """Add a word to this segmenter's dictionary.

        Args:
            word: the word, not empty.
            frequency: from 0 to `MAXIMUM_FREQUENCY`; `None` takes the one of `suggest_frequency`; 0 makes the segmenter
                cut the word up.
            tag: its part of speech.

        Raises:
            InvalidInputError: an argument is not acceptable, or an option is unknown.
        """
        self.dictionary.add(word, self.suggest_frequency(word) if frequency is None else frequency, tag)

    def suggest_frequency(self, word: str) -> int:
        """Return a frequency that makes a word more probable than the words it is cut into without the model."""
        pieces = self.cut(user_word(word), hmm=False)
        frequencies, total = self.dictionary.words_in(word), self.dictionary.total
        product = 1.0
        for piece in pieces:
            product = product * (frequencies.get(piece, 1) / float(total))
        return min(max(int(product * total) + 1, frequencies.get(word, 1)), MAXIMUM_FREQUENCY)

    def frequency(self, term: str) -> int:
        """Return the number of times `term` occurs in the dictionary's corpus; 0 if it is not a word (TXT-6)."""
        return self.dictionary.frequency(term)

    def tag(self, term: str) -> str:
        """Return the part of speech of `term`; "" if the dictionary has none (TXT-6)."""
        return self.dictionary.tag(term)

    def load_user_dict(self, path: str | os.PathLike[str]) -> None:
        """Add the words of a file in jieba's format: one word a line, with an optional frequency and tag.

        The file is UTF-8, with or without a byte order mark; empty lines are skipped. Nothing is added if a line is not
        acceptable.

        Raises:
            ConfigurationError: the file cannot be read, is not UTF-8, or has a frequency out of range.
            InvalidInputError: `path` is not a text.
        """
        for word, frequency, tag in user_dictionary.read(path):
            self.add_word(word, frequency, tag)

    def best_route_without_whole(self, token: str) -> list[str]:
        """Return the most probable way to cut a token up, excluding the token as a whole, without the model (TXT-5).

        A token of one character is its own only piece. Single letters and digits stay separate: see `rejoin_latin`.

        Raises:
            InvalidInputError: the token is not a valid text.
        """
        return self._cutter.best_route_without_whole(validation.text("token", token))

    @staticmethod
    def rejoin_latin(pieces: list[str]) -> list[str]:
        """Return the pieces with runs of single `[0-9A-Za-z]` joined again, as jieba does without the model."""
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

"""Cuts texts into the tokens from which keywords are chosen (TXT-7, TXT-8)."""

import os
import re
from collections.abc import Iterator
from functools import cache

from hybrid_search.base import validation
from hybrid_search.base.characters import character_class
from hybrid_search.text import user_dictionary
from hybrid_search.text.dictionary import MAXIMUM_FREQUENCY, user_word
from hybrid_search.text.identifiers import Identifiers
from hybrid_search.text.segmenter import Segmenter
from hybrid_search.text.whole_words import WholeWords

OPTIONS = ("identifiers", "user_dictionary")

_NEVER_CUT = re.compile(r"[\u4e00-\u9fd5a-zA-Z0-9+#&._%-]+")
"""The characters of which jieba forms runs before it looks for words."""


class KeywordTokenizer:
    """Cuts a text into jieba's words, the user's own words and, unless that is turned off, identifiers.

    Several threads may cut at once. Words should be added before the first call.
    """

    @validation.known_options(OPTIONS)
    def __init__(
        self,
        identifiers: bool = True,
        user_dictionary: str | os.PathLike[str] | None = None,
    ) -> None:
        """Make a tokenizer.

        Args:
            identifiers: whether numbers and identifiers are tokens with parts (TXT-7); otherwise the tokens are
                jieba's.
            user_dictionary: a file of words for `load_user_dict`.

        Raises:
            ConfigurationError: the user dictionary cannot be read.
            InvalidInputError: an option is unknown or has the wrong type.
        """
        self._identifiers = Identifiers() if validation.boolean("identifiers", identifiers) else None
        self._segmenter = Segmenter()
        self._whole_words = WholeWords()
        self._user_words: set[str] = set()
        if user_dictionary is not None:
            self.load_user_dict(user_dictionary)

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of a text, in order.

        With identifiers, the text is made half-width first, and tokens without a letter or number are omitted.

        Raises:
            InvalidInputError: `text` is not a text, or contains a lone surrogate (UNI-2).
        """
        text = validation.text("text", text)
        if self._identifiers is None:
            return list(self._tokens(text))
        kept = _letter_or_number()
        tokens = self._tokens(self._identifiers.prepare(text))
        return [token for token in tokens if kept.search(token) or token in self._user_words]

    def parts(self, token: str) -> list[str]:
        """Return the parts of a token (TXT-7), each once, never the token itself; without identifiers there are none.

        Raises:
            InvalidInputError: `token` is not a text, or contains a lone surrogate (UNI-2).
        """
        token = validation.text("token", token)
        return [] if self._identifiers is None else self._identifiers.parts(token)

    def is_lone(self, token: str) -> bool:
        """Return whether a token is a single capital letter or digit, which is not a keyword but a part (TXT-7)."""
        return self._identifiers is not None and self._identifiers.is_lone(token)

    def is_user_word(self, token: str) -> bool:
        """Return whether the user added exactly this word."""
        return token in self._user_words

    @validation.known_options(("frequency", "tag"))
    def add_word(self, word: str, frequency: int | None = None, tag: str | None = None) -> None:
        """Add a word that stays whole.

        A word that jieba would cut at a character, or that contains an identifier and other text, is searched in a text
        before any other step. All other words are added to the dictionary of the segmenter.

        Args:
            word: the word, not empty.
            frequency: from 0 to `MAXIMUM_FREQUENCY`, for the segmenter; `None` takes one that makes the word likely; 0
                removes the word.
            tag: its part of speech.

        Raises:
            InvalidInputError: an argument is not acceptable, or an option is unknown.
        """
        word = user_word(word)
        if frequency is not None:
            frequency = validation.integer("frequency", frequency, 0, MAXIMUM_FREQUENCY)
        tag = None if tag is None else validation.text("tag", tag)
        if self._identifiers is not None:
            word = self._identifiers.prepare(word)
        if not self._is_cut(word):
            self._segmenter.add_word(word, frequency, tag)
        elif frequency == 0:
            self._whole_words.remove(word)
        else:
            self._whole_words.add(word)
        if frequency == 0:
            self._user_words.discard(word)
        else:
            self._user_words.add(word)

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

    def _tokens(self, text: str) -> Iterator[str]:
        for piece, is_word in self._whole_words.pieces(text):
            if is_word:
                yield piece
            elif self._identifiers is None:
                yield from self._segmenter.cut(piece)
            else:
                for part, is_token in self._identifiers.pieces(piece):
                    if is_token:
                        yield part
                    else:
                        yield from self._segmenter.cut(part)

    def _is_cut(self, word: str) -> bool:
        """Return whether the segmenter would never receive the word as a whole."""
        if not _NEVER_CUT.fullmatch(word):
            return True
        return self._identifiers is not None and len(self._identifiers.pieces(word)) > 1


@cache
def _letter_or_number() -> re.Pattern[str]:
    return re.compile(f"[{character_class('LETTER').pattern}{character_class('NUMBER').pattern}]")

"""Turns text into tokens (TXT-4, TXT-5, TXT-6, TXT-9)."""

import re
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any, Protocol

from hybrid_search.base import validation
from hybrid_search.base.characters import character_class
from hybrid_search.base.kernels import PLAIN
from hybrid_search.text.dictionary import Dictionary
from hybrid_search.text.normalizer import Normalizer
from hybrid_search.text.segmenter import Segmenter
from hybrid_search.text.stemmer import Stemmer

OPTIONS = ("segmenter", "stemming")

_ENGLISH_WORD = re.compile("[a-z]+")
_NOT_DIVIDED = re.compile(r"[0-9a-z.+#_*-]+")
_SHORTEST_DIVIDED = 3


class TokenizerLike(Protocol):
    """The interface of a tokenizer: any object with these five methods may replace `Tokenizer` (TXT-9).

    Two more members are optional. `has_tokens(text)` returns whether `tokenize` would find any token. `version` is a
    value that is unchanged only while all results are; results may be cached as long as it is. A subclass of
    `Tokenizer` that redefines its methods must also redefine these two, or set them to `None`.
    """

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of a text, in order."""

    def fine_grained(self, token: str) -> list[str]:
        """Return the parts of a token, or the token itself if it has no parts."""

    def frequency(self, term: str) -> int:
        """Return the number of times the term occurs in the dictionary's corpus, 0 if it is not a word."""

    def tag(self, term: str) -> str:
        """Return the term's part of speech, "" if it has none."""

    def normalize(self, text: str) -> str:
        """Return the text as `tokenize` reads it."""


class Tokenizer:
    """The tokenizer that the library uses unless it is given another (`TokenizerLike`).

    Safe to share between threads.
    """

    @validation.known_options(OPTIONS)
    def __init__(self, segmenter: Segmenter | None = None, stemming: bool = True) -> None:
        """Make a tokenizer.

        Args:
            segmenter: cuts Chinese and English text into words; by default one with jieba's dictionary.
            stemming: whether English words are reduced to their stems.

        Raises:
            InvalidInputError: an option is unknown or has the wrong type.
        """
        if segmenter is not None and not isinstance(segmenter, Segmenter):
            raise validation.fail("segmenter", segmenter, "a Segmenter")
        self._stemming = validation.boolean("stemming", stemming)
        self._segmenter = Segmenter() if segmenter is None else segmenter
        self._normalizer = Normalizer()
        self._stemmer = Stemmer()

    @property
    def cuts_words_alone(self) -> bool:
        """Whether words may be cut one by one: only by the library's own segmenter, if it does not use plain forms."""
        return type(self._segmenter) is Segmenter and self._segmenter.kernels != PLAIN

    @property
    def version(self) -> int:
        """A value that is unchanged only while the results of all methods are."""
        return self.dictionary.version

    @property
    def dictionary(self) -> Dictionary:
        """The words of the segmenter."""
        return self._segmenter.dictionary

    @property
    def recipe(self) -> dict[str, Any] | None:
        """Plain data from which `of_recipe` makes an equal tokenizer; `None` if a part is not the library's own."""
        segmenter = self._segmenter
        if (type(self), type(segmenter), type(segmenter.dictionary)) != (Tokenizer, Segmenter, Dictionary):
            return None
        return {"kernels": segmenter.kernels, "stemming": self._stemming, "words": list(segmenter.dictionary.added)}

    @staticmethod
    def of_recipe(recipe: dict[str, Any]) -> "Tokenizer":
        """Return the tokenizer of a recipe."""
        segmenter = Segmenter(kernels=recipe["kernels"])
        for word, frequency, tag in recipe["words"]:
            segmenter.dictionary.add(word, frequency, tag)
        return Tokenizer(segmenter, recipe["stemming"])

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of a text, in order (TXT-4).

        Args:
            text: any text of valid Unicode.

        Raises:
            InvalidInputError: `text` is not a text, or contains a lone surrogate (UNI-2).
        """
        normalized = self._normalizer.normalize(text)
        kept = [token for token in self._pieces(normalized) if _patterns().letter_or_number.search(token)]
        return [self._stem(token) for token in kept] if self._stemming else kept

    def stems(self, words: list[str]) -> list[str]:
        """Return the tokens that words of the letters a to z are when each is a word of the segmenter (TXT-4)."""
        return [*map(self._stemmer.stem_english, words)] if self._stemming else words

    def has_tokens(self, text: str) -> bool:
        """Return whether `tokenize` finds a token, that is, whether the text has a letter or a number.

        Raises:
            InvalidInputError: `text` is not a text, or contains a lone surrogate (UNI-2).
        """
        return _patterns().letter_or_number.search(self._normalizer.normalize(text)) is not None

    def fine_grained(self, token: str) -> list[str]:
        """Return the parts of a token, or the token itself if it has no parts (TXT-5).

        Args:
            token: a token that `tokenize` returned; a text with blanks is processed word by word.

        Raises:
            InvalidInputError: `token` is not a text, or contains a lone surrogate (UNI-2).
        """
        words = validation.text("token", token).split(" ")
        return [part for word in words if word for part in self._parts(word)]

    def frequency(self, term: str) -> int:
        """Return the number of times the term occurs in the dictionary's corpus, 0 if it is not a word (TXT-6)."""
        return self._segmenter.frequency(term)

    def tag(self, term: str) -> str:
        """Return the term's part of speech in the dictionary, "" if it has none (TXT-6)."""
        return self._segmenter.tag(term)

    def normalize(self, text: str) -> str:
        """Return the text as `tokenize` reads it (TXT-1)."""
        return self._normalizer.normalize(text)

    def _pieces(self, text: str) -> Iterator[str]:
        """Yield runs of letters that the segmenter would break up, and the segmenter's words of the text between."""
        if text.isascii() or not _patterns().foreign.search(text):
            yield from self._segmenter.cut(text)
            return
        start = 0
        for run in _patterns().run.finditer(text):
            if _is_foreign(run.group()):
                yield from self._segmenter.cut(text[start : run.start()])
                yield run.group()
                start = run.end()
        yield from self._segmenter.cut(text[start:])

    def _stem(self, token: str) -> str:
        return self._stemmer.stem_english(token) if _ENGLISH_WORD.fullmatch(token) else token

    def _parts(self, word: str) -> list[str]:
        if "/" in word:
            return [piece for piece in word.split("/") if piece] or [word]
        if len(word) < _SHORTEST_DIVIDED or _NOT_DIVIDED.fullmatch(word) or _is_foreign_run(word):
            return [word]
        route = self._segmenter.best_route_without_whole(word)
        if all(len(piece) == 1 for piece in route):
            return [word]
        return self._segmenter.rejoin_latin(route)


class _TokenPatterns:
    """Regular expressions over the classes of UNI-1, each made when it is first needed."""

    @cached_property
    def letter_or_number(self) -> re.Pattern[str]:
        return re.compile(f"[{character_class('LETTER').pattern}{character_class('NUMBER').pattern}]")

    @cached_property
    def run(self) -> re.Pattern[str]:
        return re.compile(f"[{character_class('ALPHABETIC').pattern}{character_class('DIGIT').pattern}]+")

    @cached_property
    def foreign(self) -> re.Pattern[str]:
        return re.compile(f"(?![\\0-\\x7f])[{character_class('ALPHABETIC').pattern}]")


@cache
def _patterns() -> _TokenPatterns:
    return _TokenPatterns()


def _is_foreign(run: str) -> bool:
    return not run.isascii() and _patterns().foreign.search(run) is not None


def _is_foreign_run(word: str) -> bool:
    """Return whether the word is a run of TXT-4: all letters, marks and digits, with one outside ASCII."""
    return not word.isascii() and _patterns().run.fullmatch(word) is not None and _is_foreign(word)

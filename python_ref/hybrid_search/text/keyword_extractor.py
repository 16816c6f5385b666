"""Extracts keywords by TF-IDF (TXT-8), as `jieba.analyse.extract_tags` does, with identifiers and their parts."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from hybrid_search.base import validation
from hybrid_search.base.characters import character_class
from hybrid_search.text import stop_words as known_stop_words
from hybrid_search.text.idf_table import IdfTable
from hybrid_search.text.keyword_tokenizer import KeywordTokenizer

OPTIONS = ("identifiers", "stop_words", "user_dictionary")

_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


@dataclass(frozen=True)
class Keywords:
    """The keywords of a text.

    Attributes:
        words: by falling weight, equal weights in the order of the text; no repeats.
        weights: the weight of each word, above 0.
        parts: the parts of the words, in the order of the words, then the capital letters and digits that were single
            tokens in the text; no repeats, and no word of `words`.
    """

    words: tuple[str, ...]
    weights: tuple[float, ...]
    parts: tuple[str, ...]

    @property
    def terms(self) -> tuple[str, ...]:
        """The words, followed by the parts."""
        return self.words + self.parts


class KeywordExtractor:
    """Finds the keywords of a text.

    Several threads may extract at once. Words should be added before the first call.
    """

    @validation.known_options(OPTIONS)
    def __init__(
        self,
        identifiers: bool = True,
        stop_words: Sequence[str] | None = None,
        user_dictionary: str | os.PathLike[str] | None = None,
    ) -> None:
        """Make an extractor.

        Args:
            identifiers: whether numbers and identifiers are words with parts (TXT-7). Without them, and with jieba's
                stop words, the words are those of `jieba.analyse.extract_tags`.
            stop_words: words that are not keywords, ASCII case ignored; `None` takes `stop_words.default_words()`.
            user_dictionary: a file of words that stay whole, see `load_user_dict`.

        Raises:
            ConfigurationError: the user dictionary cannot be read.
            InvalidInputError: an option is unknown or has the wrong type.
        """
        self._tokenizer = KeywordTokenizer(identifiers=identifiers, user_dictionary=user_dictionary)
        self._identifiers = identifiers
        given = known_stop_words.default_words() if stop_words is None else validation.texts("stop_words", stop_words)
        self._stop_words = frozenset(map(_lower, given))

    @validation.known_options(("limit",))
    def extract(self, text: str, limit: int | None = 10) -> Keywords:
        """Return the keywords of a text.

        The weight of a word is count · (idf / number of all tokens that count as words).

        Args:
            text: any text.
            limit: maximum number of words; `None` and 0 return all.

        Raises:
            InvalidInputError: an argument is not acceptable, or an option is unknown.
        """
        limit = None if limit is None else validation.integer("limit", limit, 0)
        tokens = Counter(self._tokenizer.tokenize(text))
        counts = self._counts(tokens)
        table = IdfTable.shared()
        total = float(sum(counts.values()))  # whole numbers
        weighed = [(word, count * (table.idf(word) / total)) for word, count in counts.items()]
        weighed = sorted(weighed, key=lambda pair: -pair[1])[: limit or None]
        words = tuple(word for word, _ in weighed)
        return Keywords(words, tuple(weight for _, weight in weighed), self._parts(words, tokens))

    @validation.known_options(("frequency", "tag"))
    def add_word(self, word: str, frequency: int | None = None, tag: str | None = None) -> None:
        """Add a word that stays whole, and is a keyword even if it is short or a stop word.

        Args:
            word: the word, not empty.
            frequency: from 0 to `MAXIMUM_FREQUENCY`, for the segmenter; `None` takes one that makes the word likely; 0
                removes the word.
            tag: its part of speech.

        Raises:
            InvalidInputError: an argument is not acceptable, or an option is unknown.
        """
        self._tokenizer.add_word(word, frequency, tag)

    def load_user_dict(self, path: str | os.PathLike[str]) -> None:
        """Add the words of a file in jieba's format: one word a line, with an optional frequency and tag.

        Raises:
            ConfigurationError: the file cannot be read, is not UTF-8, or has a frequency out of range.
            InvalidInputError: `path` is not a text.
        """
        self._tokenizer.load_user_dict(path)

    def _counts(self, tokens: Mapping[str, int]) -> Mapping[str, int]:
        """Return the count of each word that may be a keyword, in text order; identifiers make it ignore ASCII case."""
        is_long = _long().search
        long = {token: count for token, count in tokens.items() if is_long(token) or self._is_user_word(token)}
        kept = {token: count for token, count in long.items() if not self._is_stop_word(token)}
        if not self._identifiers:
            return kept
        spellings: dict[str, str] = {}
        merged: dict[str, int] = {}
        for token, count in (kept or long).items():
            word = spellings.setdefault(_lower(token), token)
            merged[word] = merged.get(word, 0) + count
        return merged

    def _parts(self, words: Sequence[str], tokens: Iterable[str]) -> tuple[str, ...]:
        if not self._identifiers:
            return ()
        found = [part for word in words for part in self._tokenizer.parts(word)]
        found += [token for token in tokens if self._tokenizer.is_lone(token)]
        known = set(words)
        return tuple(part for part in dict.fromkeys(found) if part not in known and not self._is_stop_word(part))

    def _is_user_word(self, token: str) -> bool:
        return self._tokenizer.is_user_word(token)

    def _is_stop_word(self, token: str) -> bool:
        return _lower(token) in self._stop_words and not self._is_user_word(token)


@cache
def _long() -> re.Pattern[str]:
    """Return a pattern for two characters or more, not counting white space at both ends."""
    white = character_class("WHITE").pattern
    return re.compile(f"[^{white}][{white}]*[^{white}]")


def _lower(word: str) -> str:
    """Return the word with the capital letters of ASCII in lower case."""
    return word.lower() if word.isascii() else word.translate(_ASCII_LOWER)

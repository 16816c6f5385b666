"""Weighs the terms of a question (TW-1 … TW-9)."""

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.base import characters, numeric, validation
from hybrid_search.errors import ConfigurationError, InvalidInputError
from hybrid_search.query_builder import term_files, words
from hybrid_search.text import function_tokenizer
from hybrid_search.text.function_tokenizer import Cut
from hybrid_search.text.tokenizer import Tokenizer, TokenizerLike

LETTER_FREQUENCIES = (300, 212, 150, 106, 75, 53, 38, 27, 19, 13, 10)
"""`round-half-even(300 / 2^(k/2))`, at least 10, for k = 0 …: the frequency of a word of 3 + k letters (TW-2)."""

FREQUENCY_TOTAL = 1e7
DOCUMENT_FREQUENCY_TOTAL = 1e9

ENTITY_WEIGHTS: Mapping[str, float] = {
    "toxic": 2.0, "func": 1.0, "corp": 3.0, "loca": 3.0, "sch": 3.0, "stock": 3.0, "firstnm": 1.0,
}  # fmt: skip
TAG_WEIGHTS: Mapping[str, float] = {"r": 0.3, "c": 0.3, "d": 0.3, "ns": 3.0, "nt": 3.0, "n": 2.0}

NUMERIC = re.compile(r"[0-9. -]{2,}")
NUMBER_ENTITY = re.compile(r"[0-9,.]{2,}")
SHORT_LETTERS = re.compile(r"[a-z]{1,2}")
TAG_OF_NUMBER = re.compile(r"[0-9-]")
ONE_DIGIT = re.compile(r"[0-9]")
SINGLE = re.compile(r"[0-9a-z]{1,2}")
STARTS_ALPHANUMERIC = re.compile(r"[0-9A-Za-z]")
ENDS_WITH_LETTER = re.compile(r"[A-Za-z]\Z")
NO_LETTERS = " .-"

MOST_JOINED = 4
LEAST_FREQUENCY = 10
"""The lowest frequency of a word of the dictionary (TW-2)."""
JOINED_OF_A_LONGER_RUN = 2


class TermWeight:
    """Weighs terms by dictionary frequency, document frequency, named entity and part of speech.

    Args:
        tokenizer: returns tokens, fine-grained parts, frequencies and tags; default: a `Tokenizer`.
        document_frequencies: a mapping term → count, or the path of a file of lines `term<tab>count` (TW-3).
        entities: a mapping term → class, or the path of a JSON file with such an object (TW-4).
        unknown: nothing; names given here are refused with the nearest option.

    Raises:
        ConfigurationError: a table is malformed, or its file is missing or unreadable.
        InvalidInputError: an option is unknown.
    """

    @validation.known_options(("tokenizer", "document_frequencies", "entities"))
    def __init__(
        self,
        tokenizer: TokenizerLike | Cut | None = None,
        document_frequencies: Mapping[str, int] | str | os.PathLike[str] | None = None,
        entities: Mapping[str, str] | str | os.PathLike[str] | None = None,
    ) -> None:
        self.tokenizer: TokenizerLike = (
            Tokenizer() if tokenizer is None else function_tokenizer.accept("tokenizer", tokenizer)
        )
        self._document_frequencies = (
            {} if document_frequencies is None else term_files.counts("document_frequencies", document_frequencies)
        )
        self._entities = {} if entities is None else _entity_classes(entities)
        self._most_entity_words = 1 + max((term.count(" ") for term in self._entities), default=0)
        self._stop_words = frozenset(words.word_list("stop_words"))
        self._leading_punctuation = words.character_set("leading_punctuation")
        letters = "".join(characters.character_class(name).pattern for name in ("LATIN", "GREEK", "CYRILLIC"))
        self._alphabetic = re.compile(f"[{letters} .\\-]+")

    @validation.known_options(("preprocess",))
    def weights(self, tokens: Sequence[str], preprocess: bool = True) -> list[tuple[str, float]]:
        """Return the terms and their weights, which sum to 1 (TW-1).

        Args:
            tokens: tokens; with `preprocess`, texts that are first pre-tokenised and merged (TW-9).
            preprocess: whether to pre-tokenise and merge.

        Returns:
            (term, weight above 0) in the order of the tokens; an empty list if no term has weight.

        Raises:
            InvalidInputError: an argument has another type, or an option is unknown.
        """
        given = validation.texts("tokens", tokens)
        if validation.boolean("preprocess", preprocess):
            terms = [term for text in given for term in self.merge(self.pretokenize(text, numbers=True))]
        else:
            terms = given
        raw = self._raw_weights(terms)
        total = numeric.sum_left(raw)
        if total == 0.0:
            return []
        return [(term, weight / total) for term, weight in zip(terms, raw, strict=True)]

    @validation.known_options(("numbers",))
    def pretokenize(self, text: str, numbers: bool = False) -> list[str]:
        """Return the tokens of a text without stop words and punctuation (TW-6).

        Args:
            text: any text.
            numbers: whether to include tokens that are one digit.
        """
        keep_digits = validation.boolean("numbers", numbers)
        return [
            token
            for token in self.tokenizer.tokenize(validation.text("text", text))
            if token
            and token not in self._stop_words
            and token[0] not in self._leading_punctuation
            and (keep_digits or not ONE_DIGIT.fullmatch(token))
        ]

    def merge(self, tokens: Sequence[str]) -> list[str]:
        """Join neighbouring single characters into terms, with a blank between them (TW-7)."""
        given = validation.texts("tokens", tokens)
        merged: list[str] = []
        index = 0
        if len(given) > 1 and _is_single(given[0]) and _is_long_word(given[1]):
            merged.append(f"{given[0]} {given[1]}")
            index = 2
        while index < len(given):
            end = index
            last = min(len(given), index + MOST_JOINED + 1)  # one more tells that the run is longer
            while end < last and _is_single(given[end]) and given[end] not in self._stop_words:
                end += 1
            if end - index > MOST_JOINED:
                end = index + JOINED_OF_A_LONGER_RUN
            elif end - index < JOINED_OF_A_LONGER_RUN:
                end = index + 1
            term = " ".join(given[index:end])
            if term:
                merged.append(term)
            index = end
        return merged

    def split(self, text: str) -> list[str]:
        """Return the pieces of a text between WHITE; neighbouring Latin words stay together (TW-8)."""
        pieces: list[list[str]] = []
        for word in characters.split_white(validation.text("text", text)):
            if pieces and self._joins(pieces[-1], word):
                pieces[-1].append(word)
            else:
                pieces.append([word])
        return [" ".join(words) for words in pieces]

    def frequency(self, term: str) -> float:
        """Return the frequency of a term in the language, at least 3 (TW-2)."""
        return self._frequencies(term)[0]

    def document_frequency(self, term: str) -> float:
        """Return the estimated number of documents that contain a term, at least 3 (TW-3)."""
        return self._frequencies(term)[1]

    def entity_weight(self, term: str) -> float:
        """Return the factor of a term's entity class (TW-4)."""
        if NUMBER_ENTITY.fullmatch(term):
            return 2.0
        if SHORT_LETTERS.fullmatch(term):
            return 0.01
        return ENTITY_WEIGHTS.get(self._entities.get(term, ""), 1.0)

    def tag_weight(self, term: str) -> float:
        """Return the factor of a term's part of speech (TW-5)."""
        tag = self.tokenizer.tag(term)
        if tag in TAG_WEIGHTS:
            return TAG_WEIGHTS[tag]
        return 2.0 if TAG_OF_NUMBER.match(tag) else 1.0

    def _raw_weights(self, terms: Sequence[str]) -> list[float]:
        return [self._raw_weight(term) for term in terms]

    def _raw_weight(self, term: str) -> float:
        count, document_count = self._frequencies(term)
        frequency = _idf(count, FREQUENCY_TOTAL)
        document_frequency = _idf(document_count, DOCUMENT_FREQUENCY_TOTAL)
        return (0.3 * frequency + 0.7 * document_frequency) * (self.entity_weight(term) * self.tag_weight(term))

    def _frequencies(self, term: str) -> tuple[float, float]:
        """Return the frequency and the document frequency of a term, for which some steps are the same (TW-2, TW-3)."""
        if NUMERIC.fullmatch(term):
            return 3.0, 5.0
        known = self.tokenizer.frequency(term)
        count = self._document_frequencies.get(term)
        frequency, document_frequency = (0.0, 0.0) if known and count is not None else self._guesses(term)
        if known:
            frequency = float(max(known, LEAST_FREQUENCY))
        if count is not None:
            document_frequency = float(count + 3)
        return frequency, document_frequency

    def _guesses(self, term: str) -> tuple[float, float]:
        """Return estimates of the frequencies of a term that is in neither table."""
        letters = self._letter_frequency(term)
        if letters is not None:
            return letters, letters
        parts = self._long_parts(term)
        if len(parts) < 2:
            return 10.0, 3.0
        frequencies, document_frequencies = zip(*map(self._frequencies, parts), strict=True)
        return max(10.0, min(frequencies) / 6.0), max(3.0, min(document_frequencies) / 6.0)

    def _letter_frequency(self, term: str) -> float | None:
        if not self._alphabetic.fullmatch(term):
            return None
        letters = len(term) - sum(map(term.count, NO_LETTERS))  # whole numbers
        if letters == 0:
            return None
        return float(LETTER_FREQUENCIES[min(max(0, letters - 3), len(LETTER_FREQUENCIES) - 1)])

    def _long_parts(self, term: str) -> list[str]:
        if len(term) < 4:
            return []
        return [part for part in self.tokenizer.fine_grained(term) if len(part) > 1]

    def _joins(self, before: Sequence[str], word: str) -> bool:
        """Return whether a word belongs to the piece of the words before it."""
        return (
            ENDS_WITH_LETTER.match(before[-1][-1]) is not None
            and ENDS_WITH_LETTER.match(word[-1]) is not None
            and self._entities.get(word) != "func"
            and not (len(before) <= self._most_entity_words and self._entities.get(" ".join(before)) == "func")
        )


def _idf(count: float, total: float) -> float:
    return numeric.log10(10.0 + (total - count + 0.5) / (count + 0.5))


def _is_single(token: str) -> bool:
    return len(token) == 1 or SINGLE.fullmatch(token) is not None


def _is_long_word(token: str) -> bool:
    return len(token) > 1 and STARTS_ALPHANUMERIC.match(token) is None


def _entity_classes(source: Any) -> dict[str, str]:
    name, table = term_files.json_object("entities", source)
    classes: dict[str, str] = {}
    for term, entity in table.items():
        try:
            classes[term] = validation.text(f"{name}[{validation.describe(term)}]", entity)
        except InvalidInputError as problem:
            raise ConfigurationError(str(problem)) from None
    return classes

"""Prepares a question before it is tokenised: spacing, question words, language (QRY-2 … QRY-4)."""

import re
from collections.abc import Iterable, Sequence

from hybrid_search.base import characters, validation
from hybrid_search.query_builder import words

LETTERS_THEN_HAN = re.compile("([A-Za-z][0-9]*)(?=[\u4e00-\u9fa5])")
HAN_THEN_LETTER = re.compile("([\u4e00-\u9fa5])(?=[A-Za-z])")
BLANKS = re.compile("[ \t]+")
LETTERS = re.compile("[A-Za-z]+")

MOST_PIECES_OF_CHINESE = 3
LEAST_SHARE_OF_CHINESE = 0.7
CONTRACTIONS = ("'re", "'s")


def _ignoring_case(word: str) -> str:
    """Return a pattern for a word that ignores the case of ASCII letters, but of no others."""
    return "".join(
        f"[{character}{character.upper()}]" if "a" <= character <= "z" else re.escape(character) for character in word
    )


def _any_of(names: Sequence[str]) -> str:
    """Return a pattern for the first of these words that a text contains.

    It checks the first character before it tries the words. Words with different first characters exclude each other,
    so only the order within a group matters.
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(name[0], []).append(_ignoring_case(name[1:]))
    first = "".join(f"{re.escape(character)}{re.escape(character.upper())}" for character in groups)
    words_of = (f"{_ignoring_case(character)}(?:{'|'.join(rest)})" for character, rest in groups.items())
    return f"(?=[{first}])(?:{'|'.join(words_of)})"


def _character_class(points: Iterable[str]) -> str:
    return "[" + "".join(f"\\u{ord(point):04x}" for point in sorted(points)) + "]"


_SEPARATOR = _character_class(words.character_set("query_separators"))
# A run of separators, except for a single blank, which stays as it is.
SEPARATORS = re.compile(f"(?! ){_SEPARATOR}+| {_SEPARATOR}+")
# `是*(?:…)是*`: a match begins at the start of a run of 是, so a long run is not tried from each of its positions.
CHINESE_QUESTION_WORDS = re.compile(f"(?:(?<!是)是+)?(?:{_any_of(words.word_list('question_words_chinese'))})是*")
ENGLISH_QUESTION_WORDS = re.compile(
    rf"(?:\A| )(?:{_any_of(words.word_list('question_words_english'))})(?:{_any_of(CONTRACTIONS)})? "
)
FILLER_WORDS = re.compile(rf"(?:\A| )(?:{_any_of(words.word_list('filler_words'))}) ")


def is_blank(question: str) -> bool:
    """Return whether a question is blank: it contains only WHITE and U+0000 (RET-6)."""
    return not characters.strip(question.replace("\0", " "))


def separate_scripts(text: str) -> str:
    """Insert blanks between Latin and Han, in the text as typed (QRY-2 a)."""
    given = validation.text("text", text)
    if given.isascii():
        return given
    spaced = LETTERS_THEN_HAN.sub(r"\1 ", given)
    return HAN_THEN_LETTER.sub(r"\1 ", spaced)


def fold_separators(text: str) -> str:
    """Replace each run of separating punctuation with one blank (QRY-2 c)."""
    return SEPARATORS.sub(" ", validation.text("text", text))


def remove_question_words(text: str) -> str:
    """Return the text without question words and fillers; each pattern is applied once to the whole text (QRY-3).

    If nothing is left of the text, it is returned unchanged.
    """
    given = validation.text("text", text)
    left = given if given.isascii() else CHINESE_QUESTION_WORDS.sub("", given)
    left = ENGLISH_QUESTION_WORDS.sub(" ", left)
    left = FILLER_WORDS.sub(" ", left)
    return left or given


def is_chinese(text: str) -> bool:
    """Return whether the text takes the Chinese path (QRY-4)."""
    pieces = BLANKS.split(validation.text("text", text))
    if len(pieces) <= MOST_PIECES_OF_CHINESE:
        return True
    others = sum(1 for piece in pieces if not LETTERS.fullmatch(piece))
    return others / len(pieces) >= LEAST_SHARE_OF_CHINESE

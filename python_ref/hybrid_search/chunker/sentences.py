"""Splits text into sentences and clauses (CHK-4), by the table `data/sentences.json`."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from hybrid_search.base import characters, data_table
from hybrid_search.base.characters import character_class

LOOK_BACK = 16
"""The maximum number of code points before the end of a sentence in which its last word is searched."""

_LOWER = re.compile(r"[a-z]")
_DIGIT = re.compile(r"[0-9]")
_INITIALS = re.compile(r"[A-Za-z](?:\.[A-Za-z])*")
_NUMBERING = re.compile(r"[0-9]+(?:\.[0-9]+)*")
_FULL_STOP = "."


class _SentencePatterns:
    """Expressions built from the table and from the classes of UNI-1."""

    def __init__(self) -> None:
        table = data_table.read("sentences.json")
        white, mark = character_class("WHITE").pattern, character_class("MARK").pattern
        enders, clauses = _inside(table["enders"]), _inside(table["clause_enders"])
        tail = _inside(table["closers"]) + mark
        self.sentences = re.compile(f"([^{enders}]*)([{enders}][{enders}{tail}]*)|([^{enders}]+)")
        self.clauses = re.compile(f"([^{clauses}]*)([{clauses}][{clauses}{tail}]*)|([^{clauses}]+)")
        self.chinese_ender = re.compile(f"[{_inside(table['chinese_enders'])}]")
        self.chinese_clause_ender = re.compile(f"[{_inside(table['chinese_clause_enders'])}]")
        self.han_or_kana = re.compile(f"[{character_class('HAN').pattern}{character_class('KANA').pattern}]")
        self.white = re.compile(f"[{white}]")
        self.not_white = re.compile(f"[^{white}]")
        self.last_word = re.compile(f"[^{white}{_inside(table['openers'])}]*\\Z")
        self.abbreviations = frozenset(table["abbreviations"])
        self.before_numbers = frozenset(table["abbreviations_before_numbers"])


@cache
def _patterns() -> _SentencePatterns:
    return _SentencePatterns()


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; their concatenation is the text."""
    return _Sentences(_split(_patterns().sentences, text)).found()


def clauses(text: str) -> list[str]:
    """Return the clauses of a text, which end with a comma, a colon or a semicolon; their concatenation is the text."""
    patterns = _patterns()
    pieces = _split(patterns.clauses, text)
    found: list[list[str]] = [[]]
    for index, (body, ender) in enumerate(pieces):
        found[-1].append(body + ender)
        if index + 1 < len(pieces):
            following = pieces[index + 1][0]
            if patterns.chinese_clause_ender.search(ender) or patterns.white.match(following):
                found.append([])
    return ["".join(parts) for parts in found]


class _Sentences:
    """Joins pieces into sentences at sentence-ending punctuation.

    Args:
        pieces: each is a text without enders, with the enders and closers that follow it.
    """

    def __init__(self, pieces: Sequence[tuple[str, str]]) -> None:
        self._pieces = pieces
        self._patterns = _patterns()

    def found(self) -> list[str]:
        """Return the sentences."""
        found: list[str] = []
        parts: list[str] = []
        recent = ""
        length = 0
        for index, (body, ender) in enumerate(self._pieces):
            parts.append(body + ender)
            recent = (recent + body + ender)[-LOOK_BACK:]
            length += len(body) + len(ender)
            if index + 1 == len(self._pieces) or self._ends(body, ender, recent, length, self._pieces[index + 1][0]):
                found.append("".join(parts))
                parts = []
                recent = ""
                length = 0
        return found

    def _ends(self, body: str, ender: str, recent: str, length: int, following: str) -> bool:
        """Return whether a sentence ends with these enders.

        Args:
            body: the text between the previous enders and these.
            ender: the enders and closers.
            recent: the last code points of the sentence so far.
            length: its length.
            following: the text up to the next enders; not empty.
        """
        if self._patterns.chinese_ender.search(ender):
            return True
        if not self._patterns.white.match(following):
            chinese = self._patterns.han_or_kana
            return chinese.match(body[-1:]) is not None and chinese.match(following) is not None
        found = self._patterns.not_white.search(following)
        after = found.group() if found else ""
        if _LOWER.match(after):
            return False
        return ender != _FULL_STOP or not self._is_abbreviated(recent, length, after)

    def _is_abbreviated(self, recent: str, length: int, after: str) -> bool:
        """Return whether a full stop belongs to the word before it: an abbreviation, an initial, or a list number."""
        bare = recent[:-1]
        last = self._patterns.last_word.search(bare)
        word = last.group() if last else ""
        lower = "".join(chr(ord(one) + 32) if "A" <= one <= "Z" else one for one in word)
        if _INITIALS.fullmatch(word) or lower in self._patterns.abbreviations:
            return True
        if lower in self._patterns.before_numbers:
            return _DIGIT.match(after) is not None
        return length <= LOOK_BACK and _NUMBERING.fullmatch(characters.strip(bare)) is not None


def _split(pattern: re.Pattern[str], text: str) -> list[tuple[str, str]]:
    return [(found[3], "") if found[3] is not None else (found[1], found[2]) for found in pattern.finditer(text)]


def _inside(listed: Any) -> str:
    """Return characters as the inside of a regular expression's brackets."""
    return "".join(map(re.escape, listed))

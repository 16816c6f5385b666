"""Sentences with the matched keywords marked (DOC-4)."""

import re
from collections.abc import Sequence

from hybrid_search.base.characters import strip
from hybrid_search.text import stop_words

ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
JOINER = "..."
TAGS = ("<em>", "</em>")
SHORTEST_PREFIX = 3

_ASCII_LOWER = {point: point + 32 for point in range(0x41, 0x5B)}
_SENTENCE = re.compile(r"(?:[^。！？!?；;\n.]|\.(?! ))*(?:[。！？!?；;\n]|\. |\Z)")
_WORD_START = "(?<![0-9a-z])"
_WORD_END = "(?![0-9a-z])"


class Highlight:
    """Marks keywords in stored texts.

    The case of ASCII letters is ignored. If several keywords begin at one position, the longest is marked; marks do not
    overlap. A keyword that begins with an ASCII letter or digit matches only at the start of a run of such letters and
    digits. One of fewer than three characters that ends with such a letter or digit matches only at the end of a run.
    So "art" is marked in "arts" but not in "cart", and "a" is not marked in "arts".

    Chinese stop words are not marked, unless there are no other keywords.

    Args:
        keywords: the keywords to mark; WHITE around them is removed, and empty ones are ignored.
        tags: the texts before and after a keyword.
    """

    def __init__(self, keywords: Sequence[str], tags: tuple[str, str] = TAGS) -> None:
        lowered = {strip(keyword).translate(_ASCII_LOWER) for keyword in keywords} - {""}
        if not all(map(str.isascii, lowered)):
            lowered = lowered - stop_words.chinese_words() or lowered
        ordered = sorted(lowered, key=lambda keyword: (-len(keyword), keyword))
        self._tags = tags
        self._pattern = re.compile("|".join(_pattern(keyword) for keyword in ordered)) if ordered else None

    def mark(self, text: str) -> str | None:
        """Return the sentences with a keyword, escaped for HTML, with `<em>` around keywords; `None` without a match.

        A sentence ends after 。！？!?；; or a line feed, or after a full stop followed by a blank. WHITE around
        sentences is removed; they are joined by `...`.
        """
        if self._pattern is None:
            return None
        marked = []
        for sentence in _sentences(text):
            sentence_marked = self.mark_piece(sentence)
            if sentence_marked is not None:
                marked.append(sentence_marked)
        return JOINER.join(marked) if marked else None

    def mark_piece(self, sentence: str) -> str | None:
        """Return a whole text, escaped for HTML, with its keywords marked; `None` without a match."""
        if self._pattern is None:
            return None
        before, after = self._tags
        pieces = []
        end = 0
        for found in self._pattern.finditer(sentence.translate(_ASCII_LOWER)):
            pieces.append(_escape(sentence[end : found.start()]))
            pieces.append(f"{before}{_escape(sentence[found.start() : found.end()])}{after}")
            end = found.end()
        if not pieces:
            return None
        pieces.append(_escape(sentence[end:]))
        return "".join(pieces)


def raw_sentences(text: str) -> list[str]:
    """Return the sentences of a text with all that is between them; joined they are the text."""
    return _SENTENCE.findall(text)


def _sentences(text: str) -> list[str]:
    return [sentence for sentence in map(strip, _SENTENCE.findall(text)) if sentence]


def _pattern(keyword: str) -> str:
    start = _WORD_START if re.match("[0-9a-z]", keyword) else ""
    whole = len(keyword) < SHORTEST_PREFIX and re.search(r"[0-9a-z]\Z", keyword)
    return start + re.escape(keyword) + (_WORD_END if whole else "")


def _escape(text: str) -> str:
    return "".join(ENTITIES.get(character, character) for character in text)

"""The sentences of an answer, which may be Markdown (CIT-1)."""

import dataclasses
import re

from hybrid_search.base.characters import strip

SHORTEST = 5
"""The minimum number of code points in a sentence; a shorter one has no sources."""

_CODE = re.compile("(`{3,})")
_ENDER = re.compile(r"((?<!\|)[。？！!；،؛؟۔\n]|(?<=[^A-Z.| \t\n])[.?;](?=[ \n]|\Z))")


@dataclasses.dataclass(frozen=True)
class AnswerSentence:
    """One sentence of an answer, without its ender and without WHITE around it.

    Attributes:
        start: the number of code points before it.
        text: the sentence.
    """

    start: int
    text: str

    @property
    def end(self) -> int:
        """The place after its last code point."""
        return self.start + len(self.text)


def answer_sentences(answer: str) -> list[AnswerSentence]:
    """Return the sentences of an answer that may have sources; those in code have none.

    Code begins with three or more backticks and ends with at least as many, or with the answer.
    """
    found: list[AnswerSentence] = []
    place = 0
    fence = 0
    for index, piece in enumerate(_CODE.split(answer)):
        if index % 2 == 0:
            found += _cut(piece, place) if fence == 0 else []
        elif fence == 0:
            fence = len(piece)
        elif len(piece) >= fence:
            fence = 0
        place += len(piece)
    return found


def _cut(stretch: str, place: int) -> list[AnswerSentence]:
    """Return the sentences of a part without code that begins at a place."""
    found = []
    for index, piece in enumerate(_ENDER.split(stretch)):
        text = strip(piece) if index % 2 == 0 else ""
        if len(text) >= SHORTEST:
            found.append(AnswerSentence(place + piece.index(text), text))
        place += len(piece)
    return found

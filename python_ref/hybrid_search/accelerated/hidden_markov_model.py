"""Guesses words in runs of characters that the dictionary cuts into single characters (TXT-2): jieba's `finalseg`.

Every Han character is the beginning (B), middle (M) or end (E) of a word, or a word of its own (S); Viterbi's algorithm
finds the most probable labels. Probabilities are logarithms, those of jieba's tables.
"""

import re
from functools import cache
from typing import NamedTuple

_HAN = re.compile("([\u4e00-\u9fd5]+)")
_SKIP = re.compile(r"([a-zA-Z0-9]+(?:\.[0-9]+)?%?)")

# The states whose best predecessor is the second of two: S before B, M before M, M before E, S before S.
_B_AFTER_S = 1
_M_AFTER_M = 2
_E_AFTER_M = 4
_S_AFTER_S = 8


class _Parameters(NamedTuple):
    """The probabilities.

    Attributes:
        start: those of the first label, B or S; a run never begins with M or E.
        steps: those of one label after another: E→B, S→B, B→M, M→M, B→E, M→E, E→S, S→S.
        emissions: those of each character for B, M, E, S.
        never: those of a character that jieba's tables do not contain.
    """

    start: tuple[float, float]
    steps: tuple[float, ...]
    emissions: dict[str, tuple[float, ...]]
    never: tuple[float, ...]


class HiddenMarkovModel:
    """jieba's model with its own set of forced splits, of which jieba has one for the whole process.

    Args:
        force_split: words that are never joined; read at every cut.
    """

    def __init__(self, force_split: set[str]) -> None:
        self._force_split = force_split

    def cut(self, text: str) -> list[str]:
        """Return the words of a run of characters of the segmenter's blocks; joined, they are the run."""
        words: list[str] = []
        for index, piece in enumerate(_HAN.split(text)):
            if index % 2 == 0:
                words += [part for part in _SKIP.split(piece) if part]
            elif len(piece) == 1:
                words.append(piece)
            else:
                start = 0
                for end in self.word_ends(piece):
                    word = piece[start:end]
                    words += word if word in self._force_split else (word,)
                    start = end
        return words

    @staticmethod
    def word_ends(text: str) -> list[int]:
        """Return the exclusive ends of the words of a run of two or more Han characters."""
        choices, joined = _label(text)
        ends = [len(text)]
        state = "E" if joined else "S"
        for position in range(len(text) - 1, 0, -1):
            bits = choices[position - 1]
            if state == "S":
                state = "S" if bits & _S_AFTER_S else "E"
                ends.append(position)
            elif state == "E":
                state = "M" if bits & _E_AFTER_M else "B"
            elif state == "M":
                state = "M" if bits & _M_AFTER_M else "B"
            else:
                state = "S" if bits & _B_AFTER_S else "E"
                ends.append(position)
        ends.reverse()
        return ends


def _label(text: str) -> tuple[list[int], bool]:
    """Return the best predecessors for each position but the first, and whether the last label is E.

    This is Viterbi's algorithm.

    Of equal probabilities the label that is later in the alphabet wins, as in jieba, which compares pairs of
    probability and label. A run never begins with M or E, so the second character only looks back at B and S. If M or E
    are as probable at first because B and S do not occur either, the words are the same.
    """
    start, (e_to_b, s_to_b, b_to_m, m_to_m, b_to_e, m_to_e, e_to_s, s_to_s), emissions, never = _parameters()
    of_b, _, _, of_s = emissions.get(text[0], never)
    b, s = start[0] + of_b, start[1] + of_s
    of_b, of_m, of_e, of_s = emissions.get(text[1], never)
    b, m, e, s = s + s_to_b + of_b, b + b_to_m + of_m, b + b_to_e + of_e, s + s_to_s + of_s
    choices = [_B_AFTER_S | _S_AFTER_S]
    for character in text[2:]:
        of_b, of_m, of_e, of_s = emissions.get(character, never)
        bits = 0
        next_b, other = e + e_to_b + of_b, s + s_to_b + of_b
        if other >= next_b:
            next_b, bits = other, _B_AFTER_S
        next_m, other = b + b_to_m + of_m, m + m_to_m + of_m
        if other >= next_m:
            next_m, bits = other, bits | _M_AFTER_M
        next_e, other = b + b_to_e + of_e, m + m_to_e + of_e
        if other >= next_e:
            next_e, bits = other, bits | _E_AFTER_M
        next_s, other = e + e_to_s + of_s, s + s_to_s + of_s
        if other >= next_s:
            next_s, bits = other, bits | _S_AFTER_S
        b, m, e, s = next_b, next_m, next_e, next_s
        choices.append(bits)
    return choices, e > s


@cache
def _parameters() -> _Parameters:
    from hybrid_search.text.jieba import jieba

    model = jieba.finalseg
    never: float = model.MIN_FLOAT
    steps = tuple(
        model.trans_P[left].get(right, never) for left, right in ("EB", "SB", "BM", "MM", "BE", "ME", "ES", "SS")
    )
    characters = sorted(set().union(*(model.emit_P[state] for state in "BMES")))
    emissions = {
        character: tuple(model.emit_P[state].get(character, never) for state in "BMES") for character in characters
    }
    return _Parameters((model.start_P["B"], model.start_P["S"]), steps, emissions, (never,) * 4)

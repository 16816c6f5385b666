"""Cuts text into words as jieba does (TXT-2, TXT-5), with jieba's tables and its own route finder."""

import re
from collections.abc import Iterable
from operator import add

from hybrid_search.accelerated.hidden_markov_model import HiddenMarkovModel
from hybrid_search.accelerated.route_finder import RouteFinder
from hybrid_search.text.dictionary import Dictionary
from hybrid_search.text.segmenter import Segmenter

_BLOCK = re.compile("([\u4e00-\u9fd5a-zA-Z0-9+#&._%-]+)")
_OUTSIDE = re.compile("\r\n|.", re.DOTALL)
_LETTERS = re.compile("[A-Za-z]{2,}")


class FastCutter:
    """Cuts with the words that a dictionary contains at the time of the call.

    Args:
        dictionary: frequencies, their total, and forced splits.
    """

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._finder = RouteFinder(dictionary)
        self._model = HiddenMarkovModel(dictionary.force_split)

    def cut(self, text: str, hmm: bool) -> list[str]:
        """Return the words of a text in their order (TXT-2)."""
        cut_block = self._cut_with_model if hmm else self._cut_without_model
        words: list[str] = []
        for index, piece in enumerate(_BLOCK.split(text)):
            if index % 2:
                words += cut_block(piece)
            else:
                words += _OUTSIDE.findall(piece) if len(piece) > 1 else piece
        return words

    def best_route_without_whole(self, token: str) -> list[str]:
        """Return the words of the most probable route without the edge that spans the whole token (TXT-5)."""
        return _pieces(token, self._finder.ends(token, whole=False))

    def _cut_with_model(self, block: str) -> list[str]:
        """Return the words of a block of Han characters, letters and digits.

        A block in which no dictionary word of several characters can begin needs no route: single characters form a
        run, and the model leaves runs of letters whole. Most English words are such blocks.
        """
        known = self._dictionary.words_in(block)
        if not any(map(known.__contains__, map(add, block, block[1:]))):
            return [block] if _LETTERS.fullmatch(block) else [*self._singles(block)]
        words: list[str] = []
        ends = self._finder.ends(block)
        start = single = 0
        while start < len(block):
            end = ends[start]
            if end > start + 1:
                words += self._singles(block[single:start])
                words.append(block[start:end])
                single = end
            start = end
        words += self._singles(block[single:])
        return words

    def _singles(self, run: str) -> Iterable[str]:
        """Return the run if it is in the dictionary, otherwise the model's words; the route left single characters."""
        return run if len(run) < 2 or self._dictionary.words_in(run[:1]).get(run) else self._model.cut(run)

    def _cut_without_model(self, block: str) -> list[str]:
        return Segmenter.rejoin_latin(_pieces(block, self._finder.ends(block)))


def _pieces(text: str, ends: list[int]) -> list[str]:
    pieces = []
    start = 0
    while start < len(text):
        pieces.append(text[start : ends[start]])
        start = ends[start]
    return pieces

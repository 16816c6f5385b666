"""Finds the most probable way through the graph of dictionary words (TXT-2), as jieba does."""

import re
import types
from collections.abc import Iterator
from operator import add

from hybrid_search.text.dictionary import Dictionary
from hybrid_search.text.dictionary_table import jieba
from hybrid_search.text.hidden_markov_model import HiddenMarkovModel, rebound

_LETTERS = re.compile("[A-Za-z]{2,}")


class RouteFinder(jieba.Tokenizer):  # type: ignore[misc]
    """jieba's tokenizer over a `Dictionary`, without cache files, log lines or process-wide state.

    The functions that run are jieba's own; where they would use the model's process-wide set, they get the given model.
    """

    def __init__(self, dictionary: Dictionary, model: HiddenMarkovModel) -> None:
        super().__init__()
        self._of = dictionary
        cut_with_model = rebound(jieba.Tokenizer._Tokenizer__cut_DAG, {"finalseg": model})
        self._cut_with_model = types.MethodType(cut_with_model, self)
        self._Tokenizer__cut_DAG = self._cut_block
        self.initialized = True
        self.refresh()

    def refresh(self) -> "RouteFinder":
        """Take over what the dictionary holds now."""
        self.FREQ = self._of.frequencies
        self.total = self._of.total
        return self

    def ends(self, text: str, whole: bool = True) -> list[int]:
        """For each position of a text where the word that begins there ends, exclusive.

        From right to left, each position takes the word with the greatest sum of log(frequency / total) up to the
        end; of equal sums the longest word. Where no word begins, the character counts as one with frequency 1.

        Args:
            text: the text.
            whole: whether a word may be all of it; a text of one character always may.
        """
        graph = self.get_DAG(text)
        last = len(text) - 1
        if last > 0 and not whole:
            graph[0] = [end for end in graph[0] if end != last] or [0]
        route: dict[int, tuple[float, int]] = {}
        self.calc(text, graph, route)
        return [route[start][1] + 1 for start in range(len(text))]

    def _cut_block(self, block: str) -> Iterator[str]:
        """The words of a block of Han characters, letters and digits.

        Letters in which no dictionary word of several letters can begin stay together: single letters make a run, and
        the model leaves runs of letters whole. So most English words need no route.
        """
        if _LETTERS.fullmatch(block) and not any(map(self.FREQ.__contains__, map(add, block, block[1:]))):
            return iter((block,))
        words: Iterator[str] = self._cut_with_model(block)
        return words

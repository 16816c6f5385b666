"""Finds the most probable route in the graph of dictionary words (TXT-2): jieba's `get_DAG` and `calc` in one pass.

From right to left, each position takes the word with the greatest sum of log(frequency / total) up to the end; of equal
sums, the longest word. If no word begins, the character counts as a word with frequency 1.
"""

import math

from hybrid_search.text.dictionary import Dictionary


class RouteFinder:
    """Finds routes with the words that a dictionary contains at the time of the call."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary

    def ends(self, text: str, whole: bool = True) -> list[int]:
        """Return for each position of a text the exclusive end of the word that begins there.

        Args:
            text: the text, taken as one block.
            whole: whether a word may be the whole text; in a text of one character it always may.
        """
        frequency_of, log = self._dictionary.words_in(text).get, math.log
        log_total = log(self._dictionary.total)
        size = len(text)
        sums = [0.0] * (size + 1)
        ends = [0] * size
        for start in range(size - 1, -1, -1):
            last = size - 1 if start == 0 and not whole and size > 1 else size
            best, best_end = None, start + 1
            end = start + 1
            frequency = frequency_of(text[start])
            while frequency is not None:  # as long as a word may go on
                if frequency:
                    total = log(frequency) - log_total + sums[end]
                    if best is None or total >= best:
                        best, best_end = total, end
                end += 1
                if end > last:
                    break
                frequency = frequency_of(text[start:end])
            sums[start] = 0.0 - log_total + sums[start + 1] if best is None else best
            ends[start] = best_end
        return ends

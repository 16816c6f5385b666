"""Guesses words in runs of characters that the dictionary leaves single (TXT-2): jieba's `finalseg`."""

import types
from collections.abc import Iterator
from typing import Any

from hybrid_search.text.dictionary_table import jieba


class HiddenMarkovModel:
    """jieba's model with a set of forced splits of its own: jieba keeps one for the whole process."""

    def __init__(self, force_split: set[str]) -> None:
        """Make a model.

        Args:
            force_split: words that are never joined; read at every cut.
        """
        self._cut = rebound(jieba.finalseg.cut, {"Force_Split_Words": force_split})

    def cut(self, text: str) -> Iterator[str]:
        """The words of a run of characters; joined they are the text again."""
        words: Iterator[str] = self._cut(text)
        return words


def rebound(function: Any, names: dict[str, Any]) -> Any:
    """The same function, with some of its module's names meaning something else."""
    return types.FunctionType(
        function.__code__, {**function.__globals__, **names}, function.__name__, function.__defaults__
    )

"""Segments text into words with jieba itself (TXT-2, TXT-5)."""

from types import FunctionType, MethodType, SimpleNamespace
from typing import Any

from hybrid_search.text.dictionary import Dictionary
from hybrid_search.text.jieba import jieba


class Cutter:
    """Segments text with the words that a dictionary contains at the time of the call.

    Args:
        dictionary: frequencies, their total, and forced splits.
    """

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._latest: tuple[int, _PrivateJieba] | None = None

    def cut(self, text: str, hmm: bool) -> list[str]:
        """Return the words of a text in their order (TXT-2)."""
        return list(self._tokenizer().cut(text, HMM=hmm))

    def _tokenizer(self) -> "_PrivateJieba":
        """Return jieba with the words that the dictionary contains now."""
        version = self._dictionary.version
        if self._latest is None or self._latest[0] != version:
            self._latest = (version, _PrivateJieba(self._dictionary))
        return self._latest[1]

    def best_route_without_whole(self, token: str) -> list[str]:
        """Return the words of the most probable route without the edge that spans the whole token (TXT-5)."""
        tokenizer = self._tokenizer()
        last = len(token) - 1
        graph = tokenizer.get_DAG(token)
        if last > 0:
            graph[0] = [end for end in graph[0] if end != last] or [0]
        route: dict[int, tuple[float, int]] = {}
        tokenizer.calc(token, graph, route)
        words = []
        start = 0
        while start <= last:
            end = route[start][1] + 1
            words.append(token[start:end])
            start = end
        return words


class _PrivateJieba(jieba.Tokenizer):  # type: ignore[misc]
    """jieba with a dictionary and forced splits of its own; jieba itself shares the latter across the process.

    `finalseg.cut` looks the splits up in its module, and jieba looks up `finalseg.cut` in its own. Both functions
    therefore get other globals.
    """

    def __init__(self, dictionary: Dictionary) -> None:
        super().__init__()
        self.FREQ, self.total, self.initialized = dictionary.frequencies, dictionary.total, True
        model = SimpleNamespace(cut=_with(jieba.finalseg.cut, Force_Split_Words=dictionary.force_split))
        cut_with_model = _with(jieba.Tokenizer._Tokenizer__cut_DAG, finalseg=model)
        self._Tokenizer__cut_DAG = MethodType(cut_with_model, self)


def _with(function: Any, **names: Any) -> FunctionType:
    """Return a copy of the function in which some global names have other values."""
    return FunctionType(function.__code__, {**function.__globals__, **names}, function.__name__, function.__defaults__)

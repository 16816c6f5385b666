"""jieba itself, as nobody's library changed it: what the proofs compare with, and what RAGFlow's way is timed over."""

import logging
from collections.abc import Iterable
from typing import Any

from hybrid_search.text.dictionary_table import DictionaryTable
from hybrid_search.text.jieba import jieba

UserWord = tuple[str, int | None]


def plain_jieba(words: Iterable[UserWord] = ()) -> Any:
    """A tokenizer of jieba's own with user words; what jieba keeps for the whole process is that of the newest one."""
    jieba.setLogLevel(logging.ERROR)
    jieba.finalseg.Force_Split_Words.clear()
    table = DictionaryTable.shared()
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total, tokenizer.initialized = dict(table.frequencies), table.total, True
    for word, frequency in words:
        tokenizer.add_word(word, frequency)
    return tokenizer


def route_without_whole(tokenizer: Any, token: str) -> list[str]:
    """The most probable way to cut a token up, the token as a whole left out (TXT-5), by jieba's graph and route."""
    if not token:
        return []
    graph = tokenizer.get_DAG(token)
    last = len(token) - 1
    if last:
        graph[0] = [end for end in graph[0] if end != last] or [0]
    route: dict[int, tuple[float, int]] = {}
    tokenizer.calc(token, graph, route)
    pieces = []
    start = 0
    while start < len(token):
        end = route[start][1] + 1
        pieces.append(token[start:end])
        start = end
    return pieces

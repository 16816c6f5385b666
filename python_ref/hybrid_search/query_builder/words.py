"""The word lists and punctuation of the query builder, read from the generated table `data/words.json`."""

from functools import cache
from typing import Any

from hybrid_search.base import data_table


@cache
def _table() -> dict[str, Any]:
    return data_table.read("words.json")


@cache
def word_list(name: str) -> tuple[str, ...]:
    """Return the words of a list, in the order of the table: stop_words, filler_words and so on."""
    return tuple(_table()[name])


@cache
def character_set(name: str) -> frozenset[str]:
    """Return the characters of a list: leading_punctuation, part_punctuation, query_separators."""
    return frozenset(_table()[name])


def text(name: str) -> str:
    """Return the inside of a class of a regular expression: spacing_before_first, spacing_after_second."""
    return str(_table()[name])

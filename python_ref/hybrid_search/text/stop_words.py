"""The stop words of keyword extraction (TXT-8), read from the generated table `data/stop_words.json`."""

import re
from functools import cache
from typing import Any

from hybrid_search.base import data_table
from hybrid_search.base.characters import character_class


def default_words() -> tuple[str, ...]:
    """Return the words that are not keywords unless other stop words are given: Chinese and English."""
    return tuple(_table()["default"])


@cache
def chinese_words() -> frozenset[str]:
    """Return those of the default words that contain a Han character."""
    han = re.compile(f"[{character_class('HAN').pattern}]")
    return frozenset(word for word in default_words() if han.search(word))


def jieba_words() -> tuple[str, ...]:
    """Return the stop words of `jieba.analyse`: English only."""
    return tuple(_table()["jieba"])


@cache
def _table() -> dict[str, Any]:
    return data_table.read("stop_words.json")

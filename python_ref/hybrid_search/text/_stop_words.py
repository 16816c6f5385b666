"""The stop words of keyword extraction (TXT-8), read from the generated table `data/stop_words.json`."""

import json
from functools import cache
from importlib import resources
from typing import Any


def default_words() -> tuple[str, ...]:
    """The words that are not keywords unless other stop words are given: Chinese and English."""
    return tuple(_table()["default"])


def jieba_words() -> tuple[str, ...]:
    """The stop words of `jieba.analyse`: English only."""
    return tuple(_table()["jieba"])


@cache
def _table() -> dict[str, Any]:
    source = resources.files("hybrid_search").joinpath("data/stop_words.json").read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(source)
    return table

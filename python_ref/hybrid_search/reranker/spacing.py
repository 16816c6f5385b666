"""Blanks that a rerank model's text does without (RNK-2): two passes, each once from left to right without overlaps."""

import re
from functools import cache

from hybrid_search.query_builder import words


def remove_redundant(text: str) -> str:
    """The text without the blanks that follow a character other than `a-z 0-9 . , ) >`, then without those that
    precede one other than `a-z 0-9 . , ( <`; the case of ASCII letters does not matter.
    """  # noqa: D205
    after, before = _patterns()
    body = text.rstrip(" ")  # what no blank at the end can be part of; the pattern would try it from each of them
    return before.sub(r"\1\2", after.sub(r"\1\2", body) + text[len(body) :])


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    first = f"A-Z{words.text('spacing_before_first')}"
    second = f"A-Z{words.text('spacing_after_second')}"
    return re.compile(f"([^{first}]) +([^ ])"), re.compile(f"([^ ]) +([^{second}])")

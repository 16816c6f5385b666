"""Removes redundant blanks from a rerank model's text (RNK-2): two passes from left to right, without overlaps."""

import re
from functools import cache

from hybrid_search.query_builder import words


def remove_redundant(text: str) -> str:
    """Return the text without the blanks after some characters, and then without those before some.

    The blanks are those that follow a character other than `a-z 0-9 . , ) >`, then those that precede one other than
    `a-z 0-9 . , ( <`; the case of ASCII letters does not matter.
    """
    after, before = _patterns()
    body = text.rstrip(" ")  # without the blanks at the end, which cannot match; the pattern would try each
    return before.sub(r"\1\2", after.sub(r"\1\2", body) + text[len(body) :])


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    first = f"A-Z{words.text('spacing_before_first')}"
    second = f"A-Z{words.text('spacing_after_second')}"
    return re.compile(f"([^{first}]) +([^ ])"), re.compile(f"([^ ]) +([^{second}])")

"""Makes the table of Unicode's simple lower-case mappings (TXT-1) from Python's `unicodedata`."""

import sys
import unicodedata
from typing import Any

SEVERAL_CHARACTERS = {"\u0130": "i"}
"""Characters whose full lower case is more than one character → their simple lower case in UnicodeData.txt."""


def build() -> dict[str, Any]:
    """The content of `data/lowercase.json`: two texts of equal length, `upper[i]` becomes `lower[i]`."""
    pairs = [(character, _simple(character)) for character in _characters()]
    changed = [(upper, lower) for upper, lower in pairs if upper != lower]
    return {
        "unicode_version": unicodedata.unidata_version,
        "upper": "".join(upper for upper, _ in changed),
        "lower": "".join(lower for _, lower in changed),
    }


def _characters() -> list[str]:
    return [chr(point) for point in range(sys.maxunicode + 1) if not 0xD800 <= point <= 0xDFFF]


def _simple(character: str) -> str:
    lower = character.lower()
    if len(lower) == 1:
        return lower
    return SEVERAL_CHARACTERS[character]

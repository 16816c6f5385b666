"""Makes the table of character classes (UNI-1) from Python's `unicodedata`."""

import sys
import unicodedata
from collections.abc import Callable
from typing import Any

WHITE = [
    (0x09, 0x0D), (0x1C, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A),
    (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
]  # fmt: skip
HAN = [(0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3134F)]
KANA = [(0x3040, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F)]
HANGUL = [(0x1100, 0x11FF), (0x3130, 0x318F), (0xA960, 0xA97F), (0xAC00, 0xD7FF)]
NOT_ALPHABETIC = [
    *HAN, *KANA, *HANGUL, (0x3000, 0x303F), (0x3100, 0x312F), (0x31A0, 0x31BF), (0x0E00, 0x0E7F),
    (0x0E80, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF),
]  # fmt: skip

Ranges = list[tuple[int, int]]


def _ranges(member: Callable[[int], bool]) -> Ranges:
    result: Ranges = []
    for point in range(sys.maxunicode + 1):
        if 0xD800 <= point <= 0xDFFF or not member(point):
            continue
        if result and result[-1][1] == point - 1:
            result[-1] = (result[-1][0], point)
        else:
            result.append((point, point))
    return result


def _category(prefix: str) -> Callable[[int], bool]:
    return lambda point: unicodedata.category(chr(point)).startswith(prefix)


def _named(prefix: str) -> Callable[[int], bool]:
    return lambda point: _category("L")(point) and unicodedata.name(chr(point), "").startswith(prefix)


def _alphabetic(point: int) -> bool:
    return unicodedata.category(chr(point))[0] in "LM" and not any(a <= point <= b for a, b in NOT_ALPHABETIC)


def build() -> dict[str, Any]:
    """The content of `data/characters.json`."""
    return {
        "unicode_version": unicodedata.unidata_version,
        "classes": {
            "WHITE": WHITE,
            "LETTER": _ranges(_category("L")),
            "MARK": _ranges(_category("M")),
            "DIGIT": _ranges(_category("Nd")),
            "NUMBER": _ranges(_category("N")),
            "HAN": HAN,
            "KANA": KANA,
            "HANGUL": HANGUL,
            "ALPHABETIC": _ranges(_alphabetic),
            "UPPER": _ranges(_category("Lu")),
            "LOWER": _ranges(_category("Ll")),
            "LATIN": _ranges(_named("LATIN ")),
            "GREEK": _ranges(_named("GREEK ")),
            "CYRILLIC": _ranges(_named("CYRILLIC ")),
        },
    }

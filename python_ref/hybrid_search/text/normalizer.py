"""Normalises text (TXT-1): blanks for U+0000, half-width forms, lower case, simplified Chinese.

Every step maps one code point to one, so a text keeps its length and the steps fold into one table.
"""

from collections.abc import Mapping
from functools import cache

from hybrid_search.base import data_table, validation

FULL_WIDTH_FIRST = 0xFF01
FULL_WIDTH_LAST = 0xFF5E
FULL_WIDTH_OFFSET = 0xFEE0
IDEOGRAPHIC_SPACE = 0x3000


class Normalizer:
    """Converts a text into the form that is segmented and matched (TXT-1); stateless."""

    def normalize(self, text: str) -> str:
        """Apply all steps: U+0000 becomes a blank, then `half_width`, `lower` and `simplify`.

        Args:
            text: any text of valid Unicode.

        Returns:
            A text of the same number of code points.

        Raises:
            InvalidInputError: `text` is not a text, or contains a lone surrogate (UNI-2).
        """
        checked = validation.text("text", text)
        if checked.isascii():
            return checked.lower().replace("\0", " ")
        return checked.translate(_tables().everything)

    def half_width(self, text: str) -> str:
        """Turn U+3000 into a blank and U+FF01 … U+FF5E into ASCII; all other characters stay."""
        return validation.text("text", text).translate(_tables().half_width)

    def lower(self, text: str) -> str:
        """Apply Unicode's simple lower-case mapping: one code point to one, no rule for a final sigma, `İ` to `i`."""
        return validation.text("text", text).translate(_tables().lower)

    def simplify(self, text: str) -> str:
        """Convert traditional to simplified Chinese, one character to one character."""
        return validation.text("text", text).translate(_tables().simplify)


class _Tables:
    """The mappings by code point, in the form of `str.translate`."""

    def __init__(self) -> None:
        lowercase = data_table.read("lowercase.json")
        simplified = data_table.read("simplified.json")
        self.half_width: Mapping[int, str] = _half_width()
        self.lower: Mapping[int, str] = _pairs(lowercase["upper"], lowercase["lower"])
        self.simplify: Mapping[int, str] = _pairs(simplified["traditional"], simplified["simplified"])
        self.everything: Mapping[int, str] = _fold({0: " "}, self.half_width, self.lower, self.simplify)


@cache
def _tables() -> _Tables:
    return _Tables()


def _pairs(sources: str, targets: str) -> dict[int, str]:
    return {ord(source): target for source, target in zip(sources, targets, strict=True)}


def _half_width() -> dict[int, str]:
    forms = {point: chr(point - FULL_WIDTH_OFFSET) for point in range(FULL_WIDTH_FIRST, FULL_WIDTH_LAST + 1)}
    return {**forms, IDEOGRAPHIC_SPACE: " "}


def _fold(*steps: Mapping[int, str]) -> dict[int, str]:
    """Return one mapping that applies all steps in order."""

    def mapped(point: int) -> str:
        character = chr(point)
        for step in steps:
            character = step.get(ord(character), character)
        return character

    return {point: mapped(point) for step in steps for point in step}

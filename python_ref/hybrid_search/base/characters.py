r"""The character classes of UNI-1, read from the generated table `data/characters.json`.

Use these classes instead of `\w`, `\s`, `\d`, `isalpha`, `split()` and `strip()`, whose meaning differs by language.
"""

import re
from bisect import bisect_right
from functools import cache

from hybrid_search.base import data_table
from hybrid_search.errors import InvalidInputError


class CharacterClass:
    """A set of code points given as sorted, disjoint, inclusive ranges."""

    def __init__(self, name: str, ranges: list[tuple[int, int]]) -> None:
        self.name = name
        self.ranges = tuple(ranges)
        self._starts = [start for start, _ in ranges]

    def __contains__(self, character: str) -> bool:
        point = ord(character)
        index = bisect_right(self._starts, point) - 1
        return index >= 0 and point <= self.ranges[index][1]

    def without(self, other: "CharacterClass") -> "CharacterClass":
        """Return the class of the characters that are in this class and not in `other`."""
        left: list[tuple[int, int]] = []
        for start, end in self.ranges:
            index = max(bisect_right(other._starts, start) - 1, 0)
            for first, last in other.ranges[index:]:
                if first > end:
                    break
                if start < first:
                    left.append((start, first - 1))
                start = max(start, last + 1)
            if start <= end:
                left.append((start, end))
        return CharacterClass(f"{self.name} without {other.name}", left)

    @property
    def pattern(self) -> str:
        """Return the class as the inside of a regular expression's brackets."""
        return "".join(
            re.escape(chr(start)) if start == end else f"{re.escape(chr(start))}-{re.escape(chr(end))}"
            for start, end in self.ranges
        )


@cache
def _table() -> dict[str, CharacterClass]:
    classes = data_table.read("characters.json")["classes"]
    return {name: CharacterClass(name, [(start, end) for start, end in ranges]) for name, ranges in classes.items()}


def character_class(name: str) -> CharacterClass:
    """Return the class named `name`, one of the classes of UNI-1: WHITE, LETTER, HAN, ALPHABETIC and so on.

    Raises:
        InvalidInputError: no class has this name.
    """
    found = _table().get(name)
    if found is None:
        raise InvalidInputError(f"unknown character class. Known: {', '.join(_table())}")
    return found


strip = str.strip
"""The text without WHITE at both ends, *stripped* in the clauses. Python strips exactly the characters of WHITE."""

split_white = str.split
"""The pieces between runs of WHITE, without empty ones. Python splits at exactly the characters of WHITE."""

"""What a small change to a source is, and what both languages have in common for drawing some (CNF-19)."""

from dataclasses import dataclass

BOUNDARIES = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
SWAPS = {
    "and": "or", "or": "and", "&&": "||", "||": "&&", "==": "!=", "!=": "==", "+": "-", "-": "+", "+=": "-=",
    "-=": "+=", "*": "/", "//": "*", "is": "is not", "is not": "is", "in": "not in", "not in": "in", "True": "False",
    "False": "True", "true": "false", "false": "true", "min": "max", "max": "min", "any": "all", "all": "any",
    "any?": "all?", "all?": "any?", "first": "last", "last": "first", "unless": "if", "select": "reject",
    "reject": "select", "take_while": "drop_while", "floor": "ceil",
}  # fmt: skip
"""Operator, constant or name → what it is replaced by."""
LARGEST_PLACE = 9
"""Larger integers are sizes; smaller ones are places and counts."""


@dataclass(frozen=True)
class Change:
    """One change that may be made to a source.

    Attributes:
        kind: which of `table.KINDS` it is.
        does: what it makes wrong, in words.
        inside: the function that it is in, with its classes; "" outside any.
        at: where the text begins, in characters.
        old: the text that is replaced.
        new: what it is replaced by.
    """

    kind: str
    does: str
    inside: str
    at: int
    old: str
    new: str

    def apply(self, source: str) -> str:
        """Return the source with the change."""
        assert source.startswith(self.old, self.at)
        return source[: self.at] + self.new + source[self.at + len(self.old) :]


def integers(text: str, is_size: bool) -> list[tuple[str, str]]:
    """Return what may stand in the place of an integer, each with the kind of that fault.

    Args:
        text: the integer as it is written; another notation than the decimal one has no replacement.
        is_size: whether it is a named limit.
    """
    if not text.replace("_", "").isdigit():
        return []
    value = int(text)
    kind = "size" if is_size or value > LARGEST_PLACE else "one_off"
    return [(str(value + 1), kind), *([(str(value - 1), kind)] if value > 0 else [])]


def decimal(text: str) -> str:
    """Return another number in the place of a float."""
    value = float(text.replace("_", ""))
    return repr(value * 1.5) if value else "0.5"

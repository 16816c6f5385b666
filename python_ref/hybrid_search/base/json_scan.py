"""Scans JSON before anything is built from it: checks strictness and depth, and estimates the memory of its values."""

import re
from collections.abc import Callable

DEEPEST = 100
TAIL = rb"[ \t\n\r]*+[,:]?+"
CHARACTERS = (
    rb'(?>(?:[^"\\\x00-\x1F]++|\\(?:["\\/bfnrt]|u(?![Dd][89A-Fa-f])[0-9A-Fa-f]{4}'
    rb"|u[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2})){0,512})"
)
TEXT = re.compile(rb'"%b("%b)?+' % (CHARACTERS, TAIL))
MORE_TEXT = re.compile(rb'%b("%b)?+' % (CHARACTERS, TAIL))
CLOSING = re.compile(rb"[\]}]%b" % TAIL)
NUMBER = rb"-?(?>0|[1-9][0-9]{0,3999})(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+"
PLAIN = re.compile(rb"(?>(?:[ \t\n\r,:]++|(?:true|false|null|%b)(?=[ \t\n\r,:\]}]|\Z)){1,512})" % NUMBER)
BLANK_PIECE = 65_536
"""The size of the pieces in which a run of blanks is scanned, with a check after each piece."""
STEPS = 1024
"""The number of steps between two calls of `check`."""
BLANKS = b" \t\n\r"
BLANK_PLACE = 64
"""The byte at this place is examined first, which is cheaper than examining all of them."""
QUOTE = ord('"')
OPENING = b"[{"
PER_TEXT, PER_CONTAINER, PER_COMMA, PER_COLON = 56, 144, 64, 128
"""Upper bounds of memory in bytes: a text without its characters, a container, and what a comma or colon precedes."""


class JsonTooLargeError(ValueError):
    """The values of the JSON would take more memory than allowed."""


class JsonScan:
    """Scans JSON once, from left to right.

    Texts, numbers and words must conform to RFC 8259, with surrogates in pairs, whole numbers of at most 4,000 digits,
    and containers at most 100 levels deep. The parser checks the order in which they follow each other.

    Args:
        most_bytes: maximum memory of the values, plus the longest text again, since parsers unescape it in a buffer of
            its own; `None` sets no limit.
        width: maximum number of bytes that a character takes in memory.
        check: called at intervals during the scan, and may raise; `None` calls nothing.
    """

    def __init__(
        self, most_bytes: int | None = None, width: int = 1, check: Callable[[], object] | None = None
    ) -> None:
        self._most_bytes = most_bytes
        self._width = width
        self._check = check or (lambda: None)

    def scan(self, data: bytes | bytearray) -> None:
        """Scan UTF-8.

        Raises:
            JsonTooLargeError: the values would take too much memory.
            ValueError: a part is not strict JSON, or the nesting is too deep.
        """
        most = self._most_bytes
        width = self._width
        place = steps = depth = memory = longest = 0
        while place < len(data):
            byte = data[place]
            if byte == QUOTE and (match := TEXT.match(data, place)):
                end = match.end() if match.group(1) is not None else self._end_of_text(data, match.end())
                memory += PER_TEXT + PER_COLON + width * (end - place)
                longest = max(longest, width * (end - place))
            elif byte in OPENING:
                end = place + 1
                depth += 1
                memory += PER_CONTAINER
            elif match := CLOSING.match(data, place):
                end = match.end()
                depth -= 1
                memory += PER_COMMA
            elif byte in BLANKS and _begins_with_blanks(data, place):
                end = place + BLANK_PIECE
                self._check()
            elif match := PLAIN.match(data, place):
                end = match.end()
                memory += PER_COMMA * data.count(b",", place, end) + PER_COLON * data.count(b":", place, end)
            else:
                raise ValueError("not strict JSON")
            if depth > DEEPEST:
                raise ValueError("nested too deeply")
            if most is not None and memory + longest > most:
                raise JsonTooLargeError("too large")
            steps += 1
            if steps % STEPS == 0:
                self._check()
            place = end

    def _end_of_text(self, data: bytes | bytearray, place: int) -> int:
        """Return the end of a text whose beginning has been scanned."""
        while match := MORE_TEXT.match(data, place):
            self._check()
            if match.group(1) is not None:
                return match.end()
            if match.end() == place:
                break
            place = match.end()
        raise ValueError("a text that is not closed, or holds what no text may")


def _begins_with_blanks(data: bytes | bytearray, place: int) -> bool:
    """Return whether the blanks that follow fill a whole piece."""
    if place + BLANK_PIECE > len(data) or data[place + BLANK_PLACE] not in BLANKS:
        return False
    return data[place + BLANK_PIECE - 1] in BLANKS and not data[place : place + BLANK_PIECE].strip(BLANKS)

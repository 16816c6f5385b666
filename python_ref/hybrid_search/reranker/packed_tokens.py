"""Tokens as places in bytes, so that many can be compared at once."""

from typing import Any

import numpy as np
import numpy.typing as npt

BLANK = 0x20
WORD = 8
PADDING = b"." * WORD
MASKS = np.array([(1 << 8 * length) - 1 for length in range(WORD + 1)], dtype=np.uint64)
FIRST, LAST, LENGTH = (np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9))
BEGINNING = np.uint16(89)
BEGINNING_BITS = 16

Numbers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]


class PackedTokens:
    """Tokens, numbered from 0.

    Args:
        packed: what the tokens are parts of, and eight bytes more.
        starts: where each token begins.
        ends: before which byte each token ends.

    Attributes:
        starts: where each token begins.
    """

    @staticmethod
    def of_texts(texts: list[bytes]) -> "PackedTokens":
        """The tokens of texts in UTF-8 that are parted by blanks.

        An empty text has one token, which is empty.
        """
        packed = b" ".join((b"", *texts, b"")) + PADDING
        is_blank = np.frombuffer(packed, dtype=np.uint8) == BLANK
        blanks = is_blank.nonzero()[0]
        starts, ends = blanks[:-1] + 1, blanks[1:]
        # Blanks in a row, but for those around an empty text, part no tokens.
        if np.count_nonzero(is_blank[1:] & is_blank[:-1]) > texts.count(b""):
            kept = (starts != ends).nonzero()[0]
            starts, ends = starts[kept], ends[kept]
        return PackedTokens(packed, starts, ends)

    def __init__(self, packed: bytes, starts: Numbers, ends: Numbers) -> None:
        self._packed = packed
        self.starts = starts
        self._ends = ends

    def controls(self) -> Numbers:
        """Where ASCII controls are."""
        data = np.frombuffer(self._packed, dtype=np.uint8)
        return (data < BLANK).nonzero()[0] if data.min() < BLANK else np.empty(0, dtype=np.int64)

    def take(self, numbers: Numbers) -> "PackedTokens":
        """Some of the tokens, in the order of their numbers."""
        return PackedTokens(self._packed, self.starts[numbers], self._ends[numbers])

    def token(self, number: int) -> bytes:
        """One token."""
        return self._packed[int(self.starts[number]) : int(self._ends[number])]

    def is_new(self, number: int, start: int) -> bool:
        """Whether a token parted by blanks has none like it before it, down to the byte `start`."""
        place = int(self.starts[number]) - 1
        return self._packed.find(self._packed[place : int(self._ends[number]) + 1], start - 1) == place

    def beginnings(self) -> npt.NDArray[np.uint16]:
        """A number below 2 ** `BEGINNING_BITS` for each token parted by blanks, the same for the same first bytes."""
        data = np.frombuffer(self._packed, dtype=np.uint8)
        return _beginnings(data[self.starts], data[1:][self.starts], data[2:][self.starts])

    def fingerprints(self) -> "Fingerprints":
        """What the tokens are compared by."""
        # The eight bytes that begin at each byte; numpy copies them faster than the numbers they are.
        words: Any = np.ndarray((len(self._packed) - WORD + 1,), f"V{WORD}", self._packed, strides=(1,))
        lengths = self._ends - self.starts
        first: Words = words[self.starts].view("<u8") & MASKS.take(lengths, mode="clip")
        last = first.copy()
        long = (lengths > WORD).nonzero()[0]
        last[long] = words[self._ends[long] - WORD].view("<u8")
        return Fingerprints(self, lengths, first, last)


class Fingerprints:
    """Tokens by length, first and last eight bytes; shorter tokens have the same bytes for both.

    Attributes:
        numbers: equal for equal tokens, and nearly always different for others.
    """

    def __init__(self, tokens: PackedTokens, lengths: Numbers, first: Words, last: Words) -> None:
        self._tokens = tokens
        self._lengths = lengths
        self._first = first
        self._last = last
        # Unsigned products keep their lowest bits; the highest of these depend on all others.
        self.numbers: Words = first * FIRST ^ last * LAST ^ lengths.view(np.uint64) * LENGTH

    def beginnings(self) -> npt.NDArray[np.uint16]:
        """The `beginnings` that the tokens have where blanks part them."""
        after = np.array([0, BLANK << 8, BLANK << 16, 0], dtype=np.uint64).take(self._lengths, mode="clip")
        first = self._first | after
        return _beginnings(*((first >> np.uint64(shift)).astype(np.uint8) for shift in (0, 8, 16)))

    def hashes(self, bits: int) -> Numbers:
        """A number below 2 ** `bits` for each token, the same for the same tokens; `bits` is at least 1."""
        return (self.numbers >> np.uint64(64 - bits)).view(np.int64)

    def same(self, numbers: Numbers, others: "Fingerprints", other_numbers: Numbers) -> Flags:
        """Whether tokens are those of others, pair by pair."""
        lengths = self._lengths[numbers]
        same: Flags = lengths == others._lengths[other_numbers]
        same &= self._first[numbers] == others._first[other_numbers]
        same &= self._last[numbers] == others._last[other_numbers]
        for pair in (same & (lengths > 2 * WORD)).nonzero()[0].tolist():
            same[pair] = self._tokens.token(numbers[pair]) == others._tokens.token(other_numbers[pair])
        return same


def _beginnings(first: Bytes, second: Bytes, third: Bytes) -> npt.NDArray[np.uint16]:
    third *= second != BLANK  # it belongs to the next token
    beginnings = first.astype(np.uint16)
    for following in (second, third):
        beginnings *= BEGINNING
        beginnings += following
    return beginnings

"""Tokens as places in bytes, so that many can be compared at once."""

from typing import Any

import numpy as np
import numpy.typing as npt

BLANK = 0x20
WORD = 8
PADDING = b"." * WORD
MASKS = np.array([(1 << 8 * length) - 1 for length in range(WORD + 1)], dtype=np.uint64)
FIRST, LAST, LENGTH, GROUP = (
    np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
)

Numbers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]


class PackedTokens:
    """Tokens, numbered from 0.

    Args:
        packed: what the tokens are parts of, and eight bytes more.
        starts: where each token begins.
        lengths: how many bytes each token has.

    Attributes:
        fingerprints: equal for equal tokens, and nearly always different for others.
    """

    @staticmethod
    def of_texts(texts: list[bytes]) -> "tuple[PackedTokens, Numbers]":
        """The tokens of texts in UTF-8 whose only WHITE are blanks, and the number of each text's first token.

        After these numbers comes that of all tokens.
        """
        packed = b" ".join((b"", *texts, b"")) + PADDING
        blanks = (np.frombuffer(packed, dtype=np.uint8) == BLANK).nonzero()[0]
        starts = blanks[:-1] + 1
        lengths = blanks[1:] - starts
        # The one piece of an empty text is left: it is no token, but cannot part any either.
        if np.count_nonzero(lengths) + texts.count(b"") < len(lengths):
            kept = lengths.nonzero()[0]
            starts, lengths = starts[kept], lengths[kept]
        ends = np.cumsum([1, *map(len, texts)]) + np.arange(len(texts) + 1)  # whole numbers
        return PackedTokens(packed, starts, lengths), starts.searchsorted(ends)

    def __init__(self, packed: bytes, starts: Numbers, lengths: Numbers) -> None:
        self._packed = packed
        self._starts = starts
        self._lengths = lengths
        # The eight bytes that begin at each byte; numpy copies them faster than the numbers they are.
        words: Any = np.ndarray((len(packed) - WORD + 1,), f"V{WORD}", packed, strides=(1,))
        self._first: Words = words[starts].view("<u8") & MASKS.take(lengths, mode="clip")
        self._last: Words = self._first.copy()
        long = (lengths > WORD).nonzero()[0]
        self._last[long] = words[starts[long] + lengths[long] - WORD].view("<u8")
        # Unsigned products keep their lowest bits; the highest of these depend on all others.
        self.fingerprints: Words = self._first * FIRST ^ self._last * LAST ^ lengths.view(np.uint64) * LENGTH

    def hashes(self, bits: int, groups: Numbers | None = None) -> Numbers:
        """A number below 2 ** `bits` for each token, the same for the same tokens.

        Args:
            bits: at least 1.
            groups: the group of each of the first tokens; the same tokens of different groups get different numbers.
        """
        fingerprints = self.fingerprints
        if groups is not None:
            fingerprints = fingerprints[: len(groups)] + groups.view(np.uint64) * GROUP
        return (fingerprints >> np.uint64(64 - bits)).view(np.int64)

    def same(self, numbers: Numbers, others: "PackedTokens", other_numbers: Numbers) -> Flags:
        """Whether tokens are those of others, pair by pair."""
        lengths = self._lengths[numbers]
        same: Flags = lengths == others._lengths[other_numbers]
        same &= self._first[numbers] == others._first[other_numbers]
        same &= self._last[numbers] == others._last[other_numbers]
        for pair in (same & (lengths > 2 * WORD)).nonzero()[0].tolist():
            same[pair] = self._token(numbers[pair]) == others._token(other_numbers[pair])
        return same

    def _token(self, number: int) -> bytes:
        start = int(self._starts[number])
        return self._packed[start : start + int(self._lengths[number])]

"""The keys of a question looked up in texts that nobody has prepared (RNK-1, QRY-9)."""

from collections.abc import Sequence

import numpy as np

from hybrid_search.reranker.packed_tokens import PADDING, Flags, Numbers, PackedTokens

LONGEST_CUT = 64
MOST_DOCUMENTS = 128
FILTER_BITS = 16
ROOM_PER_TOKEN = 2
NEVER = 2**31 - 1

Found = tuple[Numbers, Numbers, Numbers]
"""Tokens that are parts of keys: their numbers, ascending; the document each is in; which part each is."""


class TextKeys:
    """Finds the keys of a question, its tokens and concatenated neighbours, in the texts of many documents at once.

    A document has a key when it has it as a token, or has two neighbouring tokens whose concatenation it is. Its tokens
    are those of its content without repeats, then those of its title twice. Where the repeats of a content, or the step
    from content to title, leave a doubt, the document is not decided.

    Attributes:
        usable: whether this way is open: no key has more than 64 characters.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        self._size = len(keys)
        self.usable = all(len(key) <= LONGEST_CUT for key in keys)
        # Tokens of printable texts are printable.
        possible = [(index, key) for index, key in enumerate(keys) if key.isprintable() and " " not in key and key]
        encoded = [key.encode() for _, key in possible if self.usable]
        lengths = np.array([len(key) for key in encoded], dtype=np.int64)
        ends = lengths.cumsum()
        starts = ends - lengths
        packed = b"".join(encoded) + PADDING
        continued = (np.frombuffer(packed, dtype=np.uint8, count=len(packed) - len(PADDING)) & 0xC0) == 0x80
        continued[starts] = True
        cuts = (~continued).nonzero()[0]
        cut = np.repeat(np.arange(len(encoded)), lengths)[cuts]
        # Whole keys, then what is left of a cut, then what is right of it.
        self._parts = PackedTokens(
            packed,
            np.concatenate([starts, starts[cut], cuts]),
            np.concatenate([lengths, cuts - starts[cut], ends[cut] - cuts]),
        )
        self._sorted, self._examples, number = np.unique(
            self._parts.fingerprints, return_index=True, return_inverse=True
        )
        indexes = np.array([index for index, _ in possible], dtype=np.int64)[: len(encoded)]
        self._wholes, self._left, self._right = np.split(number, [len(encoded), len(encoded) + len(cuts)])
        self._whole_keys, self._cut_keys = indexes, indexes[cut]
        self._filter = np.zeros(1 << FILTER_BITS, dtype=np.bool_)
        self._filter[self._parts.hashes(FILTER_BITS)] = True
        if not self._parts.same(np.arange(len(number)), self._parts, self._examples[number]).all():
            self.usable = False

    def found(self, contents: Sequence[bytes], titles: Sequence[bytes]) -> list[int | None]:
        """Which keys each document has: an integer with a bit for each key, the first key's the lowest.

        Args:
            contents: printable texts in UTF-8.
            titles: the same; as many.

        Returns:
            None for a document that is not decided.
        """
        found: list[int | None] = []
        for start in range(0, len(contents), MOST_DOCUMENTS):
            found += self._found(contents[start : start + MOST_DOCUMENTS], titles[start : start + MOST_DOCUMENTS])
        return found

    def _found(self, contents: Sequence[bytes], titles: Sequence[bytes]) -> list[int | None]:
        size = len(contents)
        doubled = [title and title + b" " + title for title in titles]
        tokens, firsts = PackedTokens.of_texts([*contents, *doubled])
        in_contents, in_titles = self._parts_in(tokens, firsts, size)
        # Which token of each content is the first that is each part.
        earliest = np.full((size, len(self._sorted)), NEVER, dtype=np.int64)
        numbers, rows, parts = in_contents
        np.minimum.at(earliest.reshape(-1), rows * len(self._sorted) + parts, numbers)
        has = earliest != NEVER
        has[in_titles[1:]] = True
        held = np.zeros((size, self._size), dtype=np.bool_)
        held[:, self._whole_keys] = has[:, self._wholes]
        self._pairs_of_titles(in_titles, held)
        new = _new_tokens(tokens, firsts[: size + 1])
        undecided = self._pairs_of_contents(earliest, new, held)
        undecided |= self._doubts_at_titles(firsts, in_titles, earliest, new)
        packed = np.packbits(held, axis=1, bitorder="little")
        row, rows_of_bits = packed.shape[1], packed.tobytes()
        return [
            None if doubt else int.from_bytes(rows_of_bits[place * row : (place + 1) * row], "little")
            for place, doubt in enumerate(undecided.tolist())
        ]

    def _parts_in(self, tokens: PackedTokens, firsts: Numbers, size: int) -> tuple[Found, Found]:
        """What contents and titles have of the parts."""
        numbers = self._filter[tokens.hashes(FILTER_BITS)].nonzero()[0]
        if not len(self._sorted):
            numbers = numbers[:0]
        parts = self._sorted.searchsorted(tokens.fingerprints[numbers])
        parts[parts == len(self._sorted)] = 0
        same = tokens.same(numbers, self._parts, self._examples[parts])
        numbers, parts = numbers[same], parts[same]
        texts = firsts.searchsorted(numbers, side="right") - 1
        end = texts.searchsorted(size)
        return (numbers[:end], texts[:end], parts[:end]), (numbers[end:], texts[end:] - size, parts[end:])

    def _pairs_of_titles(self, in_titles: Found, held: Flags) -> None:
        """Note the keys that two neighbouring tokens of a doubled title make."""
        numbers, rows, parts = in_titles
        pairs = ((numbers[1:] == numbers[:-1] + 1) & (rows[1:] == rows[:-1])).nonzero()[0]
        which, cuts = ((parts[pairs, None] == self._left) & (parts[pairs + 1, None] == self._right)).nonzero()
        held[rows[pairs[which]], self._cut_keys[cuts]] = True

    def _pairs_of_contents(self, earliest: Numbers, new: Numbers, held: Flags) -> Flags:
        """Note the keys that two neighbouring tokens of a content without repeats make; gives what is not decided."""
        somewhere = (earliest != NEVER).any(axis=0)
        cuts = (somewhere[self._left] & somewhere[self._right]).nonzero()[0]
        left, right = earliest[:, self._left[cuts]], earliest[:, self._right[cuts]]
        rows, which = ((left < right) & (right != NEVER)).nonzero()
        left, right = left[rows, which], right[rows, which]
        adjacent = right == left + 1
        held[rows[adjacent], self._cut_keys[cuts[which[adjacent]]]] = True
        # With something new between them the second does not follow the first.
        doubts = ~adjacent & (new[new.searchsorted(left, side="right")] >= right)
        return _flags(len(earliest), rows[doubts])

    def _doubts_at_titles(self, firsts: Numbers, in_titles: Found, earliest: Numbers, new: Numbers) -> Flags:
        """Where the last new token of a content and the first one of its title may make a key."""
        numbers, rows, parts = in_titles
        begins = numbers == firsts[len(earliest) + rows]
        rows, parts = rows[begins], parts[begins]
        which, cuts = (parts[:, None] == self._right).nonzero()
        rows = rows[which]
        left = earliest[rows, self._left[cuts]]
        last = new[new.searchsorted(firsts[rows + 1]) - 1]
        return _flags(len(earliest), rows[(left != NEVER) & (left >= last)])


def _new_tokens(tokens: PackedTokens, firsts: Numbers) -> Numbers:
    """The tokens of the first texts that their text does not have before, ascending; a few may be left out.

    At the end stands a number that is higher than all.
    """
    numbers = np.arange(firsts[-1], dtype=np.int32)
    bits = (ROOM_PER_TOKEN * len(numbers) + 1).bit_length()
    hashes = tokens.hashes(bits, np.repeat(np.arange(len(firsts) - 1), np.diff(firsts)))
    earliest = np.full(1 << bits, NEVER, dtype=np.int32)
    np.minimum.at(earliest, hashes, numbers)
    return np.append((earliest[hashes] == numbers).nonzero()[0], NEVER)


def _flags(size: int, rows: Numbers) -> Flags:
    flags = np.zeros(size, dtype=np.bool_)
    flags[rows] = True
    return flags

"""The keys of a question looked up in texts that nobody has prepared (RNK-1, QRY-9)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hybrid_search.characters import split_white
from hybrid_search.reranker.packed_tokens import BEGINNING_BITS, PADDING, Flags, Numbers, PackedTokens, Words

LONGEST_CUT = 64
MOST_DOCUMENTS = 128
MOST_REPEATS = 16
FILTER_BITS = 14
NEVER = 2**31 - 1

Found = tuple[Numbers, Numbers, Numbers]
"""Tokens that are parts of keys: their numbers, ascending; the document each is in; which part each is."""
Earliest = npt.NDArray[np.int32]
"""For each document and part the number of the first token that is it, or `NEVER`."""
Pairs = list[tuple[int, int, int, int]]
"""Neighbours, but for repeats that may stand between: their document, their numbers, the key they make."""


class TextKeys:
    """Finds the keys of a question, its tokens and concatenated neighbours, in the texts of many documents at once.

    A document has a key when it has it as a token, or has two neighbouring tokens whose concatenation it is. Its tokens
    are those of its content without repeats, then those of its title twice.

    Attributes:
        usable: whether this way is open: no key has more than 64 characters.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        self._size = len(keys)
        self.usable = max(map(len, keys), default=0) <= LONGEST_CUT
        # Tokens have no WHITE.
        possible = [index for index, key in enumerate(keys) if split_white(key) == [key]] if self.usable else []
        encoded = [keys[index].encode() for index in possible]
        lengths = np.array([len(key) for key in encoded], dtype=np.int64)
        ends = lengths.cumsum()
        starts = ends - lengths
        packed = b"".join(encoded) + PADDING
        inside = (np.frombuffer(packed, dtype=np.uint8, count=len(packed) - len(PADDING)) & 0xC0) != 0x80
        inside[starts] = False
        cuts = inside.nonzero()[0]  # where a character begins, but for the first
        cut = np.repeat(np.arange(len(encoded)), lengths)[cuts]
        # Whole keys, then what is left of a cut, then what is right of it; equal ones get the same number.
        firsts, stops = np.concatenate([starts, starts[cut], cuts]), np.concatenate([ends, cuts, ends[cut]])
        self._parts = PackedTokens(packed, firsts, stops).fingerprints()
        self._sorted, self._examples, number = _distinct(self._parts.numbers)
        self._left, self._right = number[len(encoded) :].reshape(2, -1)
        # Which key a part is; what is none gets one more than there are.
        whole_keys = np.array(possible, dtype=np.int64)
        self._key_of = np.full(len(self._sorted), self._size, dtype=np.int64)
        self._key_of[number[: len(encoded)]] = whole_keys
        self._cut_keys = whole_keys[cut]
        self._beginnings = _table(BEGINNING_BITS, self._parts.beginnings())
        self._filter = _table(FILTER_BITS, self._parts.hashes(FILTER_BITS))
        if not self._parts.same(np.arange(len(number)), self._parts, self._examples[number]).all():
            self.usable = False

    def found(self, contents: Sequence[bytes], titles: Sequence[bytes]) -> list[int | None]:
        """Which keys each document has: an integer with a bit for each key, the first key's the lowest.

        Args:
            contents: texts in UTF-8, without WHITE other than blanks and ASCII controls.
            titles: the same; as many.

        Returns:
            None for a document that is not decided: one with ASCII controls, or with long runs of repeats.
        """
        found: list[int | None] = []
        for start in range(0, len(contents), MOST_DOCUMENTS):
            found += self._found(contents[start : start + MOST_DOCUMENTS], titles[start : start + MOST_DOCUMENTS])
        return found

    def _found(self, contents: Sequence[bytes], titles: Sequence[bytes]) -> list[int | None]:
        size = len(contents)
        texts = [*contents, *[title and title + b" " + title for title in titles]]
        tokens = PackedTokens.of_texts(texts)
        # One byte stands before the first text, and one between two.
        begins = np.fromiter(map(len, (b"", *texts)), dtype=np.int64, count=len(texts) + 1).cumsum()
        begins += np.arange(1, len(begins) + 1)
        in_contents, in_titles = self._parts_in(tokens, begins, size)
        numbers, rows, parts = in_contents
        earliest = np.full((size, len(self._sorted)), NEVER, dtype=np.int32)
        flat, places = earliest.reshape(-1), rows * len(self._sorted) + parts
        np.minimum.at(flat, places, numbers.astype(np.int32))
        new = numbers[flat[places] == numbers]
        held = np.zeros((size, (self._size // 64 + 1) * 64), dtype=np.bool_)
        held[rows, self._key_of[parts]] = True
        held[in_titles[1], self._key_of[in_titles[2]]] = True
        held[:, self._size] = False
        self._pairs_of_titles(in_titles, held)
        doubts = [
            *self._pairs_of_contents(parts, earliest, new, held),
            *self._pairs_at_titles(tokens, begins, in_titles, earliest, new),
        ]
        undecided = {text % size for text in (begins.searchsorted(tokens.controls(), side="right") - 1).tolist()}
        for row, left, right, key in doubts:
            between = range(right - 1, left, -1)
            if any(tokens.is_new(number, begins[row]) for number in between[:MOST_REPEATS]):
                continue
            if len(between) > MOST_REPEATS:
                undecided.add(row)
            else:
                held[row, key] = True
        found: list[int | None] = list(_integers(held))
        for row in undecided:
            found[row] = None
        return found

    def _parts_in(self, tokens: PackedTokens, begins: Numbers, size: int) -> tuple[Found, Found]:
        """What contents and titles have of the parts."""
        # Few tokens begin like a part, fewer have a part's hash: only these are compared.
        numbers = self._beginnings.take(tokens.beginnings()).nonzero()[0]
        candidates = tokens.take(numbers).fingerprints()
        chosen = self._filter.take(candidates.hashes(FILTER_BITS)).nonzero()[0]
        parts = self._sorted.searchsorted(candidates.numbers[chosen])
        parts[parts == len(self._sorted)] = 0
        same = candidates.same(chosen, self._parts, self._examples[parts])
        numbers, parts = numbers[chosen[same]], parts[same]
        texts = begins.searchsorted(tokens.starts[numbers], side="right") - 1
        end = texts.searchsorted(size)
        return (numbers[:end], texts[:end], parts[:end]), (numbers[end:], texts[end:] - size, parts[end:])

    def _pairs_of_titles(self, in_titles: Found, held: Flags) -> None:
        """Note the keys that two neighbouring tokens of a doubled title make."""
        numbers, rows, parts = in_titles
        pairs = ((numbers[1:] == numbers[:-1] + 1) & (rows[1:] == rows[:-1])).nonzero()[0]
        which, cuts = ((parts[pairs, None] == self._left) & (parts[pairs + 1, None] == self._right)).nonzero()
        held[rows[pairs[which]], self._cut_keys[cuts]] = True

    def _pairs_of_contents(self, parts: Numbers, earliest: Earliest, new: Numbers, held: Flags) -> Pairs:
        """Note the keys that two neighbouring tokens of a content make; gives those that repeats may part."""
        somewhere = np.zeros(len(self._sorted), dtype=np.bool_)
        somewhere[parts] = True
        cuts = (somewhere[self._left] & somewhere[self._right]).nonzero()[0]
        left, right = earliest[:, self._left[cuts]], earliest[:, self._right[cuts]]
        rows, which = ((left < right) & (right != NEVER)).nonzero()
        left, right, keys = left[rows, which], right[rows, which], self._cut_keys[cuts[which]]
        adjacent = right == left + 1
        held[rows[adjacent], keys[adjacent]] = True
        return _doubts(~adjacent & _none_between(new, left, right), rows, left, right, keys)

    def _pairs_at_titles(
        self, tokens: PackedTokens, begins: Numbers, in_titles: Found, earliest: Earliest, new: Numbers
    ) -> Pairs:
        """The keys that the last new token of a content and the first one of its title may make."""
        numbers, rows, parts = in_titles
        first = numbers == tokens.starts.searchsorted(begins[len(earliest) + rows])
        rows, parts = rows[first], parts[first]
        which, cuts = (parts[:, None] == self._right).nonzero()
        rows = rows[which]
        left = earliest[rows, self._left[cuts]]
        right = tokens.starts.searchsorted(begins[rows + 1])
        return _doubts((left != NEVER) & _none_between(new, left, right), rows, left, right, self._cut_keys[cuts])


def _distinct(values: Words) -> tuple[Words, Numbers, Numbers]:
    """The distinct values, ascending; where one of each is; which of them each value is."""
    order = values.argsort()
    ascending = values[order]
    changes = np.ones(len(values), dtype=np.bool_)
    changes[1:] = ascending[1:] != ascending[:-1]
    number = np.empty(len(values), dtype=np.int64)
    number[order] = changes.cumsum() - 1
    return ascending[changes], order[changes], number


def _table(bits: int, numbers: npt.NDArray[Any]) -> Flags:
    """Which of the numbers below 2 ** `bits` are among those given."""
    table = np.zeros(1 << bits, dtype=np.bool_)
    table[numbers] = True
    return table


def _none_between(ascending: Numbers, left: Earliest, right: Earliest | Numbers) -> Flags:
    """Whether none of the numbers is above `left` and below `right`, pair by pair."""
    none: Flags = ascending.searchsorted(left, side="right") >= ascending.searchsorted(right)
    return none


def _doubts(chosen: Flags, *columns: Earliest | Numbers) -> Pairs:
    return list(zip(*(column[chosen].tolist() for column in columns), strict=True))


def _integers(held: Flags) -> list[int]:
    """Each row as an integer, the first flag its lowest bit; rows of a multiple of 64."""
    lowest, *others = np.packbits(held, axis=1, bitorder="little").view("<u8").T.tolist() or [[0] * len(held)]
    found: list[int] = lowest
    for place, words in enumerate(others, 1):
        found = [low | high << 64 * place for low, high in zip(found, words, strict=True)]
    return found

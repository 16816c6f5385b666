r"""Makes the gem's dictionary from the installed jieba (MIT, named in NOTICE): a double-array trie (TXT-3).

The file is not compressed, so its bytes depend on jieba's `dict.txt` alone, not on a version of zlib. The lists of
numbers are written as UTF-8 writes code points (surrogates too), which is short, and which Ruby unpacks twice as fast
as numbers of fixed width. Little-endian:

```
8 bytes   "HSDICT1\n"
uint32    slots, distinct frequencies
uint32    bytes of each of the following six sections
uint64    total: the sum of the frequencies of all lines, as jieba counts it
numbers   base[slots]
numbers   check[slots]
numbers   frequency[slots]      index into the distinct frequencies; 0 is frequency 0, "no word"
numbers   distinct frequencies
uint8     tag[slots]            index into the tag names; 0 is ""
bytes     tag names, each ended by LF
```

A node of the trie is a slot; slot 0 is the root. The child of `node` by the character with code point `c` is the slot
`base[node] + c` if `check` there is `node`. Free slots, and the root, have the number of slots there, which is no node.
The first 0xA000 slots are the root, whose base is 0, and its children.
"""

import struct
from collections.abc import Iterator
from functools import cache

import numpy as np

from hybrid_search.text.jieba import jieba

MAGIC = b"HSDICT1\n"
WINDOW = 1024
"""How many slots are looked at together."""
CROWDED = 0.9
"""The share of taken slots from which on a window is left to nodes with a single child."""
ROOT_SLOTS = 0xA000
"""The slots that only the root's children take: the code points that segmented text may consist of."""
ROOM = 1 << 21
"""More slots than the trie will need."""


def entries() -> Iterator[tuple[str, int, str]]:
    """Word, frequency and tag of every line of jieba's `dict.txt`."""
    with jieba.get_module_res(jieba.DEFAULT_DICT_NAME) as source:
        for line in source.read().decode("utf-8").split("\n"):
            if line:
                word, frequency, tag = line.split(" ")
                yield word, int(frequency), tag


class DoubleArray:
    """The trie of a set of words, laid out in two integer arrays."""

    def __init__(self, words: list[str]) -> None:
        children: dict[str, set[str]] = {"": set()}
        for word in words:
            for end in range(len(word)):
                children.setdefault(word[:end], set()).add(word[end])
        families = {parent: sorted(map(ord, letters)) for parent, letters in children.items()}
        bases = self._lay_out(families)
        self._link(families, bases)

    def find(self, word: str) -> int:
        """The slot of a word or prefix; raises `KeyError` if there is none."""
        node = 0
        for character in word:
            slot = self.base[node] + ord(character)
            if slot >= len(self.check) or self.check[slot] != node:
                raise KeyError(word)
            node = slot
        return node

    def _lay_out(self, families: dict[str, list[int]]) -> dict[str, int]:
        """A base for every node that has children: the root 0, the others by falling number of children.

        A base is the first at which every child falls on a free slot beyond the `ROOT_SLOTS`, so that no base is
        negative, and a character that begins no word has a slot without children. Windows that are crowded already
        are passed over until the families of one child come, which fill every slot left.
        """
        self._used = np.zeros(ROOM, dtype=np.bool_)
        self._size = 0
        self._take(families[""], 0)
        bases = {"": 0}
        lowest = start = ROOT_SLOTS
        others = sorted((name for name in families if name), key=lambda name: (-len(families[name]), name))
        for name in others:
            if len(families[name]) == 1:
                break
            while self._used[start : start + WINDOW].mean() > CROWDED:
                start += WINDOW
            bases[name] = self._place(families[name], start)
        start = lowest
        for name in others[len(bases) - 1 :]:
            bases[name] = self._place(families[name], start)
            start = bases[name] + families[name][0]
        return bases

    def _place(self, points: list[int], start: int) -> int:
        """Take the first slots from `start` on that fit the children; returns their base."""
        base = self._fitting_slot(points, start) - points[0]
        self._take(points, base)
        return base

    def _fitting_slot(self, points: list[int], start: int) -> int:
        """The first slot from `start` on that the first child can take so that all children find theirs free."""
        width = max(WINDOW, min(64 * WINDOW, 256 * len(points)))
        while True:
            blocked = self._used[start : start + width].copy()
            for point in points[1:]:
                first = start + point - points[0]
                blocked |= self._used[first : first + width]
            free = int(blocked.argmin())
            if not blocked[free]:
                return start + free
            start += width

    def _take(self, points: list[int], base: int) -> None:
        for point in points:
            self._used[base + point] = True
        self._size = max(self._size, base + points[-1] + 1)

    def _link(self, families: dict[str, list[int]], bases: dict[str, int]) -> None:
        """Fill the two arrays, parents before children."""
        self.base = [0] * self._size
        self.check = [self._size] * self._size
        slots = {"": 0}
        for name in sorted(families, key=len):
            parent, base = slots[name], bases[name]
            self.base[parent] = base
            for point in families[name]:
                self.check[base + point] = parent
                slots[name + chr(point)] = base + point


@cache
def trie() -> DoubleArray:
    """The trie of all words of jieba's `dict.txt`."""
    return DoubleArray(sorted({word for word, _, _ in entries()}))


def build() -> bytes:
    """The content of `dictionary.bin`."""
    table = {word: (frequency, tag) for word, frequency, tag in entries()}
    total = sum(frequency for _, frequency, _ in entries())
    frequencies = [0, *sorted({frequency for frequency, _ in table.values()} - {0})]
    tags = ["", *sorted({tag for _, tag in table.values()} - {""})]
    array = trie()
    frequency_numbers = {frequency: number for number, frequency in enumerate(frequencies)}
    tag_numbers = {tag: number for number, tag in enumerate(tags)}
    frequency_of_slot = [0] * len(array.check)
    tag_of_slot = bytearray(len(array.check))
    for word, (frequency, tag) in table.items():
        slot = array.find(word)
        frequency_of_slot[slot] = frequency_numbers[frequency]
        tag_of_slot[slot] = tag_numbers[tag]
    names = "".join(f"{tag}\n" for tag in tags).encode("utf-8")
    sections = [
        numbers(array.base),
        numbers(array.check),
        numbers(frequency_of_slot),
        numbers(frequencies),
        bytes(tag_of_slot),
        names,
    ]
    header = MAGIC + struct.pack("<8IQ", len(array.check), len(frequencies), *map(len, sections), total)
    return header + b"".join(sections)


def numbers(values: list[int]) -> bytes:
    """Numbers below 0x110000, each as UTF-8 writes the code point of that number."""
    return "".join(map(chr, values)).encode("utf-8", "surrogatepass")

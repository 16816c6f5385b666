"""Two first pages of one question: whether they are the same, and what makes them differ if not.

Both stores give a block of candidates, of which each has the same similarities whatever store it comes from. So pages
differ only where blocks do: of the candidates that are in both blocks, both pages show the best.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Row = tuple[str, ...]
"""A document of a page: its id and the digits of its similarities."""


@dataclass(frozen=True)
class Page:
    """A first page.

    Attributes:
        rows: what it shows, best first.
        block: the ids of the candidates that were reranked for it, in the order of recall.
    """

    rows: Sequence[Row]
    block: Sequence[str]


@dataclass(frozen=True)
class Verdict:
    """What a comparison of two pages has found.

    Attributes:
        same: whether they are the same, bit for bit.
        shared: how many documents are on both.
        other_bits: those of them whose similarities are not the same.
        strangers: the documents of either page that are not in the other's block, with the place that each has in
            its own block, from 1, and how long that is.
        explained: whether the blocks' difference is all there is to it.
    """

    same: bool
    shared: int
    other_bits: Sequence[str]
    strangers: Sequence[tuple[str, int, int]]
    explained: bool


def row(chunk: Any) -> Row:
    """The row of a chunk."""
    scores = (chunk.similarity, chunk.term_similarity, chunk.vector_similarity)
    return (chunk.chunk_id, *(struct.pack(">d", score).hex() for score in scores))


def compare(expected: Page, found: Page) -> Verdict:
    """Hold a page to memory's.

    Args:
        expected: memory's.
        found: the other store's.
    """
    bits = {name: digits for name, *digits in expected.rows}
    shared = [(name, digits) for name, *digits in found.rows if name in bits]
    other_bits = [name for name, digits in shared if bits[name] != digits]
    strangers = [*_strangers(expected, found), *_strangers(found, expected)]
    same = list(expected.rows) == list(found.rows)
    explained = same or (not other_bits and bool(strangers) and _best_of_both(expected, found))
    return Verdict(same, len(shared), other_bits, strangers, explained)


def _strangers(page: Page, other: Page) -> list[tuple[str, int, int]]:
    names = [name for name, *_ in page.rows if name not in other.block]
    return [(name, page.block.index(name) + 1, len(page.block)) for name in names]


def _best_of_both(expected: Page, found: Page) -> bool:
    """Whether of the candidates of both blocks one page shows the first of what the other shows."""
    both = {*expected.block} & {*found.block}
    ours, theirs = ([name for name, *_ in page.rows if name in both] for page in (expected, found))
    least = min(len(ours), len(theirs))
    return ours[:least] == theirs[:least]

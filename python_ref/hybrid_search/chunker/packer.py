"""Packs units into chunks (CHK-5)."""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from hybrid_search.chunker.section import BLOCK
from hybrid_search.chunker.units import Unit


class Span(NamedTuple):
    """The units of one chunk, by their indexes.

    Attributes:
        begin: the first unit.
        fresh: the first unit that is not part of the previous chunk.
        end: the end of the units, exclusive.
    """

    begin: int
    fresh: int
    end: int


class Packer:
    """Packs the units of one section.

    Args:
        units: at least one.
        size: the maximum number of tokens of a chunk, unless a single unit has more.
        overlap: the maximum number of tokens that a chunk shares with the previous one.
    """

    def __init__(self, units: Sequence[Unit], size: int, overlap: int) -> None:
        self._units = units
        self._sums = [0, *itertools.accumulate(unit.tokens for unit in units)]
        self._size = size
        self._overlap = overlap
        self._spans: list[Span] = []
        self._span = Span(0, 0, 0)
        self._tokens = 0

    def spans(self) -> list[Span]:
        """Return the chunks in order."""
        self._place(0, len(self._units), BLOCK)
        return [*self._spans, self._span]

    def _place(self, first: int, end: int, level: int) -> None:
        """Add units: all of them to this chunk or to a new one, or part by part if they are too many for one chunk."""
        tokens = self._tokens_of(first, end)
        if self._tokens + tokens <= self._size:
            self._extend(end, tokens)
        elif tokens <= self._size or end - first == 1:
            self._begin(first, tokens)
            self._extend(end, tokens)
        else:
            start = first
            for index in range(first + 1, end):
                if self._units[index].level <= level:
                    self._place(start, index, level + 1)
                    start = index
            self._place(start, end, level + 1)

    def _extend(self, end: int, tokens: int) -> None:
        self._span = self._span._replace(end=end)
        self._tokens += tokens

    def _begin(self, first: int, tokens: int) -> None:
        """Begin a chunk with the given units, preceded by as many of the previous units as fit."""
        if self._span.end > self._span.fresh:
            self._spans.append(self._span)
        begin = first
        room = min(self._overlap, self._size - tokens)
        while begin > self._span.begin and self._units[begin - 1].tokens <= room:
            begin -= 1
            room -= self._units[begin].tokens
        self._span = Span(begin, first, first)
        self._tokens = self._tokens_of(begin, first)

    def _tokens_of(self, first: int, end: int) -> int:
        return self._sums[end] - self._sums[first]

"""Selects the entries of a page: RAGFlow's windows (RET-3), or pages without gaps (RET-7)."""

import dataclasses
from collections.abc import Callable, Sequence

from hybrid_search.retriever.page import RankedBlock, RankedEntries, RankedEntry
from hybrid_search.retriever.recall import FetchedCandidates, Recalled
from hybrid_search.retriever.window import Window

Rank = Callable[[Recalled, int], RankedBlock]
"""Ranks a block of candidates; the number is the position of its first candidate among all."""


@dataclasses.dataclass(frozen=True)
class PageEntries:
    """The entries of a page and its totals.

    Attributes:
        shown: the entries on the page, best first.
        ranked: all entries that were ranked for the page.
        total: the number of candidates with windows, of entries with full pages.
        window_total: the number of entries of the block with windows, the total with full pages.
        total_is_lower_bound: whether more than `topk` may match.
        total_is_upper_bound: whether candidates are counted that a rerank model has not scored.
        has_more: whether a later page may show entries.
        counted: the entries whose values facets count; `None` counts all candidates.
    """

    shown: Sequence[RankedEntry]
    ranked: RankedEntries
    total: int
    window_total: int
    total_is_lower_bound: bool
    has_more: bool
    total_is_upper_bound: bool = False
    counted: Sequence[RankedEntry] | None = None


class WindowPages:
    """RAGFlow's pages: each is a slice of its block's entries (RET-3)."""

    def __init__(self, candidates: FetchedCandidates, rank: Rank) -> None:
        self._candidates = candidates
        self._rank = rank
        self._ranked: RankedEntries | None = None

    def page(self, window: Window) -> PageEntries:
        """Return the entries and totals of a page."""
        if self._ranked is None or self._ranked.blocks[0].first != window.first:
            block = self._rank(self._candidates.block(window.first, window.size), window.first)
            self._ranked = RankedEntries([block], block.entries())
        entries, total = self._ranked.entries, self._candidates.total
        return PageEntries(
            shown=entries[window.begin : window.end],
            ranked=self._ranked,
            total=total,
            window_total=len(entries),
            total_is_lower_bound=self._candidates.is_cut,
            has_more=window.has_more(len(entries), total),
        )


class FullPages:
    """Pages cut from the concatenated entries of all blocks: only the last page may have gaps (RET-7).

    Args:
        candidates: the candidates.
        rank: ranks a block of them.
        ranks_all: whether to rank all blocks at once; otherwise blocks are ranked from the first on, until the page and
            one more entry are available.
        passes_all: whether every candidate is an entry.
    """

    def __init__(self, candidates: FetchedCandidates, rank: Rank, ranks_all: bool, passes_all: bool) -> None:
        self._candidates = candidates
        self._rank = rank
        self._ranks_all = ranks_all
        self._passes_all = passes_all
        self._blocks: list[RankedBlock] = []
        self._entries: list[RankedEntry] = []
        self._ranked: RankedEntries | None = None

    def page(self, window: Window) -> PageEntries:
        """Return the entries and totals of a page."""
        end = window.offset + window.page_size
        if self._ranks_all:
            self._candidates.fetch_all()
        while self._more_blocks(window.size) and (self._ranks_all or len(self._entries) <= end):
            self._rank_next(window.size)
        if self._ranked is None:
            self._ranked = RankedEntries(tuple(self._blocks), tuple(self._entries))
        candidates = self._candidates.total
        is_exact = self._ranks_all or candidates <= window.size
        total = len(self._entries) if is_exact else candidates
        return PageEntries(
            shown=self._entries[window.offset : end],
            ranked=self._ranked,
            total=total,
            window_total=total,
            total_is_lower_bound=self._candidates.is_cut,
            total_is_upper_bound=not is_exact and not self._passes_all,
            has_more=len(self._entries) > end,
            counted=self._ranked.entries if total < candidates else None,
        )

    def _more_blocks(self, size: int) -> bool:
        return not self._blocks or len(self._blocks) * size < self._candidates.total

    def _rank_next(self, size: int) -> None:
        """Rank one more block; start again if the store has changed since the first block was fetched."""
        first = len(self._blocks) * size
        if first > 0 and self._candidates.fetch_all():
            fetched = self._candidates.block(0, size)
            if fetched.result.ids != self._blocks[0].recalled.result.ids:
                self._blocks, self._entries, first = [], [], 0
        block = self._rank(self._candidates.block(first, size), first)
        self._blocks.append(block)
        self._entries.extend(block.entries())
        self._ranked = None

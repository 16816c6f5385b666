"""Computes the block of candidates to fetch and rerank for a page, and the page's place in it (RET-3)."""

import dataclasses

BLOCK = 64
"""The approximate number of candidates in a block."""
BLOCK_OF_SINGLES = 30
"""The number of candidates in a block for pages of one entry."""


@dataclasses.dataclass(frozen=True)
class Window:
    """The place of a page among the candidates.

    Attributes:
        size: the number of candidates in a block, always a whole number of pages. It is both the size of the fetched
            block and the modulus of the slice; if it were not a multiple of the page size, candidates at a block's edge
            would be lost (RAGFlow #15434).
        page: the page, from 1.
        page_size: the number of entries on a page, at least 1.
    """

    size: int
    page: int
    page_size: int

    @classmethod
    def of(cls, page: int, page_size: int, top: int, with_model: bool) -> "Window":
        """Return the window of a page; see `length` for the arguments."""
        return cls(cls.length(page_size, top, with_model), page, page_size)

    @staticmethod
    def length(page_size: int, top: int, with_model: bool) -> int:
        """Return the number of candidates in a block: about `BLOCK`.

        Args:
            page_size: the number of entries on a page, at least 1.
            top: the number of retrieved candidates, at least 1.
            with_model: whether a rerank model scores the block, which then never reaches far beyond `top`.
        """
        if page_size <= 1:
            return min(BLOCK_OF_SINGLES, top) if with_model else BLOCK_OF_SINGLES
        length = -(-BLOCK // page_size) * page_size
        if with_model:
            length = min(length, -(-top // page_size) * page_size)
        return length

    @property
    def offset(self) -> int:
        """The number of entries on the previous pages."""
        return (self.page - 1) * self.page_size

    @property
    def first(self) -> int:
        """The position of the block's first candidate among all."""
        return self.offset // self.size * self.size

    @property
    def begin(self) -> int:
        """The position in the ranked block where the page begins."""
        return self.offset % self.size

    @property
    def end(self) -> int:
        """The position in the ranked block where the page ends, exclusive."""
        return self.begin + self.page_size

    def has_more(self, passing: int, total: int) -> bool:
        """Return whether a later page may show entries.

        Args:
            passing: the number of candidates of the block that reach the threshold.
            total: the number of all candidates.
        """
        return self.end < passing or self.first + self.size < total

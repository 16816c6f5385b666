"""The block of candidates that is fetched and reranked together, and a page's place in it (RET-3)."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Window:
    """Where a page stands among the candidates.

    Attributes:
        size: how many candidates a block holds, always a whole number of pages. It is both the block that is fetched
            and the modulus of the slice; were it no multiple of the page size, candidates at a block's edge would be
            lost (RAGFlow #15434).
        page: the page, from 1.
        page_size: entries on a page, at least 1.
    """

    size: int
    page: int
    page_size: int

    @classmethod
    def of(cls, page: int, page_size: int, top: int, with_model: bool) -> "Window":
        """The window of a page; see `length` for what it takes."""
        return cls(cls.length(page_size, top, with_model), page, page_size)

    @staticmethod
    def length(page_size: int, top: int, with_model: bool) -> int:
        """How many candidates a block holds: about 64.

        Args:
            page_size: entries on a page, at least 1.
            top: how many candidates are retrieved in all, at least 1.
            with_model: whether a rerank model scores the block; then a block never reaches far beyond `top`.
        """
        if page_size <= 1:
            return min(30, top) if with_model else 30
        length = -(-64 // page_size) * page_size
        if with_model:
            length = min(length, -(-top // page_size) * page_size)
        return length

    @property
    def offset(self) -> int:
        """How many entries stand on the pages before."""
        return (self.page - 1) * self.page_size

    @property
    def first(self) -> int:
        """The place of the block's first candidate among all."""
        return self.offset // self.size * self.size

    @property
    def begin(self) -> int:
        """The place in the ranked block where the page begins."""
        return self.offset % self.size

    @property
    def end(self) -> int:
        """The place in the ranked block where the page has ended."""
        return self.begin + self.page_size

    def has_more(self, passing: int, total: int) -> bool:
        """Whether a later page may show something.

        Args:
            passing: how many candidates of the block pass the threshold.
            total: how many candidates there are in all.
        """
        return self.end < passing or self.first + self.size < total

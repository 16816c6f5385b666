"""The result of a retrieval (RET-5)."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any


@dataclasses.dataclass(frozen=True)
class Chunk:
    """One hit.

    `similarity` is `vtweight·vector_similarity + tkweight·term_similarity + rank_feature`, unless the result's
    `explain` states another formula (RNK-1).

    Attributes:
        chunk_id: the document's id in the store.
        doc_id: the id of the document the chunk is part of.
        docnm_kwd: the name of that document.
        kb_id: the knowledge base to which it belongs, "" without one.
        content_ltks: the tokens of the content, joined by blanks.
        content_with_weight: the content as given.
        important_kwd: its keywords.
        positions: its positions in the document.
        similarity: the score by which the page is ordered.
        term_similarity: 0 to 1 (QRY-9).
        vector_similarity: the cosine, or the model's score.
        rank_feature: page rank plus tag part (RNK-5).
        highlight: the content with matches marked, `None` unless requested (DOC-4).
        metadata: the record's `metadata`, empty without any.
    """

    chunk_id: str
    doc_id: str
    docnm_kwd: str
    kb_id: str
    content_ltks: str
    content_with_weight: str
    important_kwd: Sequence[str]
    positions: Sequence[Any]
    similarity: float
    term_similarity: float
    vector_similarity: float
    rank_feature: float
    highlight: str | None = None
    metadata: Mapping[str, Any] = dataclasses.field(default_factory=dict, hash=False)

    @property
    def content(self) -> str:
        """The content as given: the name of `content_with_weight` in records (IDX-1)."""
        return self.content_with_weight

    @property
    def document_name(self) -> str:
        """The name of the document: the name of `docnm_kwd` in records."""
        return self.docnm_kwd

    @property
    def keywords(self) -> Sequence[str]:
        """The keywords: the name of `important_kwd` in records."""
        return self.important_kwd

    def to_dict(self) -> dict[str, Any]:
        """Return the chunk as plain data; `highlight` only if it was requested."""
        plain = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        plain["important_kwd"] = list(self.important_kwd)
        plain["positions"] = list(self.positions)
        if self.highlight is None:
            del plain["highlight"]
        plain["metadata"] = dict(self.metadata)
        return plain


@dataclasses.dataclass(frozen=True)
class RetrievalResult:
    """One page.

    With full pages (RET-7) `total` and `pages` are the same on every page of a walk, as "page 3 of 12" requires. With
    RAGFlow's windows, `total` counts candidates, as RAGFlow does, some of which the threshold may exclude.

    Attributes:
        total: the number of entries that all pages together show, at most `topk`; with windows, the number of
            candidates that the store matched, at most `topk`.
        window_total: the number of candidates of the page's block that reach the threshold; with full pages, `total`.
        chunks: the page's hits, best first.
        doc_aggs: {doc_name, doc_id, count} over the entries of the blocks that were ranked for this page, by count
            descending, then name.
        page: the page shown, from 1.
        has_more: whether a later page shows entries; with windows, whether it may.
        timings: milliseconds of `recall`, `rerank` and `total`.
        warnings: problems that did not stop the retrieval.
        explain: every part of every score, `None` unless requested.
        page_size: the number of entries on a full page.
        total_is_lower_bound: whether more entries may match than `total` counts: the store matched as many as `topk`
            permits.
        total_is_upper_bound: whether fewer entries may be shown than `total` counts: it includes candidates that a
            rerank model has not scored, some of which the threshold may exclude.
        full_pages: whether pages have no gaps.
        facets: name → {value, count} over all entries of `total`, by count descending, then value; `None` unless
            requested.
    """

    total: int
    window_total: int
    chunks: Sequence[Chunk]
    doc_aggs: Sequence[Mapping[str, Any]]
    page: int
    has_more: bool
    timings: Mapping[str, float]
    warnings: Sequence[str] = ()
    explain: Mapping[str, Any] | None = None
    page_size: int = 10
    total_is_lower_bound: bool = False
    full_pages: bool = False
    facets: Mapping[str, Sequence[Mapping[str, Any]]] | None = None
    total_is_upper_bound: bool = False

    @property
    def pages(self) -> int:
        """The number of pages: `total` divided by `page_size`, rounded up; a bound if `total` is one."""
        return -(-self.total // self.page_size)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data; `explain` and `facets` only if requested.

        The numbers of pages are included only with full pages; with windows the result has RAGFlow's keys.
        `total_is_upper_bound` is present only if it is true.
        """
        plain: dict[str, Any] = {
            "total": self.total,
            "window_total": self.window_total,
            "chunks": [chunk.to_dict() for chunk in self.chunks],
            "doc_aggs": [dict(entry) for entry in self.doc_aggs],
            "page": self.page,
            "has_more": self.has_more,
            "timings": dict(self.timings),
            "warnings": list(self.warnings),
        }
        if self.full_pages:
            plain.update(page_size=self.page_size, pages=self.pages, total_is_lower_bound=self.total_is_lower_bound)
        if self.full_pages and self.total_is_upper_bound:
            plain["total_is_upper_bound"] = True
        if self.explain is not None:
            plain["explain"] = dict(self.explain)
        if self.facets is not None:
            plain["facets"] = {name: [dict(entry) for entry in entries] for name, entries in self.facets.items()}
        return plain

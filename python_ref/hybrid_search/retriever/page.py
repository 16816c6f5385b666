"""Makes the hits of a page from ranked blocks of candidates (RET-5)."""

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.reranker.outcome import RerankOutcome
from hybrid_search.retriever.recall import Recalled
from hybrid_search.retriever.result import Chunk


@dataclasses.dataclass(frozen=True)
class RankedBlock:
    """A block of candidates after reranking.

    Attributes:
        recalled: the candidates, in the order of recall.
        outcome: their scores, in the same order.
        order: the positions of the candidates that reach the threshold, best first.
        first: the position of the block's first candidate among all.
    """

    recalled: Recalled
    outcome: RerankOutcome
    order: tuple[int, ...]
    first: int = 0

    def entries(self) -> list["RankedEntry"]:
        """Return the candidates that reach the threshold, best first."""
        return [RankedEntry(self, index) for index in self.order]

    def chunk(self, index: int, highlight: bool) -> Chunk:
        """Return the hit at a position of the block."""
        outcome = self.outcome
        identifier = outcome.ids[index]
        fields = self.recalled.result.fields[identifier]
        content = _text(fields, "content_with_weight")
        return Chunk(
            chunk_id=identifier,
            doc_id=_text(fields, "doc_id"),
            docnm_kwd=_text(fields, "docnm_kwd"),
            kb_id=_text(fields, "kb_id"),
            content_ltks=_text(fields, "content_ltks"),
            content_with_weight=content,
            important_kwd=_list(fields, "important_kwd"),
            positions=_list(fields, "position_int"),
            similarity=outcome.similarity[index],
            term_similarity=outcome.term_similarity[index],
            vector_similarity=outcome.vector_similarity[index],
            rank_feature=outcome.rank_feature[index],
            highlight=self.recalled.result.highlight.get(identifier, content) if highlight else None,
            metadata=_object(fields, "metadata"),
        )

    def document(self, index: int) -> tuple[str, str]:
        """Return name and id of the document that contains the candidate at a position."""
        fields = self.recalled.result.fields[self.outcome.ids[index]]
        return _text(fields, "docnm_kwd"), _text(fields, "doc_id")


@dataclasses.dataclass(frozen=True)
class RankedEntry:
    """A candidate that reaches the threshold: a position of a ranked block."""

    block: RankedBlock
    index: int

    @property
    def fields(self) -> Mapping[str, Any]:
        """The fetched fields of the document."""
        return self.block.recalled.result.fields[self.block.outcome.ids[self.index]]

    def chunk(self, highlight: bool) -> Chunk:
        """Return the hit."""
        return self.block.chunk(self.index, highlight)


class RankedEntries:
    """The entries of blocks that were ranked one after another; summaries of all of them are computed once.

    Args:
        blocks: the ranked blocks, at least one.
        entries: the entries of all blocks, in their order.
    """

    def __init__(self, blocks: Sequence[RankedBlock], entries: Sequence[RankedEntry]) -> None:
        self.blocks = blocks
        self.entries = entries

    @functools.cached_property
    def document_counts(self) -> tuple[Mapping[str, Any], ...]:
        """The number of entries of each document, see `document_counts`."""
        return document_counts(self.entries)

    @functools.cached_property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of the blocks, each once."""
        return tuple(dict.fromkeys(warning for block in self.blocks for warning in block.outcome.warnings))


def document_counts(entries: Sequence[RankedEntry]) -> tuple[Mapping[str, Any], ...]:
    """Return the number of entries of each document, by count descending, then name.

    As in RAGFlow, a document is identified by its name; its id is that of its best entry.
    """
    counts: dict[str, list[Any]] = {}
    for entry in entries:
        name, doc_id = entry.block.document(entry.index)
        counted = counts.setdefault(name, [doc_id, 0])
        counted[1] += 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1][1], item[0]))
    return tuple({"doc_name": name, "doc_id": doc_id, "count": count} for name, (doc_id, count) in ordered)


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _list(fields: Mapping[str, Any], name: str) -> tuple[Any, ...]:
    value = fields.get(name)
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, (list, tuple)) else ()


def _object(fields: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = fields.get(name)
    return value if isinstance(value, Mapping) else {}

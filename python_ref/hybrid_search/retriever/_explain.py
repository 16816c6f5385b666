"""Every part of every score of a page, so that each similarity can be computed again (RET-5)."""

from typing import Any

from hybrid_search.query_builder import render
from hybrid_search.retriever._page import Entry, RankedBlock
from hybrid_search.retriever._page_entries import PageEntries
from hybrid_search.retriever._recall import Recalled
from hybrid_search.retriever._request import RetrievalRequest
from hybrid_search.retriever._window import Window

FORMULAS = {
    "weighted": "vtweight * vector_similarity + tkweight * term_similarity + rank_feature",
    "model": "tkweight * term_similarity + vtweight * vector_similarity + rank_feature",
    "term": "term_similarity + rank_feature",
    "store": "the store's own score",
}


def explanation(request: RetrievalRequest, recalled: Recalled, entries: PageEntries, window: Window) -> dict[str, Any]:
    """How the page came about: what was asked, which formula made the similarities, and their parts.

    The blocks of full pages may have been scored by different formulas, so there each chunk tells its own.
    """
    explained: dict[str, Any] = {
        **_asked(request, recalled),
        "window": window.size,
        "chunks": [_parts(entry) for entry in entries.shown],
    }
    if request.full_pages:
        for entry, parts in zip(entries.shown, explained["chunks"], strict=True):
            parts["formula"] = _formula(entry.block)
    else:
        explained["formula"] = _formula(entries.ranked.blocks[0])
    return explained


def query_explanation(request: RetrievalRequest, block: RankedBlock) -> dict[str, Any]:
    """How the ranking of a walk came about: what was asked, and which formula made the similarities."""
    return {**_asked(request, block.recalled), "formula": _formula(block)}


def recall_parts(block: RankedBlock) -> dict[str, dict[str, Any]]:
    """The place and the score that recall gave each candidate, by id; its other scores are in the result itself."""
    scores = block.recalled.result.scores
    return {
        identifier: {
            "chunk_id": identifier,
            "recall_score": scores.get(identifier),
            "recall_rank": rank,
        }
        for rank, identifier in enumerate(block.outcome.ids, start=block.first + 1)
    }


def _asked(request: RetrievalRequest, recalled: Recalled) -> dict[str, Any]:
    return {
        "query_text": None if recalled.query is None else render.lucene(recalled.query),
        "keywords": list(recalled.result.keywords),
        "min_match": recalled.min_match,
        "similarity": recalled.similarity,
        "listed": recalled.listed,
        "tkweight": request.tkweight,
        "vtweight": request.vtweight,
    }


def _formula(block: RankedBlock) -> str:
    return FORMULAS[block.outcome.formula]


def _parts(entry: Entry) -> dict[str, Any]:
    outcome, index = entry.block.outcome, entry.index
    identifier = outcome.ids[index]
    return {
        "chunk_id": identifier,
        "recall_score": entry.block.recalled.result.scores.get(identifier),
        "recall_rank": entry.block.first + index + 1,
        "term_similarity": outcome.term_similarity[index],
        "vector_similarity": outcome.vector_similarity[index],
        "rank_feature": outcome.rank_feature[index],
        "similarity": outcome.similarity[index],
    }

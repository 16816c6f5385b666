"""Every part of every score of a page, so that each similarity can be computed again (RET-5)."""

from collections.abc import Sequence
from typing import Any

from hybrid_search.query_builder import render
from hybrid_search.retriever.page import RankedBlock
from hybrid_search.retriever.recall import Recalled
from hybrid_search.retriever.request import RetrievalRequest
from hybrid_search.retriever.window import Window

FORMULAS = {
    "weighted": "vtweight * vector_similarity + tkweight * term_similarity + rank_feature",
    "model": "tkweight * term_similarity + vtweight * vector_similarity + rank_feature",
    "term": "term_similarity + rank_feature",
    "store": "the store's own score",
}


def explanation(
    request: RetrievalRequest, recalled: Recalled, ranked: RankedBlock, shown: Sequence[int], window: Window
) -> dict[str, Any]:
    """How the page came about: what was asked, which formula made the similarities, and their parts."""
    outcome = ranked.outcome
    result = ranked.recalled.result
    return {
        "query_text": None if recalled.query is None else render.lucene(recalled.query),
        "keywords": list(result.keywords),
        "min_match": recalled.min_match,
        "similarity": recalled.similarity,
        "listed": recalled.listed,
        "window": window.size,
        "formula": FORMULAS[outcome.formula],
        "tkweight": request.tkweight,
        "vtweight": request.vtweight,
        "chunks": [
            {
                "chunk_id": outcome.ids[index],
                "recall_score": result.scores.get(outcome.ids[index]),
                "recall_rank": window.first + index + 1,
                "term_similarity": outcome.term_similarity[index],
                "vector_similarity": outcome.vector_similarity[index],
                "rank_feature": outcome.rank_feature[index],
                "similarity": outcome.similarity[index],
            }
            for index in shown
        ],
    }

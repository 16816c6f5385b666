"""Explains scores: a row for each returned document, with every part of its score (DFY-6)."""

from collections.abc import Sequence
from typing import Any

from hybrid_search.post_processor.configuration import RetrievalConfiguration
from hybrid_search.post_processor.document import Document

FORMULAS = {
    "weighted_score": "vector_weight * vector_score + keyword_weight * keyword_score",
    "reranking_model": "the reranking model's score",
    "rrf": "the sum over the legs of 1 / (60 + place)",
    "leg": "the leg's own score",
}


def explain(
    configuration: RetrievalConfiguration,
    formula: str,
    query_keywords: Sequence[str],
    documents: Sequence[Document],
) -> dict[str, Any]:
    """Return the formula, the weights, the query's keywords, and a row of rank, scores and keywords for each document.

    Args:
        configuration: the settings of the retrieval.
        formula: a key of `FORMULAS`.
        query_keywords: words and parts of the query, if keywords were compared.
        documents: the returned documents, in order.
    """
    weights = configuration.weights if formula == "weighted_score" else None
    return {
        "search_method": configuration.search_method,
        "formula": FORMULAS[formula],
        "vector_weight": None if weights is None else weights.vector_weight,
        "keyword_weight": None if weights is None else weights.keyword_weight,
        "query_keywords": list(query_keywords),
        "rows": [row(place, document) for place, document in enumerate(documents, start=1)],
    }


def row(place: int, document: Document) -> dict[str, Any]:
    """Return one document's rank, id and scores; missing scores are null."""
    return {
        "place": place,
        "doc_id": document.doc_id,
        "keyword_score": document.number("keyword_score"),
        "vector_score": document.number("vector_score"),
        "score": document.number("score"),
        "leg_scores": dict(document.metadata.get("leg_scores") or {}),
    }

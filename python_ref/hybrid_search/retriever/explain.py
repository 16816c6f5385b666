"""Explains every part of every score of a page, so that each similarity can be computed again (RET-5)."""

from typing import Any

from hybrid_search.fusion.fused_legs import FusedLeg, FusedLegs
from hybrid_search.query_builder import render
from hybrid_search.query_builder.tree import Node
from hybrid_search.reranker.outcome import RerankOutcome
from hybrid_search.retriever.page import RankedBlock, RankedEntry
from hybrid_search.retriever.page_entries import PageEntries
from hybrid_search.retriever.recall import Recalled
from hybrid_search.retriever.request import RetrievalRequest
from hybrid_search.retriever.window import Window

FORMULAS = {
    "weighted": "vtweight * vector_similarity + tkweight * term_similarity + rank_feature",
    "model": "tkweight * term_similarity + vtweight * vector_similarity + rank_feature",
    "term": "term_similarity + rank_feature",
    "store": "the store's own score",
    "fused": "the score of the fusion",
    "auto": "(text.weight * text.share + dense.weight * dense.share) / highest",
    "min_max": "text.weight * text.share + dense.weight * dense.share",
}
LEGS = ("text", "dense")
UNITS = {"auto": "mean", "min_max": "spread"}


def explanation(request: RetrievalRequest, recalled: Recalled, entries: PageEntries, window: Window) -> dict[str, Any]:
    """Return the explanation of a page: the request, the formula of the similarities, and their parts.

    The blocks of full pages may have been scored by different formulas, so there each chunk has its own.
    """
    explained: dict[str, Any] = {
        **_asked(request, recalled),
        "window": window.size,
        "chunks": [_parts(entry) for entry in entries.shown],
    }
    if request.full_pages:
        for entry, parts in zip(entries.shown, explained["chunks"], strict=True):
            parts["formula"] = _formula(entry.block)
        explained |= _of_legs(entries.ranked.blocks[0])
    else:
        explained |= _of_legs(entries.ranked.blocks[0])
        explained["formula"] = _formula(entries.ranked.blocks[0])
    return explained


def query_explanation(request: RetrievalRequest, block: RankedBlock) -> dict[str, Any]:
    """Return the explanation of a search's ranking: the request and the formula of the similarities."""
    return {**_asked(request, block.recalled), **_of_legs(block), "formula": _formula(block)}


def recall_parts(block: RankedBlock) -> dict[str, dict[str, Any]]:
    """Return the rank and the score in recall of each candidate, by id; its other scores are in the result itself."""
    scores = block.recalled.result.scores
    return {
        identifier: {
            "id": identifier,
            "recall_score": scores.get(identifier),
            "recall_rank": rank,
            **_feature_part(block, identifier),
            **_leg_parts(block, identifier),
        }
        for rank, identifier in enumerate(block.outcome.ids, start=block.first + 1)
    }


def _asked(request: RetrievalRequest, recalled: Recalled) -> dict[str, Any]:
    return {
        "query_text": _query_text(recalled),
        "keywords": list(recalled.result.keywords),
        "min_match": recalled.min_match,
        "similarity": recalled.similarity,
        "listed": recalled.listed,
        "tkweight": request.tkweight,
        "vtweight": request.vtweight,
    }


def _query_text(recalled: Recalled) -> str | None:
    query = recalled.query
    if query is None:
        return None
    return render.lucene(query) if isinstance(query, Node) else " ".join(query)


def _of_legs(block: RankedBlock) -> dict[str, Any]:
    """Return the parameters of both legs' shares, if the fusion provides them (FUS-3, FUS-4)."""
    fused = block.recalled.result.fused
    if fused is None:
        return {}
    return {"legs": {**{name: _leg(fused, name) for name in LEGS}, "highest": fused.highest}}


def _leg(fused: FusedLegs, name: str) -> dict[str, Any]:
    leg: FusedLeg = getattr(fused, name)
    unit = UNITS[fused.method]
    return {"weight": leg.weight, "floor": leg.floor, unit: leg.unit, "first_share": leg.first_share}


def _leg_parts(block: RankedBlock, identifier: str) -> dict[str, Any]:
    """Return score, excess and share of a candidate in both legs; `None` outside the first hundred of a leg."""
    fused = block.recalled.result.fused
    if fused is None:
        return {}
    parts: dict[str, Any] = {}
    for name in LEGS:
        leg: FusedLeg = getattr(fused, name)
        if identifier not in leg.shares:
            parts[name] = None
            continue
        score = leg.scores[identifier]
        parts[name] = {"score": score, "excess": score - leg.floor, "share": leg.shares[identifier]}
    return {"legs": parts}


def _feature_part(block: RankedBlock, identifier: str) -> dict[str, float]:
    """Return the part of page rank and tags in the score of a candidate in the text leg, if they count (RNK-10)."""
    features = block.recalled.result.features
    return {"recall_feature": features.get(identifier, 0.0)} if features else {}


def _formula(block: RankedBlock) -> str:
    return FORMULAS[block.outcome.formula]


def _parts(entry: RankedEntry) -> dict[str, Any]:
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
        **_feature_part(entry.block, identifier),
        **_leg_parts(entry.block, identifier),
        **_model_part(outcome, identifier),
    }


def _model_part(outcome: RerankOutcome, identifier: str) -> dict[str, float]:
    """Return the model's score of a candidate of the head, which replaces the formula (RET-10)."""
    return {"model_score": outcome.model_scores[identifier]} if identifier in outcome.model_scores else {}

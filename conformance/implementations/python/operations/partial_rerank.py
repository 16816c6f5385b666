"""Operations of partial rerank (RNK-8, ORD-2)."""

import dataclasses
from typing import Any

from conformance.implementations.python.registry import Trace, operation
from conformance.implementations.python.scripted_model import ScriptedModel
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.reranker.partial_rerank import PartialOutcome, PartialRerank

DEFAULTS = {
    "rerank_top_k": 64,
    "rerank_fusion": "replace",
    "rerank_weight": 0.8,
    "rerank_batch_size": None,
    "fail_open": True,
    "rerank_timeout": 30.0,
}


def _plain(outcome: PartialOutcome, model: ScriptedModel, trace: Trace) -> dict[str, Any]:
    entries = [dataclasses.asdict(entry) for entry in outcome.entries]
    trace.stage("rerank", [[entry["id"], entry["tier"], entry["score"]] for entry in entries])
    return {
        "entries": entries,
        "status": outcome.status,
        "warnings": list(outcome.warnings),
        "asked": model.asked,
    }


@operation("partial_rerank.rerank", DEFAULTS)
def rerank(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """A list whose head a model scores; `texts` gives the text of each entry that has one."""
    model = ScriptedModel(given["model"])
    outcome = PartialRerank(model, **params).rerank(given["query"], given["ids"], given["scores"], given["texts"].get)
    return _plain(outcome, model, trace)


@operation("partial_rerank.rerank_result", DEFAULTS)
def rerank_result(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The documents of a search result, whose texts are made of their tokens."""
    model = ScriptedModel(given["model"])
    documents = given["documents"]
    result = SearchResult(total=len(documents), ids=[name for name, _ in documents], fields=dict(documents))
    outcome = PartialRerank(model, **params).rerank_result(given["query"], result, given["scores"])
    return _plain(outcome, model, trace)


@operation("partial_rerank.options", {"options": {}})
def options(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """What the constructor makes of options: true, or its error."""
    PartialRerank(given["model"] if "model" in given else ScriptedModel({}), **params["options"])
    return True


@operation("partial_rerank.defaults", {"options": {}})
def defaults(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """As `rerank`, but with the options alone that are given; the others are the library's."""
    model = ScriptedModel(given["model"])
    partial = PartialRerank(model, **params["options"])
    return _plain(partial.rerank(given["query"], given["ids"], given["scores"], given["texts"].get), model, trace)

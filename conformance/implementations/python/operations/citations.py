"""Operations of citations (CIT-1 … CIT-3)."""

from typing import Any

from conformance.implementations.python import stores
from conformance.implementations.python.registry import Trace, operation
from hybrid_search.embedding.hashing import HashingEmbedder
from hybrid_search.index import Index
from hybrid_search.search.answer_sentences import answer_sentences


@operation("citations.sentences")
def sentences(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The places and texts of the sentences of an answer."""
    return [[one.start, one.text] for one in answer_sentences(given)]


@operation("citations.cite", {"dimension": None, "options": {}})
def cite(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The answer with its sources: `hits` are as they are given, or those of a `question`."""
    dimension = params["dimension"]
    embedding = None if dimension is None else HashingEmbedder(dimension=dimension)
    index = Index(embedding=embedding, **stores.of_index())
    index.add(given["records"])
    hits = index.search(given["question"]) if "question" in given else given["hits"]
    return index.cite(given["answer"], hits, **params["options"]).to_dict()

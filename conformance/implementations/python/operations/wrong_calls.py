"""Wrong calls over the whole public surface (ERR-3): each is refused with one message.

`on` names a class. `call` is "new" or a method, of an object that is made with what it needs, or of a class whose
methods need no object; `arguments` are given by their places, `options` by their names. `about` is what the message
must name.
"""

from collections.abc import Callable
from typing import Any

import hybrid_search
from conformance.implementations.python.registry import Trace, operation

DOCUMENT = {"id": "1", "content_ltks": "red wine", "q_2_vec": [1.0, 0.0]}

ACCEPTED = "accepted"
WITHOUT_OBJECT = ("BlockIndex.open", "Fusion", "PostProcessor.from_configuration", "RetrievalConfiguration.parse")


def _scores(query: str, texts: list[str]) -> list[float]:
    return [0.5] * len(texts)


def _store() -> Any:
    store = hybrid_search.MemoryDocStore()
    store.insert([DOCUMENT])
    return store


def _hashing() -> Any:
    return hybrid_search.HashingEmbedder(dimension=2)


def _blocks() -> Any:
    return hybrid_search.BlockIndex([{"file_path": "a.py"}], [[1.0, 0.0]])


PLACES: dict[str, Callable[[], list[Any]]] = {
    "BlockIndex": lambda: [[{"file_path": "a.py"}], [[1.0, 0.0]]],
    "ConvergentRetriever": lambda: [_blocks()],
    "DocumentBuilder": list,
    "Embedding": lambda: [_hashing()],
    "EmbeddingCache": lambda: [_hashing()],
    "HttpReranker": lambda: ["http://localhost/rerank", "model"],
    "OpenAiEmbedder": lambda: ["http://localhost/v1", "model"],
    "PartialRerank": lambda: [_scores],
    "PostProcessor": lambda: ["weighted_score"],
    "Reranker": lambda: [hybrid_search.QueryBuilder()],
    "RetrievalService": lambda: [_store()],
    "Retriever": lambda: [_store(), hybrid_search.QueryBuilder()],
}
"""What is given by place to make an object, where something has to be."""

NAMES: dict[str, dict[str, Any]] = {"PostProcessor": {"weights": "0.5,0.5"}}
"""What is given by name, unless a case gives another."""


@operation("wrong_calls.refused", {"on": None, "call": "new"})
def refused(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The error; what is not refused is `ACCEPTED`, which no case expects: results look otherwise in each language."""
    name, method = params["on"], params["call"]
    owner: Any = getattr(hybrid_search, name)
    arguments, options = given.get("arguments"), given.get("options", {})
    if method == "new":
        places = PLACES.get(name, list)() if arguments is None else arguments
        owner(*places, **{**(NAMES.get(name, {}) if arguments is None else {}), **options})
        return ACCEPTED
    if name not in WITHOUT_OBJECT and f"{name}.{method}" not in WITHOUT_OBJECT:
        owner = owner(*PLACES.get(name, list)(), **NAMES.get(name, {}))
    getattr(owner, method)(*(arguments or []), **options)
    return ACCEPTED

"""Operations of the front door (IDX-3): a script of calls on one index, and what is told of it (LOG-1, OBS-1)."""

from typing import Any

from conformance.implementations.python import log_lines, made_documents, own_types, stores
from conformance.implementations.python.registry import Trace, operation
from hybrid_search.embedding.hashing import HashingEmbedder
from hybrid_search.errors import HybridSearchError
from hybrid_search.index import Index

WRITING = {"add": "added", "update": "changed", "upsert": "written"}
"""Method → what its count is called."""


@operation("index.script", {"dimension": None, "options": {}})
def script(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """What each step of `steps` answers; a step is [method, argument, options] (see `own_types`).

    `model` is the dimension of a model that returns one vector for all texts; without it, a `HashingEmbedder` embeds.
    """
    dimension = params["dimension"]
    embedding: Any = None if dimension is None else HashingEmbedder(dimension=dimension)
    if "model" in given:
        embedding = lambda texts: [[1.0] * given["model"] for _ in texts]  # noqa: E731
    index = Index(embedding=embedding, **stores.of_index(), **params["options"])
    return [_step(index, *own_types.read(step)) for step in given["steps"]]


@operation(
    "index.told",
    {"dimension": None, "options": {}, "embedding_fails": None, "model_fails": None, "observer_fails": None},
)
def told(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """What an observer and a log are told of the steps of `steps`: events without their durations, and lines."""
    embedding: Any = None if params["dimension"] is None else HashingEmbedder(dimension=params["dimension"])
    if params["embedding_fails"] is not None:
        embedding = _failing(params["embedding_fails"])
    options = dict(params["options"])
    if params["model_fails"] is not None:
        options["rerank_model"] = _failing(params["model_fails"])
    events: list[Any] = []

    def observer(name: str, data: dict[str, Any]) -> None:
        events.append([name, data])
        if params["observer_fails"] is not None:
            raise RuntimeError(params["observer_fails"])

    index = Index(embedding=embedding, observer=observer, **options)
    with log_lines.kept() as lines:
        for step in given["steps"]:
            _step(index, *step)
    for _, data in events:
        del data["duration"]
    return {"events": events, "lines": lines}


def _failing(message: str) -> Any:
    def fail(*_: Any) -> Any:
        raise RuntimeError(message)

    return fail


def _step(index: Index, method: str, argument: Any = None, options: dict[str, Any] | None = None) -> Any:
    try:
        return _answer(index, method, argument, options or {})
    except HybridSearchError as error:
        return {"error": type(error).__name__, "message": str(error)}


def _answer(index: Index, method: str, argument: Any, options: dict[str, Any]) -> Any:
    if method in WRITING:
        seen: list[list[int]] = []
        written = getattr(index, method)(argument, progress=lambda done, total: seen.append([done, total]), **options)
        return {WRITING[method]: written, "progress": seen}
    if method == "search":
        return index.search(argument, **options).to_dict()
    if method == "search_many":
        return [[hit.id for hit in page] for page in index.search_many(argument, **options)]
    if method == "similar":
        return [[hit.id, hit.score] for hit in index.similar(argument, **options)]
    if method == "each":
        return [hit.id for hit in index.each(argument, **options)]
    if method == "store":  # documents that no record makes
        return index.store.insert(argument)
    if method == "fill":
        return index.store.insert(made_documents.make(range(argument)))
    if method in ("count", "clear"):
        return getattr(index, method)(**options)
    return getattr(index, method)(argument, **options)

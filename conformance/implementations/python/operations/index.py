"""Operations of the front door (IDX-3): a script of calls on one index."""

from typing import Any

from conformance.implementations.python import own_types
from conformance.implementations.python.registry import Trace, operation
from hybrid_search.embedding.hashing import HashingEmbedder
from hybrid_search.errors import HybridSearchError
from hybrid_search.index import Index


@operation("index.script", {"dimension": None, "options": {}})
def script(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """What each step of `steps` answers; a step is [method, argument, options] (see `own_types`)."""
    dimension = params["dimension"]
    index = Index(embedding=None if dimension is None else HashingEmbedder(dimension=dimension), **params["options"])
    return [_step(index, *own_types.read(step)) for step in given["steps"]]


def _step(index: Index, method: str, argument: Any = None, options: dict[str, Any] | None = None) -> Any:
    try:
        return _answer(index, method, argument, options or {})
    except HybridSearchError as error:
        return {"error": type(error).__name__, "message": str(error)}


def _answer(index: Index, method: str, argument: Any, options: dict[str, Any]) -> Any:
    if method == "add":
        seen: list[list[int]] = []
        added = index.add(argument, progress=lambda done, total: seen.append([done, total]), **options)
        return {"added": added, "progress": seen}
    if method == "search":
        page = index.search(argument, **options).to_dict()
        del page["timings"]
        return page
    if method == "each_page":
        return [[chunk.chunk_id for chunk in page.chunks] for page in index.each_page(argument, **options)]
    if method == "count":
        return index.count()
    return getattr(index, method)(argument)

"""Several indexes, with embeddings of their own, on one store (DOC-7): each step makes one and asks it once.

A step is [embedding, method, argument, options]. An embedding is `{dimension, model}`, its vectors those of the hashing
embedder; with `plain: true` a callable, which knows no dimension; null is none. `any_vectors` is for the index. The
method "retrieve" asks a retrieval service, any other an index; "warnings" and "query_warnings" give those of a search
and of a page by cursor.
"""

from typing import Any

from conformance.implementations.python import stores
from conformance.implementations.python.registry import Trace, operation
from conformance.implementations.python.stores import Store
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.embedding.hashing import HashingEmbedder
from hybrid_search.errors import HybridSearchError
from hybrid_search.index import Index
from hybrid_search.retrieval_service.retrieval_service import RetrievalService


@operation("vector_models.indexes")
def indexes(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """What each step answers: of a search the ids, of anything else what it gives, or the error."""
    store = stores.store()
    return [_step(store, *step) for step in given["steps"]]


def _step(
    store: Store, embedding: Any, method: str, argument: Any = None, options: dict[str, Any] | None = None
) -> Any:
    try:
        settings = {"any_vectors": embedding["any_vectors"]} if embedding and "any_vectors" in embedding else {}
        return _answer(store, _embedding(embedding), settings, method, argument, options or {})
    except HybridSearchError as error:
        return {"error": type(error).__name__, "message": str(error)}


def _answer(
    store: Store,
    embedding: Embedding | None,
    settings: dict[str, Any],
    method: str,
    argument: Any,
    options: dict[str, Any],
) -> Any:
    if method == "retrieve":
        found = RetrievalService(store, embedding=embedding).retrieve(argument, **options)
        return [[document.doc_id for document in found.documents], list(found.warnings)]
    index = Index(store=store, embedding=embedding, **settings)
    if method == "warnings":
        return list(index.search(argument, **options).warnings)
    if method == "search":
        return [hit.id for hit in index.search(argument, **options)]
    return getattr(index, method)(*([] if argument is None else [argument]))


def _embedding(options: dict[str, Any] | None) -> Embedding | None:
    if options is None:
        return None
    hashing = HashingEmbedder(dimension=options["dimension"])
    return Embedding(hashing.encode if options.get("plain") else hashing, model=options["model"])

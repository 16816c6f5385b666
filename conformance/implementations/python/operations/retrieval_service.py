"""Operations of the retrieval service (DFY-6)."""

from typing import Any

from conformance.implementations.python import corpora, log_lines
from conformance.implementations.python.registry import Trace, operation
from conformance.implementations.python.scripted_model import ScriptedModel
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.embedding.hashing import HashingEmbedder
from hybrid_search.errors import EmbeddingError
from hybrid_search.query_builder.expressions import MatchDenseExpr
from hybrid_search.records.document_builder import DocumentBuilder
from hybrid_search.retrieval_service.retrieval_service import RetrievalService
from hybrid_search.retrieval_service.service_result import ServiceResult


@operation("retrieval_service.retrieve", {"service": {}, "settings": {}})
def retrieve(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """What the service answers; of a corpus the documents without their texts."""
    service = _service(params["service"], given)
    result = service.retrieve(given["query"], **params["settings"])
    trace.stage("page", [document.doc_id for document in result.documents])
    plain = result.to_dict()
    if "corpus" in given:
        plain["documents"] = [document["metadata"] for document in plain["documents"]]
    return plain


@operation("retrieval_service.heads", {"service": {}, "settings": {}})
def heads(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The longest list, and the numbers of documents whose list is not its head: there should be none (DFY-6)."""
    service = _service(params["service"], given)
    settings = params["settings"]
    longest = service.retrieve(given["query"], **{**settings, "top_k": params["top_k"]})
    expected = [document.metadata for document in longest.documents]
    trace.stage("page", [document.doc_id for document in longest.documents])
    others = {
        top_k: service.retrieve(given["query"], **{**settings, "top_k": top_k})
        for top_k in range(1, params["top_k"], params["step"])
    }
    return {
        "longest": [[metadata["doc_id"], metadata["score"]] for metadata in expected],
        "no_head": [top_k for top_k, result in others.items() if _metadata(result) != expected[:top_k]],
    }


@operation("retrieval_service.told", {"service": {}, "settings": {}})
def told(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """What an observer and a log are told of one question: events without their durations, and lines."""
    events: list[Any] = []
    observer: Any = lambda name, data: events.append([name, data])  # noqa: E731
    service = _service({**params["service"], "observer": observer}, given)
    with log_lines.kept() as lines:
        service.retrieve(given["query"], **params["settings"])
    for _, data in events:
        del data["duration"]
    return {"events": events, "lines": lines}


@operation("retrieval_service.options")
def options(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """What the constructor makes of options: true, or its error."""
    RetrievalService(MemoryDocStore(), **given["options"])
    return True


def _metadata(result: ServiceResult) -> list[Any]:
    return [document.metadata for document in result.documents]


class _FailingStore(MemoryDocStore):
    """A store in which some kinds of search fail."""

    def __init__(self, failing: list[str]) -> None:
        super().__init__()
        self._failing = failing

    def search(self, *arguments: Any, **options: Any) -> SearchResult:
        """Fails, or searches."""
        self._fail("search", options.get("match_exprs", ()))
        return super().search(*arguments, **options)

    def rank(self, match_exprs: Any, filters: Any = None) -> list[tuple[str, float]]:
        """Fails, or ranks."""
        self._fail("rank", match_exprs)
        return super().rank(match_exprs, filters)

    def _fail(self, method: str, expressions: Any) -> None:
        for expression in expressions:
            kind = "dense" if isinstance(expression, MatchDenseExpr) else "text"
            if f"{kind} {method}" in self._failing:
                raise RuntimeError(f"no {kind} {method} today")


def _service(options: dict[str, Any], given: Any) -> RetrievalService:
    """The service over the corpus, or the records, of a case."""
    models = given.get("models")
    if isinstance(models, dict):
        models = {name: ScriptedModel(script) for name, script in models.items()}
    if "corpus" in given:
        corpus = corpora.load(given["corpus"])
        return RetrievalService(corpus.store(), embedding=corpus.embedding(), models=models, **options)
    embedding = _embedding(given)
    store = _FailingStore(given.get("failing", []))
    builder = DocumentBuilder(
        embedding=Embedding(HashingEmbedder(dimension=given.get("dimension", 16))), any_vectors=True
    )
    store.insert(builder.build_many(given["records"]))
    if "fields" in given:
        store.update(given["fields"])
    return RetrievalService(store, embedding=embedding, models=models, **options)


def _embedding(given: Any) -> Embedding | None:
    """The hashing embedder; none, or one that fails, where the case says so."""
    if given.get("embedding") == "none":
        return None
    if given.get("embedding") == "failing":
        return Embedding(_fail)
    return Embedding(HashingEmbedder(dimension=given.get("dimension", 16)))


def _fail(_texts: list[str]) -> list[list[float]]:
    raise EmbeddingError("no embedding today")

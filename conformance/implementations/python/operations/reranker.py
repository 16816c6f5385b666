"""Operations of the reranker (RNK-1, 2, 3, 5, 6, 7, 8, 9)."""

import os
import threading
from collections.abc import Sequence
from functools import cache
from typing import Any
from unittest import mock

from conformance.implementations.python.registry import Trace, operation
from conformance.implementations.python.scripted_model import ScriptedModel
from hybrid_search.accelerated.prepared import PreparedDocument, Vocabulary
from hybrid_search.base import ordering
from hybrid_search.doc_store_adapter.documents.stored_fields import StoredFields
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.errors import HybridSearchError
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.query_builder.token_similarity import QueryKeys, TokenSimilarity
from hybrid_search.reranker import spacing
from hybrid_search.reranker.http_reranker import HttpReranker
from hybrid_search.reranker.named_models import NamedModels
from hybrid_search.reranker.outcome import RerankOutcome
from hybrid_search.reranker.partial_rerank import PartialRerank
from hybrid_search.reranker.rank_features import RankFeatures
from hybrid_search.reranker.rerank_choice import RerankChoice
from hybrid_search.reranker.rerank_model import RerankModel
from hybrid_search.reranker.reranker import Reranker
from hybrid_search.reranker.term_similarity import QuestionReader

RERANK_DEFAULTS = {"tkweight": 0.3, "vtweight": 0.7, "rank_feature": None}
MOST_LATE = 256
"""The number of late calls after which a library without a limit is not called again."""
MODEL_DEFAULTS = {**RERANK_DEFAULTS, "fail_open": True, "rerank_timeout": 30.0}


class GivenKeywords:
    """A question whose keywords the case gives, each of the same weight."""

    def __init__(self, keywords: Sequence[str]) -> None:
        self._keywords = keywords

    def build_text_query(self, _question: str) -> tuple[Any, Sequence[str]]:
        """No text query, and the keywords."""
        return None, self._keywords

    def token_similarity(self, query_tokens: Sequence[str], docs_tokens: Sequence[Sequence[str]]) -> list[float]:
        """QRY-9 with these weights."""
        return TokenSimilarity(self).token_similarity(query_tokens, docs_tokens)  # type: ignore[arg-type]

    def query_keys(self, query_tokens: Sequence[str]) -> QueryKeys:
        """What `token_similarity` looks for, so that prepared documents are not read anew."""
        return TokenSimilarity(self).query_keys(query_tokens)  # type: ignore[arg-type]

    def weights(self, tokens: Sequence[str], preprocess: bool = True) -> list[tuple[str, float]]:
        """The same weight for each token."""
        return [(token, 1.0 / len(tokens)) for token in tokens]


class CountedTokens:
    """A reader with a way of its own to compare, which remembers what it was given."""

    def __init__(self, keywords: Sequence[str]) -> None:
        self._keywords = keywords
        self.compared: list[list[str]] = []

    def build_text_query(self, _question: str) -> tuple[Any, Sequence[str]]:
        """No text query, and the keywords."""
        return None, self._keywords

    def token_similarity(self, query_tokens: Sequence[str], docs_tokens: Sequence[Sequence[str]]) -> list[float]:
        """How many of a document's tokens are tokens of the question."""
        self.compared += map(list, docs_tokens)
        return [float(sum(1 for token in tokens if token in query_tokens)) for tokens in docs_tokens]


@cache
def _query_builder() -> QueryBuilder:
    return QueryBuilder()


def _reader(given: Any) -> QuestionReader:
    return GivenKeywords(given["keywords"]) if "keywords" in given else _query_builder()


def _result(given: Any, prepared: dict[str, PreparedDocument]) -> SearchResult:
    return SearchResult(
        total=len(given["documents"]),
        ids=[identifier for identifier, _ in given["documents"]],
        fields=dict(given["documents"]),
        scores=given.get("scores", {}),
        query_vector=given.get("query_vector"),
        prepared=prepared,
    )


def _prepared(given: Any) -> dict[str, PreparedDocument]:
    """What a store would have made of the documents, of those that it would have accepted."""
    vocabulary = Vocabulary()
    dimension = len(given.get("query_vector") or ())
    name = StoredFields.vector_field(dimension)
    prepared = {}
    for identifier, fields in given["documents"]:
        reader = StoredFields()
        vector = reader.vector(identifier, fields, name, dimension)
        made = PreparedDocument.prepare(vocabulary, fields, vector)
        if made is not None and not reader.warnings() and not isinstance(fields.get(name), str):
            prepared[identifier] = made
    return prepared


def _plain(outcome: RerankOutcome) -> dict[str, Any]:
    return {
        "order": [outcome.ids[place] for place in ordering.rank_indexes(list(outcome.ids), list(outcome.similarity))],
        "similarity": list(outcome.similarity),
        "formula": outcome.formula,
        "warnings": list(outcome.warnings),
    }


def _record(trace: Trace, outcome: RerankOutcome) -> None:
    trace.stage("term similarity", list(outcome.term_similarity))
    trace.stage("vector similarity", list(outcome.vector_similarity))
    trace.stage("rank feature", list(outcome.rank_feature))
    trace.stage("rerank", list(outcome.similarity))


@operation("reranker.rerank_by_hybrid", RERANK_DEFAULTS)
def rerank_by_hybrid(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """Hybrid rerank; of documents read anew and of prepared ones, which must give the same."""
    reranker = Reranker(_reader(given))
    trace.stage("tokenise", list(_reader(given).build_text_query(given["question"])[1]))
    outcome = reranker.rerank_by_hybrid(_result(given, {}), given["question"], **params)
    again = reranker.rerank_by_hybrid(_result(given, _prepared(given)), given["question"], **params)
    if again != outcome:
        raise RuntimeError(f"prepared documents give {again}, others {outcome}")
    _record(trace, outcome)
    return _plain(outcome)


@operation("reranker.plugged_in", RERANK_DEFAULTS)
def plugged_in(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """Hybrid rerank where another reader is plugged in; with the tokens that it was given of each document."""
    reader = CountedTokens(given["keywords"])
    outcome = Reranker(reader).rerank_by_hybrid(_result(given, {}), given["question"], **params)
    _record(trace, outcome)
    return {**_plain(outcome), "compared": reader.compared}


@operation("reranker.rerank_by_model", MODEL_DEFAULTS)
def rerank_by_model(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """Rerank by a model that does what the case's script says; with what it was asked."""
    model = ScriptedModel(given["model"])
    outcome = Reranker(_reader(given)).rerank_by_model(model, _result(given, {}), given["question"], **params)
    _record(trace, outcome)
    return {**_plain(outcome), "asked": model.asked}


@operation("reranker.scale_scores", {"query": "query"})
def scale_scores(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """A model's scores on [0, 1]; one text per score unless `texts` says how many."""
    model = ScriptedModel({"answer": given["scores"]})
    texts = [f"text {place}" for place in range(given.get("texts", len(given["scores"] or ())))]
    return {"scores": RerankModel(model).scores(params["query"], texts), "calls": len(model.asked)}


@operation("reranker.model_options", {"options": {}})
def model_options(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """What the constructor makes of a model that is none, or of options: true, or its error."""
    RerankModel(given["model"] if "model" in given else ScriptedModel([]), **params["options"])
    return True


@operation("reranker.named", {"url": None})
def named(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The choice that a name makes."""
    return RerankChoice.named(given["name"], params["url"]).to_dict()


@operation("reranker.models")
def models(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """What searches get that name each of `names`: the place of the first name with the same model, and what it is.

    With an `environment`, a model of a service also has the key that it sends.
    """
    with mock.patch.dict(os.environ, given.get("environment", {})):
        named = NamedModels()
        found: list[Any] = []
        shown: list[Any] = []
        for name in given["names"]:
            try:
                model = named.options({"limit": 3, "rerank_model": name})["rerank_model"]
            except HybridSearchError as error:
                model = {"error": type(error).__name__, "message": str(error)}
            found.append(model)
            first = next(place for place, other in enumerate(found) if other is model)
            if isinstance(model, HttpReranker):
                key = {"key": model._client._api_key.read()} if "environment" in given else {}
                shown.append({"first": first, "model": model.model, "address": model._endpoint.shown, **key})
            else:
                shown.append({"gives": model})
        return shown


@operation("reranker.rank_features", {"rank_feature": None})
def rank_features(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """Page rank and tags of documents; `query_order` is the order of the query's tags, which JSON does not keep."""
    reader = StoredFields()
    query = params["rank_feature"]
    if "query_order" in given:
        query = {name: query[name] for name in given["query_order"]}
    scores = RankFeatures.scores(_result(given, {}), query, reader)
    stored = [RankFeatures.tags(fields.get("tag_feas")) for _, fields in given["documents"]]
    trace.stage("read", [None if found is None else [list(item) for item in found.items()] for found in stored])
    return {"scores": scores, "warnings": list(reader.warnings())}


@operation("reranker.tags")
def tags(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The tags that stored values hold, as lists of [name, value]; null when they hold none."""
    read = [RankFeatures.tags(value) for value in given["values"]]
    return [None if found is None else [list(item) for item in found.items()] for found in read]


@operation("reranker.spacing")
def without_redundant_blanks(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """Texts without redundant blanks."""
    return [spacing.remove_redundant(text) for text in given["texts"]]


@operation("reranker.store_scores")
def store_scores(_params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The outcome of a store that fuses by itself."""
    outcome = RerankOutcome.of_store_scores(_result(given, {}))
    _record(trace, outcome)
    return _plain(outcome)


@operation("reranker.fused_head", {"fail_open": True})
def fused_head(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The displayed scores of a fusion whose head a model reranks (RET-10)."""
    model = ScriptedModel(given["model"])
    result = _result(given, {})
    fused = RerankOutcome.of_fusion(result)
    partial = PartialRerank(model, **params).rerank_result(given["question"], result, fused.stage1_scores)
    outcome = fused.with_model(partial)
    _record(trace, outcome)
    order = [outcome.ids[place] for place in outcome.order()]
    return {**_plain(outcome), "order": order, "model_scores": dict(outcome.model_scores), "asked": model.asked}


@operation("reranker.late_calls")
def late_calls(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """Return the different messages of calls that are all late, up to the first that is not made, and a later answer.

    The model waits until no more calls are made, and the later call until those of the model have ended.
    """
    query, texts = given["query"], given["texts"]
    release, before = threading.Event(), threading.enumerate()

    def wait(_query: str, _texts: list[str]) -> Any:
        release.wait(30.0)
        return given["scores"]

    late = RerankModel(wait, rerank_timeout=0.001)
    messages: dict[Any, None] = {}
    try:
        for _ in range(MOST_LATE):  # a thread that starts too late ends by itself: then it takes a few more calls
            messages[late.attempt(query, texts)[1]] = None
            if len(messages) == 2:
                break
    finally:
        release.set()
    for thread in set(threading.enumerate()).difference(before):
        thread.join()
    return {"late": list(messages), "later": RerankModel(wait).attempt(query, texts)}

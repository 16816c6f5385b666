"""Several calls on one object, each answer kept: what an object remembers must not show (ORD-3).

Every operation takes `steps`, each a list of a method and its arguments, and answers each; an error is its class and
message.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

from conformance.implementations.python import made_documents, stores
from conformance.implementations.python.operations import doc_store
from conformance.implementations.python.registry import Trace, operation
from conformance.implementations.python.scripted_model import ScriptedModel
from hybrid_search.base.kernels import kernel
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.embedding.hashing import HashingEmbedder
from hybrid_search.errors import HybridSearchError
from hybrid_search.post_processor.post_processor import PostProcessor
from hybrid_search.query_builder import render
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.query_builder.token_similarity import TokenSimilarity
from hybrid_search.records.document_builder import DocumentBuilder
from hybrid_search.reranker.reranker import Reranker
from hybrid_search.retrieval_service.retrieval_service import RetrievalService
from hybrid_search.text.keyword_cache import KeywordCache
from hybrid_search.text.keyword_extractor import KeywordExtractor
from hybrid_search.text.segmenter import Segmenter
from hybrid_search.text.tokenizer import Tokenizer

Methods = dict[str, Callable[..., Any]]


def _answers(methods: Methods, steps: list[list[Any]]) -> list[Any]:
    return [_answer(methods, *step) for step in steps]


def _answer(methods: Methods, method: str, *arguments: Any) -> Any:
    try:
        return methods[method](*arguments)
    except HybridSearchError as error:
        return {"error": type(error).__name__, "message": str(error)}


@operation("kept.documents", {"bm25": "okapi"})
def documents(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """One store; `fill`, `near` and `drop` take places of documents that are made: the first, how many, every which.

    `among` takes a field and filters, and places: the field must have one of them as its value.
    """
    store = stores.store(**params)

    def places(first: int, count: int, every: int = 1) -> range:
        return range(first, first + count * every, every)

    def passing(filters: dict[str, Any]) -> list[str]:
        return [identifier for identifier, _ in store.rank([], filters)]

    methods: Methods = {
        "insert": store.insert,
        "update": store.update,
        "upsert": store.upsert,
        "delete": store.delete,
        "fill": lambda *which: store.insert(made_documents.make(places(*which))),
        "near": lambda *which: store.insert(made_documents.near(places(*which))),
        "drop": lambda *which: store.delete([made_documents.name(place) for place in places(*which)]),
        "count": store.count,
        "text": lambda text, filters=None: doc_store.pairs(store.text_leg(doc_store.text(text), filters)),
        "dense": lambda dense, filters=None: doc_store.pairs(store.dense_leg(doc_store.dense(dense), filters)),
        "rank": lambda match, filters=None: doc_store.pairs(store.rank(doc_store.exprs(match), filters)),
        "passing": passing,
        "among": lambda field, filters, *which: passing({**filters, field: list(places(*which))}),
        "search": lambda match, options: doc_store.result(store.search(match_exprs=doc_store.exprs(match), **options)),
    }
    return _answers(methods, given["steps"])


@operation("kept.words", {"stemming": True})
def words(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """One dictionary, with all that reads it; `add` takes a word, its frequency and its tag."""
    segmenter = Segmenter()
    tokenizer = Tokenizer(segmenter, stemming=params["stemming"])
    weigher = kernel("term_weight")(tokenizer)
    builder = QueryBuilder(tokenizer, weigher)
    documents = DocumentBuilder(tokenizer)

    def query(question: str) -> Any:
        expression, keywords = builder.build_text_query(question)
        return [None if expression is None else render.lucene(expression.tree), keywords]

    methods: Methods = {
        "add": segmenter.add_word,
        "cut": segmenter.cut,
        "cut_without_model": lambda text: segmenter.cut(text, hmm=False),
        "cut_for_search": segmenter.cut_for_search,
        "suggest": segmenter.suggest_frequency,
        "term": lambda term: [tokenizer.frequency(term), tokenizer.tag(term)],
        "tokenize": tokenizer.tokenize,
        "parts": tokenizer.fine_grained,
        "document": lambda title, content: documents.build({"id": "a", "title": title, "content": content}),
        "weights": lambda tokens: weigher.weights(tokens, preprocess=False),
        "query": query,
        "long_query": lambda piece, times: query(piece * times),
        "similarity": TokenSimilarity(weigher).token_similarity,
    }
    return _answers(methods, given["steps"])


@operation("kept.keywords", {"options": {}, "capacity": 4096})
def keywords(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """One cache of keywords around one extractor; `extract` takes a text and options, `clear` and `size` nothing."""
    extractor = KeywordExtractor(**params["options"])
    cache = KeywordCache(extractor, capacity=params["capacity"])

    def plain(found: Any) -> Any:
        return {"words": [list(pair) for pair in zip(found.words, found.weights, strict=True)], "parts": found.parts}

    methods: Methods = {
        "add": extractor.add_word,
        "extract": lambda text, options=None: plain(cache.extract(text, **(options or {}))),
        "anew": lambda text, options=None: plain(extractor.extract(text, **(options or {}))),
        "size": lambda: cache.size,
        "clear": cache.clear,
    }
    return _answers(methods, given["steps"])


@operation("kept.processor", {"options": {}, "capacity": 4096})
def processor(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """One post-processor with a cache of keywords; `process` takes a query, documents and options."""
    options = dict(params["options"])
    if "model" in given:
        options["reranking_model"] = ScriptedModel(given["model"])
    made = PostProcessor(keyword_extractor=KeywordCache(capacity=params["capacity"]), **options)

    def process(query: str, documents: Any, options: dict[str, Any] | None = None) -> Any:
        return made.process(query, documents, **(options or {})).to_dict()

    return _answers({"process": process}, given["steps"])


@operation("kept.rerank")
def rerank(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """One reranker and results of one store, which may begin with a document of so many words.

    `hybrid` takes a question, the vector that finds all documents, and options. For `turned` another vector takes its
    place after it has found them; `fused` finds them by a token too, and only one by the vector.
    """
    store = stores.store()
    if "words" in given:
        store.insert([{"id": "words", "content_ltks": " ".join(f"w{place}" for place in range(given["words"]))}])
    store.insert(given["documents"])
    names = [document["id"] for document in given["documents"]]
    fields = sorted({field for document in given["documents"] for field in document})
    reranker = Reranker(QueryBuilder())

    def found(vector: list[float]) -> SearchResult:
        dense = {"field": f"q_{len(vector)}_vec", "vector": vector, "topn": len(names)}
        return store.search(match_exprs=doc_store.exprs([{"dense": dense}]), select_fields=fields, limit=len(names))

    def by_token(token: str, vector: list[float]) -> SearchResult:
        text = {"fields": [["content_ltks", 1.0]], "tree": {"term": token}, "topn": len(names)}
        legs = [{"text": text}, {"dense": {"field": f"q_{len(vector)}_vec", "vector": vector, "topn": 1}}]
        match = doc_store.exprs([*legs, {"fusion": {"method": "rrf", "topn": len(names)}}])
        return store.search(match_exprs=match, select_fields=fields, limit=len(names))

    def hybrid(result: SearchResult, question: str, options: dict[str, Any] | None = None) -> Any:
        outcome = reranker.rerank_by_hybrid(result, question, **(options or {}))
        return [list(outcome.ids), list(outcome.similarity), list(outcome.warnings)]

    methods: Methods = {
        "hybrid": lambda question, vector, options=None: hybrid(found(vector), question, options),
        "turned": lambda question, vector, other: hybrid(
            dataclasses.replace(found(vector), query_vector=tuple(other)), question
        ),
        "fused": lambda question, token, vector: hybrid(by_token(token, vector), question),
        "update": store.update,
    }
    return _answers(methods, given["steps"])


@operation("kept.service", {"service": {}})
def service(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """One retrieval service over one store; `retrieve` takes a query and settings, `add` and `delete` change it."""
    embedding = Embedding(HashingEmbedder(dimension=16))
    store = stores.store()
    builder = DocumentBuilder(embedding=embedding)
    store.insert(builder.build_many(given["records"]))
    models = {name: ScriptedModel(script) for name, script in given.get("models", {}).items()}
    made = RetrievalService(store, embedding=embedding, models=models, **params["service"])
    methods: Methods = {
        "retrieve": lambda query, settings=None: made.retrieve(query, **(settings or {})).to_dict(),
        "add": lambda records: store.insert(builder.build_many(records)),
        "delete": store.delete,
    }
    return _answers(methods, given["steps"])

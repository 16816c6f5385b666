"""Operations of `doc_store_adapter/`. Every case brings its documents along.

A query tree is written `{term: a}`, `{phrase: [a, b], slop: 2}`, `{any_of: [...]}`, `{boost: node, factor: 2.0}`,
`{group: node}`, or `{groups: 3, of: node}` for some around each other; anything else is passed on as it is. A list of
match expressions holds `{text: {fields, tree, topn, extra_options}}` or `{bag: {fields, tokens, topn}}`, `{dense:
{field, vector, topn, extra_options}}` and `{fusion: {method, topn, params}}`.
"""

from collections import Counter
from contextlib import suppress
from copy import copy
from typing import Any

from conformance.implementations.python import stores
from conformance.implementations.python.registry import Trace, operation
from conformance.implementations.python.stores import Store
from hybrid_search.doc_store_adapter.queries import aggregations
from hybrid_search.doc_store_adapter.queries.highlight import Highlight
from hybrid_search.doc_store_adapter.queries.match_exprs import MatchExprs
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.doc_store_adapter.snapshot.bm25 import Bm25
from hybrid_search.errors import HybridSearchError
from hybrid_search.fusion.fusion_expr import FusionExpr
from hybrid_search.query_builder.expressions import MatchBm25fExpr, MatchDenseExpr, MatchTextExpr
from hybrid_search.query_builder.tree import AnyOf, Boost, Group, Phrase, Term

FIELD = "content_ltks"


@operation("doc_store.search", defaults={"bm25": "okapi"})
def search(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """A whole search; `match` holds the match expressions, other keys are the arguments of `search`."""
    store = _store(params, given)
    arguments = {key: value for key, value in given.items() if key not in ("documents", "match")}
    expressions = exprs(given.get("match", []))
    found = store.search(match_exprs=expressions, **arguments)
    filters = given.get("filters")
    for expr in expressions[:2]:
        if not isinstance(expr, FusionExpr):
            stage = "dense leg rank" if isinstance(expr, MatchDenseExpr) else "text leg rank"
            trace.stage(stage, pairs(store.rank([expr], filters)))
    if MatchExprs(expressions).fusion is not None:
        trace.stage("fuse", pairs(store.rank(expressions, filters)))
    return result(found)


@operation("doc_store.bm25", defaults={"bm25": "okapi"})
def bm25(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The scores of a bag of terms in one field: texts by id, and the terms of the query."""
    store = stores.store(bm25=params["bm25"])
    store.insert([{"id": identifier, FIELD: text} for identifier, text in given["texts"]])
    tree = AnyOf(tuple(Term(term) for term in given["query"]))
    ranking = pairs(store.rank([MatchTextExpr(((FIELD, 1.0),), tree, topn=len(given["texts"]))]))
    trace.stage("weigh", _idf(params["bm25"], [text for _, text in given["texts"]]))
    return ranking


@operation("doc_store.text_leg", defaults={"bm25": "okapi"})
def text_leg(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The ranking of the text leg."""
    ranking = pairs(_store(params, given).rank([text(given["text"])], given.get("filters")))
    trace.stage("text leg rank", ranking)
    return ranking


@operation("doc_store.bm25f_leg")
def bm25f_leg(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The ranking of a bag of tokens."""
    ranking = pairs(_store(params, given).rank([_bag(given["bag"])], given.get("filters")))
    trace.stage("text leg rank", ranking)
    return ranking


@operation("doc_store.dense_leg")
def dense_leg(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The ranking of the dense leg."""
    ranking = pairs(_store(params, given).rank([dense(given["dense"])], given.get("filters")))
    trace.stage("dense leg rank", ranking)
    return ranking


@operation("doc_store.filters")
def filters(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The ids of the documents that pass."""
    return [identifier for identifier, _ in _store(params, given).rank([], given["filters"])]


@operation("doc_store.highlight")
def highlight(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The marked text, or null."""
    return Highlight(given["keywords"]).mark(given["text"])


@operation("doc_store.aggregations")
def counts(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The counts of values."""
    return [list(pair) for pair in aggregations.count(given["values"])]


@operation("doc_store.documents")
def documents(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """What each step of a script gives, one method and its argument a step; an error is its class and message."""
    store = stores.store(**params)
    return [step(store, one) for one in given["steps"]]


@operation("doc_store.kept_result")
def kept_result(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """What a result says once all that it was made of was emptied, and all that it gives, as far as it lets one."""
    parts = {name: copy(value) for name, value in given.items()}
    made = SearchResult(**parts)
    for value in [*parts.values(), *(getattr(made, name) for name in parts)]:
        if hasattr(value, "clear"):
            value.clear()
    for name in parts:
        with suppress(AttributeError):
            setattr(made, name, None)
    return result(made)


def step(store: Store, told: dict[str, Any]) -> Any:
    """What one step of a script gives."""
    method, argument = next(iter(told.items()))
    try:
        if method in ("insert", "update", "upsert", "delete", "get"):
            return getattr(store, method)(argument)
        if method == "keep_vector_model":
            return store.keep_vector_model(*argument)
        if method == "list":
            found = store.search(select_fields=[], **argument)
            return {"total": found.total, "ids": list(found.ids)}
        if method == "rank":
            return pairs(store.rank(exprs(argument)))
        return store.generation if method == "generation" else getattr(store, method)()
    except HybridSearchError as error:
        return {"error": {"class": type(error).__name__, "message": str(error)}}


def _idf(variant: str, texts: list[str]) -> list[Any]:
    """The raw idf of every term of one field, by term, and their average (DOC-3); null where there is no term."""
    formula = Bm25.of(variant)
    holding = Counter(token for text in texts for token in set(text.split(" ")) - {""})
    if not holding:
        return [[], None]
    raw = [[term, formula.raw_idf(len(texts), count)] for term, count in sorted(holding.items())]
    return [raw, formula.average_idf(len(texts), Counter(holding.values()))]


def _store(params: dict[str, Any], given: Any) -> Store:
    store = stores.store(**params)
    store.insert(given["documents"])
    return store


def exprs(given: Any) -> Any:
    """A list of match expressions; what is none is passed on as it is."""
    if not isinstance(given, list):
        return given
    return [_expr(item) for item in given]


def _expr(item: Any) -> Any:
    entry: tuple[Any, Any] = next(iter(item.items())) if isinstance(item, dict) and item else (None, None)
    kind, options = entry
    if kind == "text":
        return text(options)
    if kind == "bag":
        return _bag(options)
    if kind == "dense":
        return dense(options)
    return FusionExpr(**options) if kind == "fusion" else item


def text(options: dict[str, Any]) -> MatchTextExpr:
    """A text expression."""
    fields = tuple((name, boost) for name, boost in options["fields"])
    others = {key: value for key, value in options.items() if key not in ("fields", "tree")}
    return MatchTextExpr(fields, _tree(options["tree"]), **others)


def _bag(options: dict[str, Any]) -> MatchBm25fExpr:
    return MatchBm25fExpr(**options)


def dense(options: dict[str, Any]) -> MatchDenseExpr:
    """A dense expression."""
    return MatchDenseExpr(**{**options, "vector": tuple(options["vector"])})


def _tree(node: Any) -> Any:
    kind = next(iter(node)) if isinstance(node, dict) and node else None
    if kind == "term":
        return Term(node["term"])
    if kind == "phrase":
        return Phrase(tuple(node["phrase"]), node.get("slop", 0))
    if kind == "any_of":
        return AnyOf(tuple(_tree(child) for child in node["any_of"]))
    if kind == "boost":
        return Boost(_tree(node["boost"]), node["factor"])
    if kind == "groups":
        tree = _tree(node["of"])
        for _ in range(node["groups"]):
            tree = Group(tree)
        return tree
    return Group(_tree(node["group"])) if kind == "group" else node


def pairs(ranking: list[tuple[str, float]]) -> list[list[Any]]:
    """A ranking as plain data."""
    return [list(pair) for pair in ranking]


def result(found: SearchResult) -> dict[str, Any]:
    """The result of a search as plain data."""
    return {
        "total": found.total,
        "ids": list(found.ids),
        "fields": {identifier: dict(fields) for identifier, fields in found.fields.items()},
        "scores": dict(found.scores),
        "query_vector": None if found.query_vector is None else list(found.query_vector),
        "highlight": dict(found.highlight),
        "aggs": {field: [list(pair) for pair in counts] for field, counts in found.aggs.items()},
        "keywords": list(found.keywords),
    }

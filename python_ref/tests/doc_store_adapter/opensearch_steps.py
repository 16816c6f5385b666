"""Runs the steps of a test, in plain data with a store, as `opensearch_steps.rb` does, and prints the outcome."""

import logging
import time
from typing import Any

from hybrid_search.adapter_kit import FusionExpr, MatchDenseExpr, MatchTextExpr, tree
from hybrid_search.client.timing import Timing
from hybrid_search.doc_store_adapter.opensearch.opensearch_client import Request
from hybrid_search.doc_store_adapter.opensearch.opensearch_doc_store import OpenSearchDocStore
from hybrid_search.errors import HybridSearchError

METHODS = {"close": "POST", "remove": "DELETE"}
"""Steps that are requests of a path, as an administrator sends them."""

SECRETS = ("password", "api_key")
"""Options whose values the store asks for."""


def play(url: str | list[str], steps: list[list[Any]], options: dict[str, Any]) -> dict[str, Any]:
    """The results of steps, up to the first failure, the error, and the log lines."""
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("hybrid_search")
    logger.addHandler(handler)
    results: list[Any] = []
    told: list[str] | None = None
    try:
        given = {name: one_after_the_other(value) if name in SECRETS else value for name, value in options.items()}
        make = OpenSearchDocStore.ragflow_index if given.pop("ragflow", False) else OpenSearchDocStore
        store = make(url, given.pop("index", "i"), timing=hurried(), **{"timeout": 5.0, **given})
        for name, *arguments in steps:
            results.append(step(store, name, arguments))
    except HybridSearchError as problem:
        told = [type(problem).__name__, nameless(str(problem), url)]
    finally:
        logger.removeHandler(handler)
    return {"results": results, "error": told, "log": [nameless(line, url) for line in lines]}


def one_after_the_other(values: list[str]) -> Any:
    """Return a function that returns the next of several values at each call."""
    left = iter(values)
    return lambda: next(left)


def nameless(text: str, url: str | list[str]) -> str:
    """Return a text without addresses."""
    for one in [url] if isinstance(url, str) else url:
        text = text.replace(one, "URL")
    return text


def hurried() -> Timing:
    """A timing whose pauses take no time."""
    slept = [0.0]

    def sleep(seconds: float) -> None:
        slept[0] += seconds

    return Timing(lambda: time.monotonic() + slept[0], lambda: 1.5, sleep, lambda: 0.0)


def step(store: OpenSearchDocStore, name: str, arguments: list[Any]) -> Any:
    """Return the result of one method."""
    if name == "rank":
        found = store.rank([expression(one) for one in arguments[0]], *arguments[1:])
        return [list(pair) for pair in found]
    if name in METHODS:
        return bool(store._client.ask(Request(METHODS[name], *arguments)))
    if name == "clean":
        return store.clean(**(arguments[0] if arguments else {}))
    if name == "search":
        given = {**arguments[0], "match_exprs": [expression(one) for one in arguments[0].get("match_exprs", [])]}
        result = store.search(**given)
        return [result.total, list(result.ids), {key: dict(value) for key, value in result.fields.items()}]
    return getattr(store, name)(*arguments)


def expression(told: dict[str, Any]) -> Any:
    """A match expression of plain data."""
    if "vector" in told:
        lowest = {} if told.get("similarity") is None else {"similarity": told["similarity"]}
        return MatchDenseExpr(told["field"], tuple(told["vector"]), topn=told["topn"], extra_options=lowest)
    if "method" in told:
        return FusionExpr(told["method"], told["topn"])
    fields = tuple((field, boost) for field, boost in told["fields"])
    options = {} if told.get("minimum") is None else {"minimum_should_match": told["minimum"]}
    return MatchTextExpr(fields, node(told["tree"]), told["topn"], options)


def node(told: Any) -> Any:
    """A node of a query tree of plain data."""
    if isinstance(told, str):
        return tree.Term(told)
    kind, *parts = told
    if kind == "any":
        return tree.AnyOf(tuple(map(node, parts)))
    if kind == "boost":
        return tree.Boost(node(parts[0]), parts[1])
    return tree.Phrase(tuple(parts[0]), parts[1])

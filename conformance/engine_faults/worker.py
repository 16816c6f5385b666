"""A store in a process of its own: `python -m conformance.engine_faults.worker`, spoken to by `workers.py`.

A line of JSON names a method of the store and what it is given; a line of JSON gives its value or its error, and the
seconds that it took.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_doc_store import OceanBaseDocStore
from hybrid_search.doc_store_adapter.opensearch.opensearch_doc_store import OpenSearchDocStore
from hybrid_search.doc_store_adapter.postgres.postgres_doc_store import PostgresDocStore
from hybrid_search.errors import HybridSearchError
from hybrid_search.query_builder.expressions import MatchDenseExpr, MatchTextExpr
from hybrid_search.query_builder.tree import AnyOf, Term

STORES: dict[str, Callable[..., DocStoreAdapter]] = {
    "postgres": PostgresDocStore,
    "opensearch": OpenSearchDocStore,
    "oceanbase": OceanBaseDocStore,
}
CHANGES = ("insert", "update", "upsert", "delete")


def opened(kind: str, options: dict[str, Any]) -> DocStoreAdapter:
    """The store of a kind."""
    return STORES[kind](**options)


def answer(store: DocStoreAdapter, method: str, given: Any) -> Any:
    """What a store answers."""
    if method in CHANGES:
        return getattr(store, method)(given)
    if method == "get":
        return store.get(given)
    if method == "count":
        return store.count()
    if method == "pair":
        found = store.search(select_fields=["version_int"], filters={"pair_kwd": given}, limit=4)
        return sorted((name, found.fields[name]["version_int"]) for name in found.ids)
    if method == "total":
        return store.search(select_fields=["version_int"], filters={"pair_kwd": given}, limit=1).total
    if method == "found":
        filters = {"pair_kwd": given["pair"]}
        return sorted(identifier for identifier, _ in store.rank([expression(given["question"])], filters))
    return store.rank([expression(given)])


def expression(question: dict[str, Any]) -> Any:
    """The match expression of a question: terms, or a vector."""
    if "vector" in question:
        return MatchDenseExpr("q_8_vec", question["vector"], topn=question["topn"])
    tree = AnyOf(tuple(Term(term) for term in question["terms"]))
    return MatchTextExpr((("content_ltks", 1.0),), tree, topn=question["topn"])


def main() -> None:
    """Answer until there is no more to answer."""
    answers, sys.stdout = sys.stdout, sys.stderr
    store: DocStoreAdapter | None = None
    for line in sys.stdin:
        request = json.loads(line)
        begun = time.monotonic()
        try:
            if request["do"] == "open":
                store = opened(request["kind"], request["options"])
                reply: dict[str, Any] = {"value": None}
            else:
                assert store is not None
                reply = {"value": answer(store, request["do"], request["given"])}
        except HybridSearchError as error:
            reply = {"error": type(error).__name__, "message": str(error)}
        reply["seconds"] = time.monotonic() - begun
        answers.write(json.dumps(reply) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()

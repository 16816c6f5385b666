"""First pages as a program asks a cluster that uses no library: two queries in one request, then the page."""

import itertools
import json
from typing import Any

from hybrid_search.doc_store_adapter.opensearch.opensearch_transport import OpenSearchTransport
from hybrid_search.query_builder.builder import QueryBuilder

TIMEOUT = 30.0
PAGE = 10
NEIGHBOURS = 100


class OwnSearches:
    """Asks for the ids of the best documents by text and by vector, a page of each, and fetches a page of them.

    Args:
        nodes: the addresses of the cluster.
        index: the alias of an index that the library made.
    """

    def __init__(self, nodes: list[str], index: str) -> None:
        self._transport = OpenSearchTransport(nodes)
        self._index = index
        self._builder = QueryBuilder()

    def searches(self, question: str, vector: list[float]) -> str:
        """The body of the request for both legs, written before anything is timed."""
        bag = self._builder.build_bm25f_query(question)
        tokens = () if bag is None else bag.tokens
        text = {"bool": {"should": [{"term": {"bag": {"value": token}}} for token in tokens]}}
        near = {"knn": {f"v_{len(vector)}": {"vector": vector, "k": NEIGHBOURS}}}
        asked = [{"query": query, "size": PAGE, "_source": False} for query in (text, near)]
        return "".join(f"{json.dumps(line)}\n" for body in asked for line in ({"index": self._index}, body))

    def page(self, searches: str) -> list[Any]:
        """The documents of a page: the best of both legs in turns."""
        legs = [leg["hits"]["hits"] for leg in self._asked("/_msearch", searches)["responses"]]
        turns = (hit["_id"] for pair in itertools.zip_longest(*legs) for hit in pair if hit is not None)
        identifiers = list(dict.fromkeys(turns))[:PAGE]
        documents: list[Any] = self._asked(f"/{self._index}/_mget", json.dumps({"ids": identifiers}))["docs"]
        return documents

    def _asked(self, path: str, body: str) -> Any:
        answer = self._transport.request("POST", path, body, TIMEOUT)
        return json.loads(answer.text)

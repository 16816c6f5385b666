"""Counts the documents that the legs of a page find, unless it is known that enough of them have a vector (OS-9)."""

from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.doc_store_adapter.opensearch.opensearch_client import EngineSearch, OpenSearchClient
from hybrid_search.doc_store_adapter.opensearch.opensearch_filters import Query
from hybrid_search.doc_store_adapter.opensearch.opensearch_generations import Generation

MOST_REMEMBERED = 32
"""The number of queries above which all are forgotten."""

Enough = dict[str, str | None]
"""Query → the generation in which enough documents have a vector; `None` if they were too few."""


class OpenSearchCount:
    """Counts the documents of one page.

    In a large index the number does not depend on the text, because enough documents have a vector. These are counted
    once for each generation and remembered.

    Args:
        client: sends requests to the cluster.
        index: the path of the index or of its alias.
        enough: the cache for all pages.
        most: the number up to which documents are counted.
        legs: for each leg a query for its documents.
        dense: the query of the dense leg: all documents with a vector; `None` without that leg.
        filters: the query of the filters.
    """

    def __init__(
        self,
        client: OpenSearchClient,
        index: str,
        enough: Enough,
        most: int,
        legs: Sequence[Query],
        dense: Query | None,
        filters: Query,
    ) -> None:
        self._client = client
        self._index = index
        self._enough = enough
        self._most = most
        self._either: Query = {"bool": {"should": [*legs], "minimum_should_match": 1, "filter": [filters]}}
        self._vectors: Query | None = None if dense is None else {"bool": {"filter": [dense, filters]}}
        self._key = str((self._vectors, most))
        self._counted: Query | None = None

    def searches(self, generation: Generation | None) -> list[EngineSearch]:
        """Return the search that counts, or no search if the number is known.

        Args:
            generation: the generation of the index, if it is read at the same time.
        """
        self._counted = self._needed(generation)
        return [] if self._counted is None else [self._search(self._counted)]

    def total(self, answers: Sequence[Mapping[str, Any]], generation: str | None) -> int:
        """Return the number.

        Args:
            answers: the responses to `searches`.
            generation: the generation that the searches have read, if it is known.
        """
        if not answers:
            return self._most
        total = self._number(answers[0])
        if self._counted is not self._vectors:
            return total
        if len(self._enough) >= MOST_REMEMBERED:
            self._enough.clear()
        if total < self._most:
            self._enough[self._key] = None
            return self._number(self._client.search([self._search(self._either)])[0])
        if generation is not None:
            self._enough[self._key] = generation
        return total

    def _needed(self, generation: Generation | None) -> Query | None:
        """Return the query whose documents must be counted."""
        if self._vectors is None or generation is None or generation.documents < self._most:
            return self._either
        known = self._enough.get(self._key, "")
        if known is None:
            return self._either
        return None if known == generation.text else self._vectors

    def _search(self, query: Query) -> EngineSearch:
        body = {**self._client.engine.asked(query), "size": 0, "track_total_hits": self._most}
        return EngineSearch(self._index, body)

    def _number(self, answer: Mapping[str, Any]) -> int:
        return min(int(answer["hits"]["total"]["value"]), self._most)

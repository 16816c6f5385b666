"""The single searches of a retrieval: semantic, full-text and keyword search (DFY-6)."""

import dataclasses
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from hybrid_search.base import ordering, validation
from hybrid_search.doc_store_adapter import vector_models
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.errors import ConfigurationError, DocStoreError, HybridSearchError
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.query_builder.expressions import MatchDenseExpr, MatchTextExpr
from hybrid_search.query_builder.tree import AnyOf, Node, Phrase, Term
from hybrid_search.text.keyword_cache import KeywordSource

SELECTED_FIELDS = ("id", "doc_id", "docnm_kwd", "kb_id", "content_with_weight", "metadata")
QUERY_KEYWORDS = 10

Answer = TypeVar("Answer")
Filters = Mapping[str, Any]


class SearchLegs:
    """Runs one kind of search at a time on a store.

    Args:
        store: the documents.
        query_builder: makes text queries.
        embedding: makes query vectors; without one (`None`) semantic search is not possible.
        keyword_extractor: finds the keywords of queries.
    """

    def __init__(
        self,
        store: DocStoreAdapter,
        query_builder: QueryBuilder,
        embedding: Embedding | None,
        keyword_extractor: KeywordSource,
    ) -> None:
        self._store = store
        self._query_builder = query_builder
        self._embedding = embedding
        self._keyword_extractor = keyword_extractor
        self._check()

    @property
    def has_embedding(self) -> bool:
        """Whether semantic search is possible."""
        return self._embedding is not None

    def warnings(self) -> tuple[str, ...]:
        """Return warnings about documents that semantic search does not find (DOC-7)."""
        return _guarded(self._check)

    def search(self, method: str, query: str, filters: Filters, depth: int) -> SearchResult:
        """Return the best documents of one search method, at most `depth`, in the order of ORD-1.

        Args:
            method: "semantic_search", "full_text_search" or "keyword_search".
            query: the query as typed, not blank.
            filters: the conditions that documents must satisfy.
            depth: at least 1.

        Raises:
            ConfigurationError: a semantic search without an embedding.
            EmbeddingError: the embedding failed.
            DocStoreError: the store failed.
        """
        searches = {
            "semantic_search": self._semantic,
            "full_text_search": self._full_text,
            "keyword_search": self._keyword,
        }
        return _guarded(lambda: searches[method](query, filters, depth))

    def cosines(self, query: str, identifiers: Sequence[str], filters: Filters) -> dict[str, float]:
        """Return the store's cosine of each document with the query; documents without a vector are omitted.

        Raises:
            EmbeddingError: the embedding failed.
            DocStoreError: the store failed.
        """
        if not identifiers:
            return {}

        def ask() -> dict[str, float]:
            wanted = {**filters, "id": list(identifiers)}
            return dict(self._store.rank([self._dense(query, len(identifiers))], wanted))

        return _guarded(ask)

    @staticmethod
    def together(calls: Sequence[Callable[[], SearchResult]]) -> list[SearchResult | HybridSearchError]:
        """Return the results, or the errors, of several searches that run at the same time, each in a thread."""
        answers: list[SearchResult | HybridSearchError] = [DocStoreError("no answer")] * len(calls)

        def run(index: int, call: Callable[[], SearchResult]) -> None:
            try:
                answers[index] = call()
            except HybridSearchError as problem:
                answers[index] = problem

        threads = [threading.Thread(target=run, args=pair, name="search leg") for pair in enumerate(calls)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return answers

    def _semantic(self, query: str, filters: Filters, depth: int) -> SearchResult:
        return self._found(filters, self._dense(query, depth), depth)

    def _full_text(self, query: str, filters: Filters, depth: int) -> SearchResult:
        text, _ = self._query_builder.build_text_query(query)
        if text is None:
            return SearchResult(0, (), {})
        return self._found(filters, text.with_topn(depth), depth)

    def _keyword(self, query: str, filters: Filters, depth: int) -> SearchResult:
        """Return documents that contain a keyword of the query, or a part of one; the score is the number of these."""
        counts: dict[str, float] = {}
        for node in self._keyword_nodes(query):
            text = MatchTextExpr(self._query_builder.fields, node, max(1, self._store.count()))
            for identifier, _ in self._store.rank([text], filters):
                counts[identifier] = counts.get(identifier, 0.0) + 1.0
        best = ordering.rank(counts.items())[:depth]
        ids = [identifier for identifier, _ in best]
        if not ids:
            return SearchResult(0, (), {})
        wanted = {**filters, "id": ids}
        found = self._store.search(select_fields=list(SELECTED_FIELDS), filters=wanted, limit=len(ids))
        there = [identifier for identifier in ids if identifier in found.fields]
        return dataclasses.replace(found, ids=there, scores=dict(best))

    def _keyword_nodes(self, query: str) -> list[Node]:
        """Return a query for each distinct keyword and part: its tokens as a phrase, or a keyword field's value."""
        nodes: dict[Node, None] = {}
        for term in self._keyword_extractor.extract(query, QUERY_KEYWORDS).terms:
            tokens = tuple(self._query_builder.tokenizer.tokenize(term))
            in_text = [Phrase(tokens) if len(tokens) > 1 else Term(tokens[0])] if tokens else []
            nodes[AnyOf((Term(term), *(node for node in in_text if node != Term(term))))] = None
        return list(nodes)

    def _dense(self, query: str, depth: int) -> MatchDenseExpr:
        """Return the nearest-neighbour query, without a minimum cosine."""
        if self._embedding is None:
            raise ConfigurationError("semantic_search needs an embedding")
        dense = self._embedding.match_dense(query, topk=depth, similarity=-1.0)
        self._check()
        return dataclasses.replace(dense, extra_options={})

    def _check(self) -> tuple[str, ...]:
        return () if self._embedding is None else vector_models.check(self._store, self._embedding)

    def _found(self, filters: Filters, expression: Any, depth: int) -> SearchResult:
        return self._store.search(
            select_fields=list(SELECTED_FIELDS), filters=filters, match_exprs=[expression], limit=depth
        )


def _guarded(call: Callable[[], Answer]) -> Answer:
    """Return the value of the call; a store's own errors become a `DocStoreError`."""
    try:
        return call()
    except HybridSearchError:
        raise
    except Exception as problem:
        raise DocStoreError(f"the document store failed: {validation.foreign_error(problem)}") from problem

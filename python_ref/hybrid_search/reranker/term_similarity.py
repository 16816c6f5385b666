"""How much of a question's weight documents have (RNK-1, QRY-9)."""

from collections.abc import Sequence
from typing import Any, Protocol

from hybrid_search.doc_store_adapter.documents.stored_fields import StoredFields
from hybrid_search.doc_store_adapter.search_result import SearchResult


class QuestionReader(Protocol):
    """What the Reranker needs of a query builder.

    One that also has `keywords(question)`, the keywords alone, and `query_keys(query_tokens)`, what `token_similarity`
    looks for, as `QueryBuilder` has, may be asked by these instead. Who redefines one method of such a pair redefines
    the other too, or sets it to none.
    """

    def build_text_query(self, question: str) -> tuple[Any, Sequence[str]]:
        """The text query, or none, and the keywords of a question."""

    def token_similarity(self, query_tokens: Sequence[str], docs_tokens: Sequence[Sequence[str]]) -> list[float]:
        """How much of the question's weight each document holds (QRY-9)."""


class TermSimilarity:
    """Reads questions, and compares them with documents."""

    def __init__(self, query_builder: QuestionReader) -> None:
        self._query_builder = query_builder

    def keywords(self, question: str) -> Sequence[str]:
        """The keywords of a question."""
        return self._query_builder.build_text_query(question)[1]

    def of_tokens(self, keywords: Sequence[str], documents: Sequence[Sequence[str]]) -> list[float]:
        """The similarities of documents that are given as tokens."""
        return self._query_builder.token_similarity(keywords, documents)

    def of_result(self, result: SearchResult, keywords: Sequence[str], reader: StoredFields) -> list[float]:
        """The similarities of the documents of a result, in the order of `result.ids`.

        Args:
            result: the documents.
            keywords: of the question.
            reader: collects what is not usable.
        """
        documents = [StoredFields.hybrid_tokens(name, result.fields_of(name), reader) for name in result.ids]
        return self.of_tokens(keywords, documents)

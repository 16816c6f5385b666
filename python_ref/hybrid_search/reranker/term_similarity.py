"""Computes the share of a question's weight that documents contain (RNK-1, QRY-9)."""

from collections.abc import Sequence
from typing import Any, Protocol

from hybrid_search.doc_store_adapter.documents.stored_fields import StoredFields
from hybrid_search.doc_store_adapter.search_result import SearchResult


class QuestionReader(Protocol):
    """The methods of a query builder that the reranker needs.

    Two methods are optional, and `QueryBuilder` has them: `keywords(question)` returns only the keywords, and
    `query_keys(query_tokens)` the terms that `token_similarity` looks for. They may be called instead of the methods
    below. A subclass that redefines one method of such a pair must also redefine the other, or set it to `None`.
    """

    def build_text_query(self, question: str) -> tuple[Any, Sequence[str]]:
        """Return the text query, or `None`, and the keywords of a question."""

    def token_similarity(self, query_tokens: Sequence[str], docs_tokens: Sequence[Sequence[str]]) -> list[float]:
        """Return the share of the question's weight that each document contains (QRY-9)."""


class TermSimilarity:
    """Extracts the keywords of questions, and compares them with documents."""

    def __init__(self, query_builder: QuestionReader) -> None:
        self._query_builder = query_builder

    def keywords(self, question: str) -> Sequence[str]:
        """Return the keywords of a question."""
        return self._query_builder.build_text_query(question)[1]

    def of_tokens(self, keywords: Sequence[str], documents: Sequence[Sequence[str]]) -> list[float]:
        """Return the similarities of documents, given as tokens."""
        return self._query_builder.token_similarity(keywords, documents)

    def of_result(self, result: SearchResult, keywords: Sequence[str], reader: StoredFields) -> list[float]:
        """Return the similarities of the documents of a result, in the order of `result.ids`.

        Args:
            result: the documents.
            keywords: the keywords of the question.
            reader: collects unusable values.
        """
        documents = [StoredFields.hybrid_tokens(name, result.fields_of(name), reader) for name in result.ids]
        return self.of_tokens(keywords, documents)

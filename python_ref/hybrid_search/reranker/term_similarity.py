"""How much of a question's weight documents have (RNK-1, QRY-9)."""

from collections.abc import Sequence
from typing import Any, Protocol

from hybrid_search.doc_store_adapter.prepared import PreparedDocument
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.doc_store_adapter.stored_fields import StoredFields
from hybrid_search.query_builder.token_similarity import QueryKeys
from hybrid_search.reranker.prepared_keys import PreparedKeys
from hybrid_search.reranker.text_keys import TextKeys


class QuestionReader(Protocol):
    """What the Reranker needs of a query builder.

    One that also has `keywords(question)`, the keywords alone, and `query_keys(query_tokens)`, what
    `token_similarity` looks for, as `QueryBuilder` has, is faster.
    """

    def build_text_query(self, question: str) -> tuple[Any, Sequence[str]]:
        """The text query, or none, and the keywords of a question."""

    def token_similarity(self, query_tokens: Sequence[str], docs_tokens: Sequence[Sequence[str]]) -> list[float]:
        """How much of the question's weight each document holds (QRY-9)."""


class TermSimilarity:
    """Reads questions, and compares them with documents."""

    def __init__(self, query_builder: QuestionReader) -> None:
        self._query_builder: Any = query_builder
        self._has_keywords = _stands_for(query_builder, "keywords", "build_text_query")
        self._has_keys = _stands_for(query_builder, "query_keys", "token_similarity")

    def keywords(self, question: str) -> Sequence[str]:
        """The keywords of a question."""
        if self._has_keywords:
            keywords: Sequence[str] = self._query_builder.keywords(question)
        else:
            keywords = self._query_builder.build_text_query(question)[1]
        return keywords

    def of_tokens(self, keywords: Sequence[str], documents: Sequence[Sequence[str]]) -> list[float]:
        """The similarities of documents that are given as tokens."""
        similarities: list[float] = self._query_builder.token_similarity(keywords, documents)
        return similarities

    def of_result(self, result: SearchResult, keywords: Sequence[str], reader: StoredFields) -> list[float]:
        """The similarities of the documents of a result, in the order of `result.ids`.

        Args:
            result: the documents; those that the store prepared are not read anew.
            keywords: of the question.
            reader: collects what is not usable.
        """
        if not self._has_keys:
            return self.of_tokens(keywords, _tokens(result, result.ids, reader))
        query_keys: QueryKeys = self._query_builder.query_keys(keywords)
        keys = [key for key, _ in query_keys.keys]
        found: dict[str, int] = {}
        for prepared_keys, documents in _by_vocabulary(result, keys):
            if prepared_keys.usable:
                found.update(zip(documents, prepared_keys.found(list(documents.values())), strict=True))
        others = [identifier for identifier in result.ids if identifier not in found]
        if others:
            found.update(_found_in_texts(result, others, query_keys, reader))
        return query_keys.shares([found[identifier] for identifier in result.ids])


def _by_vocabulary(result: SearchResult, keys: Sequence[str]) -> list[tuple[PreparedKeys, dict[str, PreparedDocument]]]:
    """The prepared documents, those of one store together."""
    groups: dict[int, tuple[PreparedKeys, dict[str, PreparedDocument]]] = {}
    for identifier in result.ids:
        prepared = result.prepared.get(identifier)
        if prepared is not None:
            group = groups.get(id(prepared.vocabulary))
            if group is None:
                group = groups[id(prepared.vocabulary)] = (PreparedKeys(keys, prepared.vocabulary), {})
            group[1][identifier] = prepared
    return list(groups.values())


def _found_in_texts(
    result: SearchResult, identifiers: Sequence[str], query_keys: QueryKeys, reader: StoredFields
) -> dict[str, int]:
    """Which keys documents have that no store prepared: most are searched as texts, the others token by token."""
    text_keys = TextKeys([key for key, _ in query_keys.keys])
    names: list[str] = []
    contents: list[bytes] = []
    titles: list[bytes] = []
    tokens: dict[str, list[str]] = {}
    for identifier in identifiers:
        fields = result.fields_of(identifier)
        plain = StoredFields.plain_texts(fields) if text_keys.usable else None
        if plain is None:
            tokens[identifier] = StoredFields.hybrid_tokens(identifier, fields, reader)
        else:
            names.append(identifier)
            contents.append(plain[0])
            titles.append(plain[1])
    found: dict[str, int] = {}
    for identifier, bits in zip(names, text_keys.found(contents, titles), strict=True):
        if bits is None:
            tokens[identifier] = StoredFields.hybrid_tokens(identifier, result.fields_of(identifier), reader)
        else:
            found[identifier] = bits
    if tokens:
        found.update(zip(tokens, query_keys.found(list(tokens.values())), strict=True))
    return found


def _tokens(result: SearchResult, identifiers: Sequence[str], reader: StoredFields) -> list[list[str]]:
    return [StoredFields.hybrid_tokens(identifier, result.fields_of(identifier), reader) for identifier in identifiers]


def _stands_for(reader: Any, method: str, basis: str) -> bool:
    """Whether a reader has a method that gives what `basis` gives: not if `basis` alone was redefined later."""
    for scope in (getattr(reader, "__dict__", {}), *map(vars, type(reader).__mro__)):
        if method in scope or basis in scope:
            return method in scope
    return False

"""Computes the share of a question's weight that documents have (RNK-1, QRY-9), from the data prepared by stores."""

from collections.abc import Sequence
from typing import Any

from hybrid_search.accelerated.key_table import KeyTable, shares
from hybrid_search.accelerated.prepared import PreparedDocument
from hybrid_search.accelerated.prepared_keys import PreparedKeys
from hybrid_search.doc_store_adapter.documents.stored_fields import StoredFields
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.reranker import term_similarity
from hybrid_search.reranker.term_similarity import QuestionReader


class FastTermSimilarity(term_similarity.TermSimilarity):
    """Looks for the keys of a question, with readers that provide them."""

    def __init__(self, query_builder: QuestionReader) -> None:
        super().__init__(query_builder)
        self._read_keywords: Any = getattr(query_builder, "keywords", None)
        self._query_keys: Any = getattr(query_builder, "query_keys", None)

    def keywords(self, question: str) -> Sequence[str]:
        """Return the keywords of a question, without a query if the reader can do so."""
        if self._read_keywords is None:
            return super().keywords(question)
        keywords: Sequence[str] = self._read_keywords(question)
        return keywords

    def of_result(self, result: SearchResult, keywords: Sequence[str], reader: StoredFields) -> list[float]:
        """Return the similarities of a result's documents; documents that a store has prepared are not read again."""
        if self._query_keys is None:
            return super().of_result(result, keywords, reader)
        query_keys = self._query_keys(keywords)
        keys = [key for key, _ in query_keys.keys]
        found: dict[str, int] = {}
        for prepared_keys, documents in _by_vocabulary(result, keys):
            if prepared_keys.usable:
                found.update(zip(documents, prepared_keys.found(list(documents.values())), strict=True))
        table = KeyTable(keys) if len(found) < len(result.ids) else None
        for name in result.ids:
            if table is not None and name not in found:
                found[name] = table.found(StoredFields.hybrid_tokens(name, result.fields_of(name), reader))
        return shares(query_keys, [found[name] for name in result.ids])


def _by_vocabulary(result: SearchResult, keys: Sequence[str]) -> list[tuple[PreparedKeys, dict[str, PreparedDocument]]]:
    """Return the prepared documents, grouped by store."""
    groups: dict[int, tuple[PreparedKeys, dict[str, PreparedDocument]]] = {}
    for identifier in result.ids:
        prepared = result.prepared.get(identifier)
        if prepared is not None:
            group = groups.get(id(prepared.vocabulary))
            if group is None:
                group = groups[id(prepared.vocabulary)] = (PreparedKeys(keys, prepared.vocabulary), {})
            group[1][identifier] = prepared
    return list(groups.values())

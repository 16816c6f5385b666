"""Makes hits from places in a ranking; only the documents that are shown are read from the store (IDX-6)."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.documents import stored_document
from hybrid_search.doc_store_adapter.documents.stored_fields import StoredFields
from hybrid_search.doc_store_adapter.queries.highlight import Highlight
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.records import record_of
from hybrid_search.search.fragments import Fragments
from hybrid_search.search.hit import Hit
from hybrid_search.search.neighbours import Context, Neighbours
from hybrid_search.search.ranking import Ranking
from hybrid_search.search.ranking_key import RankingKey
from hybrid_search.search.search_request import SearchRequest

CONTENT = "content_with_weight"


class Hits:
    """Reads the documents of places.

    Args:
        store: the documents.
        request: the request.
        ranking: the ranking of the places.
    """

    def __init__(self, store: DocStoreAdapter, request: SearchRequest, ranking: Ranking) -> None:
        self._store = store
        self._request = request
        self._ranking = ranking
        self._query_vector = ranking.query_vector
        self._query_norm: float | None = None
        self._highlight = Highlight(ranking.marked) if request.highlight else None
        self._fragments = None if request.fragments is None else Fragments(request.fragments, ranking.marked)

    def of(self, keys: Sequence[RankingKey], documents: Mapping[str, dict[str, Any]] | None = None) -> list[Hit]:
        """Return the hits of places; a document that has been removed since then has no hit.

        Args:
            keys: the places.
            documents: their documents, if recall has read them: see `SearchResult.documents`.
        """
        read = self._read([key.id for key in keys], documents)
        found = [(key, document) for key, document in zip(keys, read, strict=True) if document is not None]
        contexts: Mapping[str, Context] = {}
        if self._request.context > 0:
            filters = self._request.retrieval.parsed_filters
            neighbours = Neighbours(self._store, filters, self._request.context)
            arranged = self._ranking.arranged
            parents = () if arranged is None else arranged.children
            contexts = neighbours.of([document for _, document in found], parents)
        return [self._hit(key, document, contexts.get(key.id)) for key, document in found]

    def _read(
        self, identifiers: list[str], documents: Mapping[str, dict[str, Any]] | None
    ) -> list[dict[str, Any] | None]:
        """Return documents with the vectors that are needed; those of recall have none."""
        fields = self._vector_fields(identifiers)
        if documents is None or fields != []:
            return self._store.get_many(identifiers, fields)
        return [documents[identifier] for identifier in identifiers]

    def _vector_fields(self, identifiers: Sequence[str]) -> list[str] | None:
        """Return the vector fields to read: all if vectors were requested, otherwise the one that is compared."""
        if "vector" in self._request.include:
            return None
        if self._query_vector is None or all(map(self._ranking.scores.cosines.__contains__, identifiers)):
            return []
        return [StoredFields.vector_field(len(self._query_vector))]

    def _hit(self, key: RankingKey, document: Mapping[str, Any], context: Context | None) -> Hit:
        arranged = self._ranking.arranged
        record = record_of.record(document, self._request.include)
        content = _text(record.get("content"))
        hit = Hit(
            id=key.id,
            doc_id=_text(document.get("doc_id", key.id)),
            title=_text(record.get("title")),
            content=content,
            score=None if self._request.retrieval.match_all else key.score,
            scores=self._ranking.scores.of(key.id, self._cosine(key.id, document)),
            document_name=_text(document.get("docnm_kwd")),
            keywords=_list(record.get("keywords")),
            questions=_list(record.get("questions")),
            positions=_list(record.get("positions")),
            metadata=_object(record.get("metadata")) or {},
            kb_id=record.get("kb_id"),
            parent=record.get("parent") or None,
            tags=_object(record.get("tags")),
            page_rank=record.get("page_rank"),
            highlight=None if self._highlight is None else self._highlight.mark(content) or content,
            fragments=None if self._fragments is None else self._fragments.of(_texts(record, document)),
            fields=record_of.other_fields(document),
            vector=record.get("vector"),
            tokens=record.get("tokens"),
            context=context,
        )
        return hit if arranged is None else dataclasses.replace(hit, **arranged.shown(key.id))

    def _cosine(self, identifier: str, document: Mapping[str, Any]) -> float | None:
        """Return a cosine that the dense leg has not computed; `None` without vectors to compare."""
        if self._query_vector is None or identifier in self._ranking.scores.cosines:
            return None
        if self._query_norm is None:
            self._query_norm = numeric.norm(self._query_vector)
        return cosine(document, self._query_vector, self._query_norm)


def fields(store: DocStoreAdapter, keys: Sequence[RankingKey], result: SearchResult) -> list[Mapping[str, Any]]:
    """Return the fields of hits, including those that recall has not found: parents.

    Args:
        store: the documents.
        keys: the places of the hits.
        result: the result of recall.
    """
    unknown = [key.id for key in keys if key.id not in result.fields]
    documents = store.get_many(unknown, []) if unknown else []
    read = {identifier: document or {} for identifier, document in zip(unknown, documents, strict=True)}
    return [result.fields.get(key.id, read.get(key.id, {})) for key in keys]


def near_enough(
    store: DocStoreAdapter, lowest: float, keys: Sequence[RankingKey], result: SearchResult
) -> list[RankingKey]:
    """Return the places of hits whose cosine is not below the lowest; no places without a vector to compare.

    Args:
        store: the documents.
        lowest: the lowest cosine.
        keys: the places.
        result: the result of recall.
    """
    if result.query_vector is None:
        return []
    known = {} if result.dense_scores is None else result.dense_scores.cosines
    found = cosines(store, [key.id for key in keys], result.query_vector, known)
    return [key for key in keys if found.get(key.id, -2.0) >= lowest]


def cosines(
    store: DocStoreAdapter, identifiers: Iterable[str], query_vector: Sequence[float], known: Mapping[str, float]
) -> dict[str, float]:
    """Return the cosines of documents, without those that have no vector.

    Args:
        store: the documents.
        identifiers: their ids.
        query_vector: the vector that they are compared with.
        known: the cosines that have been computed.
    """
    ids = list(identifiers)
    unknown = [identifier for identifier in ids if identifier not in known]
    documents = store.get_many(unknown, [StoredFields.vector_field(len(query_vector))]) if unknown else []
    computed = {
        identifier: found
        for identifier, document in zip(unknown, documents, strict=True)
        if document is not None and (found := cosine(document, query_vector)) is not None
    }
    return {**{identifier: known[identifier] for identifier in ids if identifier in known}, **computed}


def cosine(document: Mapping[str, Any], query_vector: Sequence[float], query_norm: float | None = None) -> float | None:
    """Return the cosine of a stored document and a vector, `None` if the document has no usable vector (NUM-3).

    Args:
        document: the document.
        query_vector: the vector.
        query_norm: its norm, if it is known.
    """
    name = StoredFields.vector_field(len(query_vector))
    vector = StoredFields().vector("", document, name, len(query_vector))
    if vector is None:
        return None
    norm = numeric.norm(query_vector) if query_norm is None else query_norm
    return numeric.cosine_of(vector, numeric.norm(vector), query_vector, norm)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _list(value: Any) -> tuple[Any, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, (list, tuple)) else ()


def _object(value: Any) -> Mapping[str, Any] | None:
    return stored_document.copy_value(dict(value)) if isinstance(value, Mapping) else None


def _texts(record: Mapping[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the texts of a document by the names of records, including a document name that equals the title."""
    return {**record, "document_name": document.get("docnm_kwd")}

"""One state of a store in memory, which all readers see until the next one is published (DOC-1 … DOC-4)."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter import store_stats, vector_models
from hybrid_search.doc_store_adapter.base import Ranking
from hybrid_search.doc_store_adapter.checked_store import StoreSearch
from hybrid_search.doc_store_adapter.dense_scores import DenseScores
from hybrid_search.doc_store_adapter.documents import stored_document
from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.queries import aggregations
from hybrid_search.doc_store_adapter.queries.highlight import Highlight
from hybrid_search.doc_store_adapter.queries.match_exprs import Bm25fQuery, DenseQuery, MatchExprs, TextQuery
from hybrid_search.doc_store_adapter.queries.recall_features import FeaturedLeg
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.doc_store_adapter.snapshot.document_index import DocumentIndex
from hybrid_search.doc_store_adapter.snapshot.leg_head import LegHead
from hybrid_search.fusion.fused_legs import DEPTH, FusedLegs
from hybrid_search.fusion.fusion import Fusion
from hybrid_search.fusion.fusion_methods import METHODS

NO_TEXT = LegHead.of([])


class StoreSnapshot:
    """The documents of a store after one batch; immutable.

    A snapshot needs no lock, since `changed` leaves it unchanged. Changes must be sequential, each one from the latest
    published snapshot. An abandoned change is never visible.

    Args:
        documents: the documents and their indexes.
        generation: the number of batches that have changed something.
        sources: the stored sources of vector fields.
        vectors: vector field → the number of documents that have it.
        counted: returns the numbers of `vectors` on which a search may rely (FUS-5), if it needs them.
        facts: returns the facts about each vector field, if a search is to return them (DOC-11).
    """

    def __init__(
        self,
        documents: DocumentIndex,
        generation: int = 0,
        sources: vector_models.Sources = MappingProxyType({}),
        vectors: Mapping[str, int] = MappingProxyType({}),
        counted: Callable[[], Mapping[str, int]] | None = None,
        facts: Callable[[], vector_models.Fields] | None = None,
    ) -> None:
        self._documents = documents
        self.generation = generation
        self.sources = sources
        self._vectors = vectors
        self._counted = counted
        self._facts = facts

    @property
    def count(self) -> int:
        """The number of documents."""
        return self._documents.count

    def holds(self, identifier: str) -> bool:
        """Return whether a document is stored."""
        return self._documents.fields(identifier) is not None

    def stored(self, identifier: str) -> StoredDocument | None:
        """Return a document, or `None`."""
        return self._documents.stored(identifier)

    def get(self, identifier: str) -> dict[str, Any] | None:
        """Return a copy of the fields of a document, or `None`."""
        document = self._documents.stored(identifier)
        if document is None:
            return None
        fields = stored_document.copy_fields(document.fields)
        return {**fields, **{field: list(vector) for field, vector in document.vectors.items()}}

    def get_many(self, identifiers: Sequence[str], vector_fields: Sequence[str] | None) -> list[dict[str, Any] | None]:
        """Return copies of documents, see `DocStoreAdapter.get_many`."""
        names = list(dict.fromkeys(identifiers))
        self._documents.expect(names, vector_fields)
        if vector_fields is None:
            found = {name: self.get(name) for name in names}
        else:
            found = {name: self._copy(name, vector_fields) for name in names}
        return [found[name] for name in identifiers]

    def changed(self, removed: Sequence[str], added: Sequence[StoredDocument]) -> "StoreSnapshot":
        """Return the snapshot after a batch.

        Args:
            removed: the ids of removed documents.
            added: new documents, whose ids no other document has.
        """
        vectors = dict(self._vectors)
        for identifier in removed:
            before = self._documents.stored(identifier)
            for field in () if before is None else before.vectors:
                vectors[field] -= 1
        for document in added:
            for field in document.vectors:
                vectors[field] = vectors.get(field, 0) + 1
        documents = self._documents.changed(removed, added)
        return StoreSnapshot(documents, self.generation + 1, self.sources, vectors)

    def with_source(self, field: str, source: vector_models.VectorSource) -> "StoreSnapshot":
        """Return the snapshot with another source of a vector field; documents and generation stay the same."""
        return StoreSnapshot(self._documents, self.generation, {**self.sources, field: source}, self._vectors)

    def holds_vectors(self, field: str) -> bool:
        """Return whether a document has a vector in a field."""
        return self._vectors.get(field, 0) > 0

    def vector_fields(self) -> dict[str, dict[str, Any]]:
        """Return the facts about each vector field in the form of `DocStoreAdapter.vector_fields`."""
        return vector_models.described(self._vectors, self.sources, self.count)

    def stats(self) -> dict[str, Any]:
        """Return the counts of the content as plain data."""
        told = store_stats.of_documents(self._documents.entries(), self.sources)
        return {"documents": self.count, **told, "generation": self.generation}

    def search(self, wanted: StoreSearch) -> SearchResult:
        """Return the result of a search."""
        if wanted.is_listing():
            return self._listed(wanted)
        first = self._first(wanted)
        return self._whole(wanted) if first is None else first

    def _first(self, wanted: StoreSearch) -> SearchResult | None:
        """Return ids from the first hundred of each leg, or `None` where these are not enough (FUS-5).

        Behind them nothing is ranked. The text leg is counted. The dense leg is not: as many documents as are ranked
        have a vector and pass.
        """
        text, dense, fusion = wanted.match.text, wanted.match.dense, wanted.match.fusion
        legs_of = None if fusion is None else METHODS[fusion.method].legs
        if fusion is None or legs_of is None or isinstance(text, TextQuery) or not wanted.shows_ids_alone():
            return None
        depth = wanted.offset + wanted.limit
        if wanted.features is not None or wanted.order.criteria or wanted.agg_fields:
            return None
        if depth > min(DEPTH, fusion.topn):
            return None
        if dense is not None and not self._has_enough(dense, fusion.topn, wanted.filters):
            return None
        head = NO_TEXT if text is None else self._documents.bm25f_head(text, wanted.filters)
        nearest = self._dense(None if dense is None else dense._replace(topn=DEPTH), wanted.filters)
        fused = legs_of(head.ranking, nearest)
        ahead = fused.ranking(head.ranking, nearest)[: fusion.topn]
        is_enough = depth <= len(ahead) or (dense is None and head.total == len(head.ranking))
        if not ahead or not is_enough or ahead[-1][1] < 0.0:
            return None
        total = min(head.total, fusion.topn) if dense is None else fusion.topn
        found = self._found(wanted, total, ahead[wanted.offset : depth])
        ids = found["ids"]
        documents = self._whole_documents(ids) if wanted.documents else None
        if dense is not None:
            found["query_vector"] = dense.vector
            found["dense_scores"] = DenseScores(dense.vector, self._cosines(dense, nearest, ids))
        return SearchResult(**found, fused=fused, text_scores=head.scores(ids), documents=documents)

    def _cosines(self, query: DenseQuery, nearest: Ranking, shown: Sequence[str]) -> dict[str, float]:
        """Return the cosines of the nearest documents, and of those that are shown and have a vector."""
        cosines = dict(nearest)
        others = [identifier for identifier in shown if identifier not in cosines]
        if others:
            self._documents.expect(others, [query.field])
            norm = numeric.norm(query.vector)
            for identifier in others:
                vector = self._documents.vector(identifier, query.field)
                if vector is not None:
                    cosines[identifier] = numeric.cosine_of(vector, numeric.norm(vector), query.vector, norm)
        return cosines

    def _has_enough(self, dense: DenseQuery, limit: int, filters: Filters) -> bool:
        """Return whether a dense leg finds as many documents as are ranked."""
        if dense.similarity is not None or dense.topn < max(DEPTH, limit):
            return False
        counts = self._vectors if self._counted is None else self._counted()
        return counts.get(dense.field, 0) >= limit and self._documents.passes_all(filters)

    def _whole(self, wanted: StoreSearch) -> SearchResult:
        """Return the result from the whole legs."""
        parsed = wanted.match
        depth = None if wanted.order.criteria or wanted.agg_fields else wanted.offset + wanted.limit
        dense = self._dense(parsed.dense, wanted.filters)
        featured = self._featured(wanted)
        text = self._text(parsed, wanted.filters) if featured is None else featured.ranking
        weighted = None if featured is None else featured.weighted(parsed.fusion, dense)
        if weighted is None:
            total, ranking, fused = self._fused(parsed, wanted.filters, text, dense, depth)
        else:
            total, ranking, fused = len(weighted), weighted, None
        if wanted.order.criteria:
            wanted.order.arrange(ranking, self._documents.values)
        found = self._found(wanted, total, ranking[wanted.offset : wanted.offset + wanted.limit])
        found["aggs"] = {field: aggregations.count(self._values(field, ranking)) for field in wanted.agg_fields}
        cosines = dict(dense)
        if parsed.dense is not None:
            found["query_vector"] = list(parsed.dense.vector)
            found["dense_scores"] = DenseScores(parsed.dense.vector, cosines)
        if wanted.documents and (parsed.dense is None or all(map(cosines.__contains__, found["ids"]))):
            found["documents"] = self._whole_documents(found["ids"])
        if featured is not None:
            return SearchResult(**found, fused=fused, text_scores=featured.scores, features=featured.features)
        return SearchResult(**found, fused=fused, text_scores=dict(text))

    def rank(self, parsed: MatchExprs, filters: Filters) -> Ranking:
        """Return the ranking of match expressions; without any, all documents by id."""
        return self._ranking(parsed, filters, self._text(parsed, filters), self._dense(parsed.dense, filters))[0]

    def _listed(self, wanted: StoreSearch) -> SearchResult:
        """Return the result of a search without match expressions, reading only the documents that are shown."""
        listed = self._documents.listing(wanted.filters, wanted.order, wanted.offset, wanted.limit)
        page = [(identifier, 0.0) for identifier in listed.identifiers]
        return SearchResult(**self._shown(wanted, listed.total, page))

    def _found(self, wanted: StoreSearch, total: int, page: Ranking) -> dict[str, Any]:
        """Return the parts of `_shown`, and the facts about the state that a page needs (DOC-11)."""
        found = {**self._shown(wanted, total, page), "generation": self.generation}
        if self._facts is not None:
            found["vector_fields"] = self._facts()
        return found

    def _shown(self, wanted: StoreSearch, total: int, page: Ranking) -> dict[str, Any]:
        """Return the parts of a result about the shown documents, and the number of found ones."""
        ids = [identifier for identifier, _ in page]
        if wanted.shows_ids_alone():
            empty: dict[str, dict[str, Any]] = {identifier: {} for identifier in ids}
            return {"total": total, "ids": ids, "fields": empty, "scores": dict(page), "keywords": wanted.keywords}
        self._documents.expect(ids, wanted.selected)
        return {
            "total": total,
            "ids": ids,
            "fields": {identifier: self._select(identifier, wanted.selected) for identifier in ids},
            "scores": dict(page),
            "highlight": self._highlights(ids, wanted.highlight_fields, Highlight(wanted.keywords)),
            "keywords": wanted.keywords,
            "prepared": self._documents.prepared(ids),
        }

    def _whole_documents(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return id → document without vectors, of shown documents."""
        read = zip(ids, self.get_many(ids, []), strict=True)
        return {identifier: document for identifier, document in read if document is not None}

    def _dense(self, query: DenseQuery | None, filters: Filters) -> Ranking:
        return [] if query is None else self._documents.dense_leg(query, filters)

    def _fused(
        self, parsed: MatchExprs, filters: Filters, text: Ranking, dense: Ranking, depth: int | None
    ) -> tuple[int, Ranking, FusedLegs | None]:
        """Return the number of found documents, their ranking, and the share of each leg if the fusion reports it.

        If only the first documents of the legs are shown, the others are counted but not fused (FUS-5).

        Args:
            parsed: the match expressions.
            filters: the filters.
            text: the ranking of the text leg.
            dense: the ranking of the dense leg.
            depth: the number of ranks that are needed; `None` for all.
        """
        legs_of = None if depth is None or parsed.fusion is None else METHODS[parsed.fusion.method].legs
        if depth is not None and parsed.fusion is not None and legs_of is not None:
            fused = legs_of(text, dense)
            ahead = fused.ranking(text[:DEPTH], dense[:DEPTH])[: parsed.fusion.topn]
            if ahead and depth <= len(ahead) and ahead[-1][1] >= 0.0:
                found = {identifier for leg in (text, dense) for identifier, _ in leg}
                return min(len(found), parsed.fusion.topn), ahead, fused
        ranking, legs = self._ranking(parsed, filters, text, dense)
        return len(ranking), ranking, legs

    def _ranking(
        self, parsed: MatchExprs, filters: Filters, text: Ranking, dense: Ranking
    ) -> tuple[Ranking, FusedLegs | None]:
        """Return the ranking for given legs, and the share of each leg if the fusion reports it."""
        if parsed.fusion is not None:
            if (legs_of := METHODS[parsed.fusion.method].legs) is None:
                return Fusion.fuse(parsed.fusion, [text, dense], ["min_max", "none"]), None
            legs = legs_of(text, dense)
            return legs.ranking(text, dense)[: parsed.fusion.topn], legs
        if parsed.text is not None:
            return text, None
        if parsed.dense is not None:
            return dense, None
        return [(identifier, 0.0) for identifier in sorted(self._documents.passing(filters))], None

    def _featured(self, wanted: StoreSearch) -> FeaturedLeg | None:
        """Return the text leg in which features count, or `None` if they do not (RNK-10)."""
        query, filters = wanted.match.text, wanted.filters
        if wanted.features is None or query is None:
            return None
        if isinstance(query, Bm25fQuery):
            matching = self._documents.bm25f_leg(query._replace(topn=self.count), filters)
        else:
            matching = self._documents.text_leg(query._replace(topn=self.count), filters)
        return wanted.features.leg(matching, query.topn, self._documents.values)

    def _text(self, parsed: MatchExprs, filters: Filters) -> Ranking:
        if isinstance(parsed.text, Bm25fQuery):
            return self._documents.bm25f_leg(parsed.text, filters)
        return [] if parsed.text is None else self._documents.text_leg(parsed.text, filters)

    def _fields(self, identifier: str) -> dict[str, Any]:
        fields = self._documents.fields(identifier)
        assert fields is not None
        return fields

    def _values(self, field: str, ranking: Ranking) -> list[Any]:
        return self._documents.values(FieldPath.of(field), [identifier for identifier, _ in ranking])

    def _copy(self, identifier: str, vector_fields: Sequence[str]) -> dict[str, Any] | None:
        """Return a copy of the fields of a document, with the given vector fields only, or `None`."""
        fields = self._documents.fields(identifier)
        if fields is None:
            return None
        found = stored_document.copy_fields(fields)
        for field in vector_fields:
            vector = self._documents.vector(identifier, field)
            if vector is not None:
                found[field] = list(vector)
        return found

    def _select(self, identifier: str, selected: Sequence[str] | None) -> dict[str, Any]:
        if selected is None:
            return self.get(identifier) or {}
        fields = self._fields(identifier)
        found: dict[str, Any] = {}
        for name in selected:
            if name in fields:
                found[name] = stored_document.copy_value(fields[name])
            elif name.endswith("_vec") and (vector := self._documents.vector(identifier, name)) is not None:
                found[name] = list(vector)
        return found

    def _highlights(self, ids: Sequence[str], fields: Sequence[str], highlight: Highlight) -> dict[str, str]:
        marked: dict[str, str] = {}
        for identifier in ids:
            stored = self._fields(identifier)
            for field in fields:
                value = stored.get(field)
                text = highlight.mark(value) if isinstance(value, str) else None
                if text is not None:
                    marked[identifier] = text
                    break
        return marked

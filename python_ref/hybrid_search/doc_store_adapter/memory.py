"""The document store that keeps everything in memory (DOC-1 … DOC-4)."""

import threading
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hybrid_search import numeric, ordering, validation
from hybrid_search.doc_store_adapter import stored_document
from hybrid_search.doc_store_adapter.aggregations import Aggregations
from hybrid_search.doc_store_adapter.base import DocStoreAdapter, Ranking
from hybrid_search.doc_store_adapter.best_fields import BestFields
from hybrid_search.doc_store_adapter.bm25 import Bm25
from hybrid_search.doc_store_adapter.dense_index import DenseIndex
from hybrid_search.doc_store_adapter.dense_scores import DenseScores
from hybrid_search.doc_store_adapter.filters import Filters
from hybrid_search.doc_store_adapter.highlight import Highlight
from hybrid_search.doc_store_adapter.inverted_index import InvertedIndex
from hybrid_search.doc_store_adapter.match_exprs import MatchExprs
from hybrid_search.doc_store_adapter.posting import Mask, Scores, Slots, Steps
from hybrid_search.doc_store_adapter.prepared import PreparedDocument, Vocabulary
from hybrid_search.doc_store_adapter.query_evaluator import QueryEvaluator
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.doc_store_adapter.sort_order import SortOrder
from hybrid_search.doc_store_adapter.stored_document import StoredDocument
from hybrid_search.errors import InvalidInputError
from hybrid_search.expressions import MatchDenseExpr, MatchTextExpr
from hybrid_search.fusion.fusion import Fusion

FEWEST_DEAD_SLOTS = 1024
MOST_FILTER_MASKS = 16


class Entry(NamedTuple):
    """A document in its slot, never changed.

    Attributes:
        identifier: its id.
        fields: its fields but the vectors.
        vector_fields: the names of its vector fields, as keys.
        prepared: what the hybrid rerank needs of it.
    """

    identifier: str
    fields: dict[str, Any]
    vector_fields: dict[str, None]
    prepared: PreparedDocument | None


class MemoryDocStore(DocStoreAdapter):
    """Documents in memory, with an inverted index for each token and keyword field and one for each vector field.

    Safe to use from several threads: every method sees all of a batch or nothing of it. `rank_feature` is left to the
    reranker. The statistics of BM25 are those of one field over all documents that have it, be it empty; they do not
    depend on filters, on the order of insertion, or on what has been deleted.

    Args:
        bm25: "okapi" (as `rank_bm25.BM25Okapi`) or "lucene".

    Raises:
        InvalidInputError: another value of `bm25`, or an unknown option.
    """

    def __init__(self, bm25: str = "okapi", **unknown: Any) -> None:
        validation.known("option", unknown, ["bm25"])
        self._bm25 = Bm25.of(bm25)
        self._lock = threading.RLock()
        self._vocabulary = Vocabulary()
        self._generation = 0
        self._clear()

    def insert(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """See `DocStoreAdapter.insert`."""
        accepted = _accept_all(documents)
        with self._lock:
            for index, document in enumerate(accepted):
                if document.identifier in self._slot_of:
                    shown = validation.describe(document.identifier)
                    raise InvalidInputError(f"documents[{index}].id {shown} is already stored; use update")
            for document in accepted:
                self._add(document)
            self._changed(len(accepted))
        return len(accepted)

    def update(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """See `DocStoreAdapter.update`."""
        accepted = _accept_all(documents)
        with self._lock:
            changes = []
            for index, document in enumerate(accepted):
                slot = self._slot_of.get(document.identifier)
                if slot is None:
                    shown = validation.describe(document.identifier)
                    raise InvalidInputError(f"documents[{index}].id {shown} is not stored; use insert")
                stored = self._stored(slot)
                merged = _merge(stored, document)
                if not _same_document(stored, merged):
                    changes.append((slot, merged))
            for slot, merged in changes:
                self._remove(slot)
                self._add(merged)
            self._changed(len(changes))
        return len(changes)

    def delete(self, identifiers: Sequence[str]) -> int:
        """See `DocStoreAdapter.delete`."""
        checked = validation.texts("identifiers", identifiers)
        with self._lock:
            removed = 0
            for identifier in checked:
                slot = self._slot_of.get(identifier)
                if slot is not None:
                    self._remove(slot)
                    removed += 1
            self._changed(removed)
        return removed

    def get(self, identifier: str) -> dict[str, Any] | None:
        """See `DocStoreAdapter.get`."""
        checked = validation.text("identifier", identifier)
        with self._lock:
            slot = self._slot_of.get(checked)
            return None if slot is None else self._select(slot, None)

    def count(self) -> int:
        """See `DocStoreAdapter.count`."""
        return len(self._slot_of)

    @property
    def generation(self) -> int:
        """How many batches have changed something."""
        return self._generation

    def health(self) -> dict[str, Any]:
        """See `DocStoreAdapter.health`."""
        with self._lock:
            return {"status": "green", "documents": self.count(), "generation": self.generation}

    def search(
        self,
        select_fields: Sequence[str] | None = None,
        filters: Mapping[str, Any] | None = None,
        match_exprs: Sequence[Any] = (),
        order_by: Sequence[Sequence[str]] = (),
        limit: int = 10,
        offset: int = 0,
        rank_feature: Mapping[str, Any] | None = None,
        *,
        highlight_fields: Sequence[str] = (),
        agg_fields: Sequence[str] = (),
        keywords: Sequence[str] = (),
    ) -> SearchResult:
        """See `DocStoreAdapter.search`."""
        selected = None if select_fields is None else validation.texts("select_fields", select_fields)
        parsed = MatchExprs(match_exprs)
        accepted = Filters(filters)
        order = SortOrder(order_by)
        first = validation.integer("offset", offset, 0)
        last = first + validation.integer("limit", limit, 0)
        validation.mapping("rank_feature", {} if rank_feature is None else rank_feature)
        marked = validation.texts("highlight_fields", highlight_fields)
        counted = validation.texts("agg_fields", agg_fields)
        words = validation.texts("keywords", keywords)
        with self._lock:
            dense: dict[str, float] = {}
            ranking = self._rank(parsed, accepted, dense)
            order.arrange(ranking, self._fields)
            page = ranking[first:last]
            entries = [self._entry(self._slot_of[identifier]) for identifier, _ in page]
            highlight = Highlight(words)
            return SearchResult(
                total=len(ranking),
                ids=[identifier for identifier, _ in page],
                fields={entry.identifier: self._select(self._slot_of[entry.identifier], selected) for entry in entries},
                scores=dict(page),
                query_vector=None if parsed.dense is None else list(parsed.dense.vector),
                highlight=_highlights(entries, marked, highlight),
                aggs={
                    field: Aggregations.count(self._fields(identifier).get(field) for identifier, _ in ranking)
                    for field in counted
                },
                keywords=words,
                prepared={entry.identifier: entry.prepared for entry in entries if entry.prepared is not None},
                dense_scores=None if parsed.dense is None else DenseScores(parsed.dense.vector, dense),
            )

    def rank(self, match_exprs: Sequence[Any], filters: Mapping[str, Any] | None = None) -> Ranking:
        """See `DocStoreAdapter.rank`."""
        parsed = MatchExprs(match_exprs)
        accepted = Filters(filters)
        with self._lock:
            return self._rank(parsed, accepted, {})

    def text_leg(self, expr: MatchTextExpr, filters: Mapping[str, Any] | None = None) -> Ranking:
        """The documents that match a text query, at most its `topn`, in the order of ORD-1."""
        query, accepted = MatchExprs([expr]), Filters(filters)
        with self._lock:
            return self._text_leg(query, accepted)

    def dense_leg(self, expr: MatchDenseExpr, filters: Mapping[str, Any] | None = None) -> Ranking:
        """The documents nearest to a vector, at most its `topn`, only with enough similarity, by ORD-1."""
        query, accepted = MatchExprs([expr]), Filters(filters)
        with self._lock:
            return self._dense_leg(query, accepted)

    def _clear(self) -> None:
        self._entries: list[Entry | None] = []
        self._identifiers: list[str] = []
        self._slot_of: dict[str, int] = {}
        self._text_indexes: dict[str, InvertedIndex] = {}
        self._dense_indexes: dict[str, DenseIndex] = {}
        self._masks: dict[Any, Mask] = {}
        self._best_fields = BestFields(self._text_indexes)
        self._totals: Steps = np.empty(0, dtype=np.uint16)

    def _changed(self, documents: int) -> None:
        if documents:
            self._generation += 1
            self._best_fields.forget()
        dead = len(self._entries) - len(self._slot_of)
        if dead > max(FEWEST_DEAD_SLOTS, len(self._slot_of)):
            stored = [self._stored(slot) for slot, entry in enumerate(self._entries) if entry is not None]
            self._clear()
            for document in stored:
                self._add(document)

    def _add(self, document: StoredDocument) -> None:
        slot = len(self._entries)
        first_vector: list[float] | None = None
        for field, vector in sorted(document.vectors.items()):
            if field not in self._dense_indexes:
                self._dense_indexes[field] = DenseIndex(len(vector))
            first_vector = vector if first_vector is None else first_vector
            self._dense_indexes[field].add(slot, vector, numeric.norm(vector))
        for field, value in document.fields.items():
            if stored_document.is_searchable(field):
                if field not in self._text_indexes:
                    self._text_indexes[field] = InvertedIndex(self._bm25, stored_document.is_keyword_field(field))
                self._text_indexes[field].add(slot, stored_document.tokens(field, value))
        prepared = PreparedDocument.prepare(self._vocabulary, document.fields, first_vector)
        entry = Entry(document.identifier, document.fields, dict.fromkeys(document.vectors), prepared)
        self._entries.append(entry)
        self._identifiers.append(document.identifier)
        self._slot_of[document.identifier] = slot

    def _remove(self, slot: int) -> None:
        entry = self._entry(slot)
        for field in entry.vector_fields:
            self._dense_indexes[field].remove(slot)
        for field, value in entry.fields.items():
            if stored_document.is_searchable(field):
                self._text_indexes[field].remove(slot, stored_document.tokens(field, value))
        del self._slot_of[entry.identifier]
        self._entries[slot] = None

    def _entry(self, slot: int) -> Entry:
        entry = self._entries[slot]
        assert entry is not None
        return entry

    def _fields(self, identifier: str) -> dict[str, Any]:
        return self._entry(self._slot_of[identifier]).fields

    def _vector(self, slot: int, field: str) -> list[float]:
        vector = self._dense_indexes[field].vector(slot)
        assert vector is not None
        return vector

    def _stored(self, slot: int) -> StoredDocument:
        entry = self._entry(slot)
        vectors = {field: self._vector(slot, field) for field in entry.vector_fields}
        return StoredDocument(entry.identifier, entry.fields, vectors)

    def _select(self, slot: int, selected: Sequence[str] | None) -> dict[str, Any]:
        entry = self._entry(slot)
        names = [*entry.fields, *entry.vector_fields] if selected is None else selected
        found: dict[str, Any] = {}
        for name in names:
            if name in entry.fields:
                found[name] = stored_document.copy_value(entry.fields[name])
            elif name in entry.vector_fields:
                found[name] = self._vector(slot, name)
        return found

    def _rank(self, parsed: MatchExprs, filters: Filters, cosines: dict[str, float]) -> Ranking:
        """The ranking; what the dense leg computes is added to `cosines`."""
        dense_leg = [] if parsed.dense is None else self._dense_leg(parsed, filters)
        cosines.update(dense_leg)
        if parsed.fusion is not None:
            return Fusion.fuse(parsed.fusion, [self._text_leg(parsed, filters), dense_leg], ["min_max", "none"])
        if parsed.text is not None:
            return self._text_leg(parsed, filters)
        if parsed.dense is not None:
            return dense_leg
        mask = self._mask(filters)
        found = [identifier for identifier, slot in self._slot_of.items() if mask is None or mask[slot]]
        return [(identifier, 0.0) for identifier in sorted(found)]

    def _text_leg(self, parsed: MatchExprs, filters: Filters) -> Ranking:
        query = parsed.text
        assert query is not None
        size = len(self._entries)
        if len(self._totals) < size:
            self._totals = np.empty(2 * size, dtype=np.uint16)
        evaluator = QueryEvaluator(self._best_fields, self._totals[:size])
        slots, scores = evaluator.best(tuple(query.fields), query.clauses, query.topn, self._mask(filters))
        return self._ranked(slots, scores, query.topn)

    def _dense_leg(self, parsed: MatchExprs, filters: Filters) -> Ranking:
        query = parsed.dense
        assert query is not None
        index = self._dense_indexes.get(query.field)
        if index is None:
            return []
        slots, scores = index.best(query.vector, query.topn, query.similarity, self._mask(filters))
        return self._ranked(slots, scores, query.topn)

    def _ranked(self, slots: Slots, scores: Scores, limit: int) -> Ranking:
        identifiers = map(self._identifiers.__getitem__, slots.tolist())
        return ordering.rank(zip(identifiers, scores.tolist(), strict=True))[:limit]

    def _mask(self, filters: Filters) -> Mask | None:
        """For each slot whether its document passes; none when all do. What is known of older slots is kept."""
        if filters.is_empty():
            return None
        if filters.identifiers is not None:
            slots = [self._slot_of[identifier] for identifier in filters.identifiers if identifier in self._slot_of]
            mask = np.zeros(len(self._entries), dtype=np.uint8)
            for slot in slots:
                mask[slot] = self._passes(slot, filters)
            return mask
        known = self._masks.pop(filters.key, np.zeros(0, dtype=np.uint8))
        fresh = [self._passes(slot, filters) for slot in range(len(known), len(self._entries))]
        mask = np.concatenate([known, np.array(fresh, dtype=np.uint8)])
        self._masks[filters.key] = mask
        if len(self._masks) > MOST_FILTER_MASKS:
            del self._masks[next(iter(self._masks))]
        return mask

    def _passes(self, slot: int, filters: Filters) -> bool:
        entry = self._entries[slot]
        return entry is not None and filters.accepts(entry.identifier, entry.fields, entry.vector_fields)


def _accept_all(documents: Sequence[Mapping[str, Any]]) -> list[StoredDocument]:
    if isinstance(documents, (str, Mapping)) or not isinstance(documents, Sequence):
        raise validation.fail("documents", documents, "a list of documents")
    accepted = [stored_document.accept(f"documents[{index}]", document) for index, document in enumerate(documents)]
    seen: set[str] = set()
    for index, document in enumerate(accepted):
        if document.identifier in seen:
            raise InvalidInputError(f"documents[{index}].id {validation.describe(document.identifier)} is given twice")
        seen.add(document.identifier)
    return accepted


def _merge(stored: StoredDocument, changes: StoredDocument) -> StoredDocument:
    fields = {**stored.fields, **changes.fields}
    vectors = {**stored.vectors, **changes.vectors}
    for field in changes.missing:
        fields.pop(field, None)
        vectors.pop(field, None)
    return StoredDocument(stored.identifier, fields, vectors)


def _same_document(left: StoredDocument, right: StoredDocument) -> bool:
    return stored_document.same_value(left.fields, right.fields) and left.vectors == right.vectors


def _highlights(entries: Sequence[Entry], fields: Sequence[str], highlight: Highlight) -> dict[str, str]:
    marked: dict[str, str] = {}
    for entry in entries:
        for field in fields:
            value = entry.fields.get(field)
            text = highlight.mark(value) if isinstance(value, str) else None
            if text is not None:
                marked[entry.identifier] = text
                break
    return marked

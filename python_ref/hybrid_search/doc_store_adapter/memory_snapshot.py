"""One state of a store in memory: what all readers see until the next one is published (DOC-1 … DOC-4)."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hybrid_search import numeric, ordering
from hybrid_search.doc_store_adapter import aggregations, stored_document
from hybrid_search.doc_store_adapter.base import Ranking
from hybrid_search.doc_store_adapter.best_fields import BestFields
from hybrid_search.doc_store_adapter.bm25 import Bm25
from hybrid_search.doc_store_adapter.dense_index import DenseIndex
from hybrid_search.doc_store_adapter.dense_scores import DenseScores
from hybrid_search.doc_store_adapter.document_table import DocumentTable, Entry
from hybrid_search.doc_store_adapter.field_path import FieldPath
from hybrid_search.doc_store_adapter.filter_masks import FilterMasks
from hybrid_search.doc_store_adapter.filters import Filters
from hybrid_search.doc_store_adapter.highlight import Highlight
from hybrid_search.doc_store_adapter.inverted_index import InvertedIndex
from hybrid_search.doc_store_adapter.match_exprs import MatchExprs
from hybrid_search.doc_store_adapter.memory_search import MemorySearch
from hybrid_search.doc_store_adapter.posting import Scores, Slots
from hybrid_search.doc_store_adapter.prepared import PreparedDocument, Vocabulary
from hybrid_search.doc_store_adapter.query_evaluator import QueryEvaluator
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.doc_store_adapter.stored_document import StoredDocument
from hybrid_search.fusion.fusion import Fusion

FEWEST_DEAD_SLOTS = 1024


class MemorySnapshot:
    """The documents of a store with their indexes, as they are after one batch; what one asks it never changes.

    Needs no lock: `changed` leaves it as it is. Only one change at a time may be made, each from the snapshot that was
    published last; one that is given up half-way leaves nothing behind but slots that hold no document.

    Args:
        bm25: the formula.
        vocabulary: numbers the tokens of all documents of the store.
        generation: how many batches have changed something.
    """

    def __init__(self, bm25: Bm25, vocabulary: Vocabulary, generation: int = 0) -> None:
        self._bm25 = bm25
        self._vocabulary = vocabulary
        self.generation = generation
        self._table = DocumentTable()
        self._text_indexes: dict[str, InvertedIndex] = {}
        self._dense_indexes: dict[str, DenseIndex] = {}
        self._best_fields = BestFields(self._text_indexes)
        self._masks = FilterMasks()

    @property
    def count(self) -> int:
        """How many documents there are."""
        return self._table.living.count

    def slot(self, identifier: str) -> int | None:
        """The slot of a document, or none."""
        return self._table.slot(identifier)

    def stored(self, slot: int) -> StoredDocument:
        """The document in a slot."""
        entry = self._table.entry(slot)
        vectors = {field: self._vector(slot, field) for field in entry.vector_fields}
        return StoredDocument(entry.identifier, entry.fields, vectors)

    def get(self, identifier: str) -> dict[str, Any] | None:
        """A copy of the fields of a document, or none."""
        slot = self.slot(identifier)
        return None if slot is None else self._select(slot, None)

    def changed(self, removed: Sequence[int], added: Sequence[StoredDocument]) -> "MemorySnapshot":
        """The snapshot after a batch.

        Where more slots would be dead than documents are left, it begins anew with those.

        Args:
            removed: the slots of documents that are gone.
            added: new documents; no others have their ids.
        """
        left = self.count - len(removed) + len(added)
        following = MemorySnapshot(self._bm25, self._vocabulary, self.generation + 1)
        if self._table.living.dead + len(removed) > max(FEWEST_DEAD_SLOTS, left):
            gone = set(removed)
            kept = [self.stored(slot) for slot in self._table.slots() if slot not in gone]
            following._fill([], [*kept, *added])
        else:
            following._table, following._masks = self._table, self._masks
            following._text_indexes.update(self._text_indexes)
            following._dense_indexes.update(self._dense_indexes)
            following._fill(removed, added)
        return following

    def _fill(self, removed: Sequence[int], added: Sequence[StoredDocument]) -> None:
        gone = [self._table.entry(slot) for slot in removed]
        entries = [self._entry_of(document) for document in added]
        self._table, first = self._table.changed(removed, entries)
        self._index_texts(gone, list(enumerate(entries, start=first)))
        self._index_vectors(gone, list(enumerate(added, start=first)))

    def _entry_of(self, document: StoredDocument) -> Entry:
        first_vector = document.vectors[min(document.vectors)] if document.vectors else None
        prepared = PreparedDocument.prepare(self._vocabulary, document.fields, first_vector)
        return Entry(document.identifier, document.fields, dict.fromkeys(document.vectors), prepared)

    def _index_texts(self, removed: Sequence[Entry], added: Sequence[tuple[int, Entry]]) -> None:
        changes: dict[str, tuple[list[Any], list[tuple[int, Any]]]] = {}
        for entry in removed:
            for field, value in entry.fields.items():
                if stored_document.is_searchable(field):
                    changes.setdefault(field, ([], []))[0].append(value)
        for slot, entry in added:
            for field, value in entry.fields.items():
                if stored_document.is_searchable(field):
                    changes.setdefault(field, ([], []))[1].append((slot, value))
        for field, (gone, new) in changes.items():
            index = self._text_indexes.get(field) or InvertedIndex(self._bm25, stored_document.is_keyword_field(field))
            self._text_indexes[field] = index.changed(
                self._table.living,
                (stored_document.tokens(field, value) for value in gone),
                ((slot, stored_document.tokens(field, value)) for slot, value in new),
            )

    def _index_vectors(self, removed: Sequence[Entry], added: Sequence[tuple[int, StoredDocument]]) -> None:
        changes: dict[str, list[tuple[int, list[float]]]] = {}
        for entry in removed:
            for field in entry.vector_fields:
                changes.setdefault(field, [])
        for slot, document in added:
            for field, vector in document.vectors.items():
                changes.setdefault(field, []).append((slot, vector))
        for field, new in changes.items():
            index = self._dense_indexes.get(field) or DenseIndex(stored_document.vector_dimension(field, field))
            rows = ((slot, vector, numeric.norm(vector)) for slot, vector in new)
            self._dense_indexes[field] = index.changed(self._table.living, rows)

    def _vector(self, slot: int, field: str) -> list[float]:
        vector = self._dense_indexes[field].vector(slot)
        assert vector is not None
        return vector

    def search(self, wanted: MemorySearch) -> SearchResult:
        """The answer to a search."""
        parsed = wanted.match
        dense: dict[str, float] = {}
        ranking = self._ranking(parsed, wanted.filters, dense)
        wanted.order.arrange(ranking, self._fields)
        page = ranking[wanted.offset : wanted.offset + wanted.limit]
        slots = [self._slot(identifier) for identifier, _ in page]
        entries = [self._table.entry(slot) for slot in slots]
        return SearchResult(
            total=len(ranking),
            ids=[identifier for identifier, _ in page],
            fields={
                entry.identifier: self._select(slot, wanted.selected)
                for slot, entry in zip(slots, entries, strict=True)
            },
            scores=dict(page),
            query_vector=None if parsed.dense is None else list(parsed.dense.vector),
            highlight=_highlights(entries, wanted.highlight_fields, Highlight(wanted.keywords)),
            aggs={field: aggregations.count(self._values(field, ranking)) for field in wanted.agg_fields},
            keywords=wanted.keywords,
            prepared={entry.identifier: entry.prepared for entry in entries if entry.prepared is not None},
            dense_scores=None if parsed.dense is None else DenseScores(parsed.dense.vector, dense),
        )

    def rank(self, parsed: MatchExprs, filters: Filters) -> Ranking:
        """The ranking of match expressions."""
        return self._ranking(parsed, filters, {})

    def text_leg(self, parsed: MatchExprs, filters: Filters) -> Ranking:
        """The documents that match the text query, at most its `topn`, in the order of ORD-1."""
        query = parsed.text
        assert query is not None
        evaluator = QueryEvaluator(self._best_fields, np.empty(self._table.living.limit, dtype=np.uint16))
        mask = self._masks.mask(filters, self._table)
        slots, scores = evaluator.best(tuple(query.fields), query.clauses, query.topn, mask)
        return self._ranked(slots, scores, query.topn)

    def dense_leg(self, parsed: MatchExprs, filters: Filters) -> Ranking:
        """The documents nearest to the vector, at most its `topn`, only with enough similarity, by ORD-1."""
        query = parsed.dense
        assert query is not None
        index = self._dense_indexes.get(query.field)
        if index is None:
            return []
        mask = self._masks.mask(filters, self._table)
        slots, scores = index.best(query.vector, query.topn, query.similarity, mask)
        return self._ranked(slots, scores, query.topn)

    def _slot(self, identifier: str) -> int:
        slot = self.slot(identifier)
        assert slot is not None
        return slot

    def _fields(self, identifier: str) -> dict[str, Any]:
        return self._table.entry(self._slot(identifier)).fields

    def _values(self, field: str, ranking: Ranking) -> Iterator[Any]:
        path = FieldPath.of(field)
        return (path.value(self._fields(identifier)) for identifier, _ in ranking)

    def _select(self, slot: int, selected: Sequence[str] | None) -> dict[str, Any]:
        entry = self._table.entry(slot)
        names = [*entry.fields, *entry.vector_fields] if selected is None else selected
        found: dict[str, Any] = {}
        for name in names:
            if name in entry.fields:
                found[name] = stored_document.copy_value(entry.fields[name])
            elif name in entry.vector_fields:
                found[name] = self._vector(slot, name)
        return found

    def _ranking(self, parsed: MatchExprs, filters: Filters, cosines: dict[str, float]) -> Ranking:
        """The ranking; what the dense leg computes is added to `cosines`."""
        dense_leg = [] if parsed.dense is None else self.dense_leg(parsed, filters)
        cosines.update(dense_leg)
        if parsed.fusion is not None:
            return Fusion.fuse(parsed.fusion, [self.text_leg(parsed, filters), dense_leg], ["min_max", "none"])
        if parsed.text is not None:
            return self.text_leg(parsed, filters)
        if parsed.dense is not None:
            return dense_leg
        mask = self._masks.mask(filters, self._table)
        slots = [slot for slot in self._table.slots() if mask is None or mask[slot]]
        return [(identifier, 0.0) for identifier in sorted(self._table.identifiers(slots))]

    def _ranked(self, slots: Slots, scores: Scores, limit: int) -> Ranking:
        identifiers = self._table.identifiers(slots.tolist())
        return ordering.rank(zip(identifiers, scores.tolist(), strict=True))[:limit]


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

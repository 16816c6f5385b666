"""The documents of a store in memory with their indexes, in one state (DOC-1 … DOC-3), in a fast form.

Documents are numbered by slots, which the tables, the indexes and the masks of filters share.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hybrid_search.accelerated import fast_leg_head
from hybrid_search.accelerated.best_fields import BestFields
from hybrid_search.accelerated.best_sums import BestSums
from hybrid_search.accelerated.bm25f_postings import Bm25fLeg, Bm25fPostings
from hybrid_search.accelerated.cached_postings import CachedPostings
from hybrid_search.accelerated.document_table import DocumentTable, TableEntry
from hybrid_search.accelerated.fast_dense_index import FastDenseIndex
from hybrid_search.accelerated.fast_inverted_index import FastInvertedIndex
from hybrid_search.accelerated.filter_masks import FilterMasks
from hybrid_search.accelerated.posting import Mask, Scores, Slots
from hybrid_search.accelerated.prepared import PreparedDocument, Vocabulary
from hybrid_search.accelerated.query_evaluator import QueryEvaluator
from hybrid_search.accelerated.row_dots import RowDots
from hybrid_search.accelerated.token_batch import TokenBatch
from hybrid_search.base import ordering
from hybrid_search.doc_store_adapter.base import Ranking
from hybrid_search.doc_store_adapter.documents import stored_document
from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.queries import document_listing
from hybrid_search.doc_store_adapter.queries.document_listing import DocumentListing
from hybrid_search.doc_store_adapter.queries.match_exprs import Bm25fQuery, DenseQuery, TextQuery
from hybrid_search.doc_store_adapter.queries.sort_order import SortOrder
from hybrid_search.doc_store_adapter.snapshot.bm25 import Bm25
from hybrid_search.doc_store_adapter.snapshot.leg_head import LegHead
from hybrid_search.doc_store_adapter.store_stats import Held

FEWEST_DEAD_SLOTS = 1024


class FastDocumentIndex:
    """Documents with their indexes. Its results never change, as `changed` returns a new state.

    States share their contents. An abandoned change only leaves slots without documents. Several threads may search at
    once.

    Args:
        bm25: the formula.
    """

    VECTORS, SUMS = FastDenseIndex, BestSums
    """The classes that find the nearest vectors, and the best sums of texts."""

    def __init__(self, bm25: Bm25) -> None:
        self._bm25 = bm25
        self._vocabulary = Vocabulary()
        self._table = DocumentTable()
        self._text_indexes: dict[str, FastInvertedIndex] = {}
        self._dense_indexes: dict[str, FastDenseIndex] = {}
        self._best_fields = BestFields(self._text_indexes, CachedPostings())
        self._bm25f = Bm25fPostings(self._text_indexes, CachedPostings())
        self._masks = FilterMasks()
        self._states_availability = False

    @property
    def count(self) -> int:
        """The number of documents."""
        return self._table.living.count

    def fields(self, identifier: str) -> dict[str, Any] | None:
        """Return the fields of a document except for its vectors, or `None`; the caller may not change them."""
        slot = self._table.slot(identifier)
        return None if slot is None else self._table.entry(slot).fields

    def vector(self, identifier: str, field: str) -> list[float] | None:
        """Return the vector of a document in a field, or `None`; the caller may not change it."""
        index = self._dense_indexes.get(field)
        slot = None if index is None else self._table.slot(identifier)
        return None if index is None or slot is None else index.vector(slot)

    def stored(self, identifier: str) -> StoredDocument | None:
        """Return a document, or `None`; the caller may not change anything in it."""
        slot = self._table.slot(identifier)
        return None if slot is None else self._stored(slot)

    def entries(self) -> Iterator[Held]:
        """Return the fields of each document except its vectors, and the names of its vector fields, in no order."""
        living = map(self._table.entry, self._table.slots())
        return ((entry.fields, entry.vector_fields) for entry in living)

    def changed(self, removed: Sequence[str], added: Sequence[StoredDocument]) -> "FastDocumentIndex":
        """Return the state after a batch.

        Only one change at a time may be made, each from the state that was published last. If more slots would be dead
        than documents remain, the new state is built from the remaining documents.

        Args:
            removed: the ids of removed documents.
            added: new documents; no other documents have their ids.
        """
        gone = [slot for slot in map(self._table.slot, removed) if slot is not None]
        left = self.count - len(gone) + len(added)
        following = type(self)(self._bm25)
        following._vocabulary = self._vocabulary
        if self._table.living.dead + len(gone) > max(FEWEST_DEAD_SLOTS, left):
            dropped = set(gone)
            kept = [self._stored(slot) for slot in self._table.slots() if slot not in dropped]
            following._fill([], [*kept, *added])
        else:
            following._table, following._masks = self._table, self._masks
            following._states_availability = self._states_availability
            following._text_indexes.update(self._text_indexes)
            following._dense_indexes.update(self._dense_indexes)
            following._fill(gone, added)
        return following

    def passing(self, filters: Filters) -> list[str]:
        """Return the ids of the documents that pass filters, in no order."""
        mask = self._mask(filters)
        return list(self._table.identifiers([slot for slot in self._table.slots() if mask is None or mask[slot]]))

    def passes_all(self, filters: Filters) -> bool:
        """Return whether all documents are known to pass filters without a look at each."""
        return self._mask(filters) is None

    def text_leg(self, query: TextQuery, filters: Filters) -> Ranking:
        """Return up to `topn` documents that match a text query, in the order of ORD-1."""
        evaluator = QueryEvaluator(self._best_fields, self.SUMS(self._table.living.limit))
        mask = self._mask(filters)
        slots, scores = evaluator.best(tuple(query.fields), query.clauses, query.topn, mask)
        return self._ranked(slots, scores, query.topn)

    def bm25f_leg(self, query: Bm25fQuery, filters: Filters) -> Ranking:
        """Return up to `topn` documents that contain a token of a bag, in the order of ORD-1 (DOC-9)."""
        return self._ranked(*self._bm25f_sums(query, filters).best(), query.topn)

    def bm25f_head(self, query: Bm25fQuery, filters: Filters) -> LegHead:
        """Return the first hundred documents of that leg."""
        return fast_leg_head.of(self._bm25f_sums(query, filters), self._ranked, self._table.slot)

    def dense_leg(self, query: DenseQuery, filters: Filters) -> Ranking:
        """Return up to `topn` documents nearest to a vector that are similar enough, in the order of ORD-1."""
        index = self._dense_indexes.get(query.field)
        if index is None:
            return []
        mask = self._mask(filters)
        slots, scores = index.best(query.vector, query.topn, query.similarity, mask)
        return self._ranked(slots, scores, query.topn)

    def values(self, path: FieldPath, identifiers: Sequence[str]) -> list[Any]:
        """Return the values of documents at a path; `None` for a document without one."""
        return [path.value(self.fields(identifier) or {}) for identifier in identifiers]

    def listing(self, filters: Filters, order: SortOrder, offset: int, limit: int) -> DocumentListing:
        """Return a slice of the documents that pass filters."""
        return document_listing.of(self.passing(filters), order, offset, limit, self.values)

    def expect(self, identifiers: Sequence[str], vector_fields: Sequence[str] | None) -> None:
        """Announce the documents that will be requested; nothing has to be read in advance here."""

    def prepared(self, identifiers: Sequence[str]) -> Mapping[str, Any]:
        """Return id → the form prepared for reranking, for the documents that have one."""
        found = {}
        for identifier in identifiers:
            slot = self._table.slot(identifier)
            prepared = None if slot is None else self._table.entry(slot).prepared
            if prepared is not None:
                found[identifier] = prepared
        return found

    def _stored(self, slot: int) -> StoredDocument:
        entry = self._table.entry(slot)
        found = {field: self._dense_indexes[field].vector(slot) for field in entry.vector_fields}
        vectors = {field: vector for field, vector in found.items() if vector is not None}
        return StoredDocument(entry.identifier, entry.fields, vectors)

    def _mask(self, filters: Filters) -> Mask | None:
        """Return for each slot whether its document passes; `None` if all do.

        A document that states no availability is available.
        """
        if filters.ask_availability_alone and not self._states_availability:
            return None
        return self._masks.mask(filters, self._table)

    def _fill(self, removed: Sequence[int], added: Sequence[StoredDocument]) -> None:
        self._states_availability |= any("available_int" in document.fields for document in added)
        gone = [self._table.entry(slot) for slot in removed]
        entries = [self._entry_of(document) for document in added]
        self._table, first = self._table.changed(removed, entries)
        self._index_texts(gone, list(enumerate(entries, start=first)))
        self._index_vectors(gone, list(enumerate(added, start=first)))

    def _entry_of(self, document: StoredDocument) -> TableEntry:
        first_vector = document.vectors[min(document.vectors)] if document.vectors else None
        prepared = PreparedDocument.prepare(self._vocabulary, document.fields, first_vector)
        return TableEntry(document.identifier, document.fields, dict.fromkeys(document.vectors), prepared)

    def _index_texts(self, removed: Sequence[TableEntry], added: Sequence[tuple[int, TableEntry]]) -> None:
        changes: dict[str, tuple[list[Any], list[tuple[int, Any]]]] = {}
        for entry in removed:
            for field, value in entry.fields.items():
                if stored_document.is_searchable(field):
                    changes.setdefault(field, ([], []))[0].append(value)
        for slot, entry in added:
            for field, value in entry.fields.items():
                if stored_document.is_searchable(field):
                    changes.setdefault(field, ([], []))[1].append((slot, value))
        shared = self._shared(changes)
        batches: dict[str, TokenBatch] = {}
        for field, (gone, new) in changes.items():
            if field in shared:
                continue
            keywords = stored_document.is_keyword_field(field)
            index = self._text_indexes.get(field) or FastInvertedIndex(self._bm25, keywords)
            whole = field.replace("_sm_", "_")
            if whole in batches and changes[whole][1] == new:
                batch = batches[whole]
            else:
                batch = TokenBatch([(slot, stored_document.tokens(field, value)) for slot, value in new])
            batches[field] = batch
            self._text_indexes[field] = index.changed(
                self._table.living, (stored_document.tokens(field, value) for value in gone), batch
            )
        for field, whole in shared.items():
            self._text_indexes[field] = self._text_indexes[whole]

    def _shared(self, changes: dict[str, tuple[list[Any], list[tuple[int, Any]]]]) -> dict[str, str]:
        """Return the fields of parts whose old and new values are equal to those of the tokens: they share one index.

        English text is such a case, because its tokens have no parts. A field that begins to differ gets its own index.
        """
        shared = {}
        for field in {*changes, *self._text_indexes}:
            whole = field.replace("_sm_", "_")
            if whole != field and self._text_indexes.get(field) is (index := self._text_indexes.get(whole)):
                if whole in changes and changes.get(field) == changes[whole]:
                    shared[field] = whole
                elif index is not None:
                    self._text_indexes[field] = index.separated()
        return shared

    def _index_vectors(self, removed: Sequence[TableEntry], added: Sequence[tuple[int, StoredDocument]]) -> None:
        changes: dict[str, list[tuple[int, list[float]]]] = {}
        for entry in removed:
            for field in entry.vector_fields:
                changes.setdefault(field, [])
        for slot, document in added:
            for field, vector in document.vectors.items():
                changes.setdefault(field, []).append((slot, vector))
        for field, new in changes.items():
            index = self._dense_indexes.get(field) or self.VECTORS(stored_document.vector_dimension(field, field))
            norms = RowDots.norms_of([vector for _, vector in new])
            rows = ((slot, vector, norm) for (slot, vector), norm in zip(new, norms, strict=True))
            self._dense_indexes[field] = index.changed(self._table.living, rows)

    def _bm25f_sums(self, query: Bm25fQuery, filters: Filters) -> Bm25fLeg:
        sums = self.SUMS(self._table.living.limit)
        return self._bm25f.leg(query, self.count, sums, self._mask(filters))

    def _ranked(self, slots: Slots, scores: Scores, limit: int) -> Ranking:
        identifiers = self._table.identifiers(slots.tolist())
        return ordering.rank(zip(identifiers, scores.tolist(), strict=True))[:limit]

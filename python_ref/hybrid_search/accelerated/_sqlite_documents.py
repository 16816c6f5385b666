"""The documents of an index file and what finds them (SQL-5), fast: only what a question needs is read."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hybrid_search import _ordering as ordering
from hybrid_search.accelerated._best_fields import BestFields
from hybrid_search.accelerated._bm25f_postings import Bm25fPostings
from hybrid_search.accelerated._posting import Scores, Slots
from hybrid_search.accelerated._query_evaluator import QueryEvaluator
from hybrid_search.accelerated._sqlite_masks import SqliteMasks, numbers_at
from hybrid_search.accelerated._sqlite_vectors import SqliteVectors
from hybrid_search.accelerated._stored_inverted_index import StoredInvertedIndex
from hybrid_search.doc_store_adapter import _attributes as attributes
from hybrid_search.doc_store_adapter import _sqlite_schema as schema
from hybrid_search.doc_store_adapter._bm25 import Bm25
from hybrid_search.doc_store_adapter._field_path import FieldPath
from hybrid_search.doc_store_adapter._match_exprs import Bm25fQuery, DenseQuery, TextQuery
from hybrid_search.doc_store_adapter._sqlite_documents import Documents
from hybrid_search.doc_store_adapter._sqlite_tables import SqliteTables
from hybrid_search.doc_store_adapter._store_stats import Held
from hybrid_search.doc_store_adapter._stored_document import StoredDocument, vector_dimension
from hybrid_search.doc_store_adapter.base import Ranking
from hybrid_search.doc_store_adapter.filters import Filters

MANY = 4


class KeptState:
    """What questions have made of one state of a file, for those that follow."""

    def __init__(self, generation: int) -> None:
        self.generation = generation
        self.masks = SqliteMasks()
        self.identifiers: dict[int, str] = {}
        self.text_indexes: dict[str, StoredInvertedIndex] = {}
        self.best_fields = BestFields(self.text_indexes)
        self.bm25f = Bm25fPostings(self.text_indexes)


class SqliteDocuments:
    """Gives the documents in each state of a file.

    Postings of the last state are kept as far as a store in memory keeps them, vectors as far as they fit. Several
    threads may ask at once.

    Args:
        bm25: the formula.
        memory: how many bytes of vectors may be kept.
    """

    def __init__(self, bm25: Bm25, memory: int) -> None:
        self._bm25 = bm25
        self._vectors = SqliteVectors(memory)
        self._kept = KeptState(-1)

    def state(self, tables: SqliteTables) -> Documents:
        """The documents as the tables have them."""
        kept = self._kept
        if kept.generation != tables.generation:
            self._kept = kept = KeptState(tables.generation)
        return SqliteIndex(self._bm25, tables, kept, self._vectors)


class SqliteIndex:
    """The documents of one state, for one search: the documents index of a store in memory, for reading alone.

    Args:
        bm25: the formula.
        tables: the state, as the search's transaction sees it.
        kept: what earlier searches have made of the same state.
        vectors: finds the nearest.
    """

    def __init__(self, bm25: Bm25, tables: SqliteTables, kept: KeptState, vectors: SqliteVectors) -> None:
        self._bm25 = bm25
        self._tables = tables
        self._kept = kept
        self._vectors = vectors
        self._numbers: dict[str, int] = {}
        self._read: dict[str, tuple[dict[str, Any], list[str]]] = {}
        self._components: dict[tuple[str, str], list[float]] = {}

    @property
    def count(self) -> int:
        """How many documents there are."""
        return self._tables.count

    def fields(self, identifier: str) -> dict[str, Any] | None:
        """The fields of a document but its vectors, or none; they may not be changed."""
        held = self._held(identifier)
        return None if held is None else held[0]

    def vector(self, identifier: str, field: str) -> list[float] | None:
        """The vector of a document in a field, or none; it may not be changed."""
        held = self._held(identifier)
        if held is None or field not in held[1]:
            return None
        vector = self._components.get((identifier, field))
        if vector is not None:
            return vector
        number = self._number(identifier)
        return None if number is None else self._tables.vector(number, field)

    def stored(self, identifier: str) -> StoredDocument | None:
        """A document, or none; nothing in it may be changed."""
        held = self._held(identifier)
        if held is None:
            return None
        fields, vector_fields = held
        return StoredDocument(
            identifier, fields, {field: self.vector(identifier, field) or [] for field in vector_fields}
        )

    def entries(self) -> Iterator[Held]:
        """The fields of each document but its vectors, and the names of its vector fields; in no order."""
        return (held for _, held in self._tables.fields_of(list(self._identifiers())))

    def passing(self, filters: Filters) -> list[str]:
        """The ids of the documents that pass filters, in no order."""
        mask = self._kept.masks.mask(filters, self._tables)
        found = {id_: number for number, id_ in self._identifiers().items() if mask is None or mask[number]}
        self._numbers.update(found)
        return list(found)

    def text_leg(self, query: TextQuery, filters: Filters) -> Ranking:
        """The documents that match a text query, at most its `topn`, in the order of ORD-1."""
        best_fields = self._kept.best_fields.over(self._text_indexes(query.fields))
        evaluator = QueryEvaluator(best_fields, np.empty(self._tables.numbers, dtype=np.uint16))
        mask = self._kept.masks.mask(filters, self._tables)
        slots, scores = evaluator.best(tuple(query.fields), query.clauses, query.topn, mask)
        return self._ranked(slots, scores, query.topn)

    def bm25f_leg(self, query: Bm25fQuery, filters: Filters) -> Ranking:
        """The documents that hold a token of a bag, at most its `topn`, in the order of ORD-1 (DOC-9)."""
        bm25f = self._kept.bm25f.over(self._text_indexes(query.fields))
        totals = np.empty(self._tables.numbers, dtype=np.uint16)
        mask = self._kept.masks.mask(filters, self._tables)
        slots, scores = bm25f.best(query, self.count, totals, mask)
        return self._ranked(slots, scores, query.topn)

    def dense_leg(self, query: DenseQuery, filters: Filters) -> Ranking:
        """The documents nearest to a vector, at most its `topn`, only with enough similarity, by ORD-1."""
        row = self._tables.field(schema.ATTRIBUTES, query.field)
        if row is None:
            return []
        mask = self._kept.masks.mask(filters, self._tables)
        slots, scores = self._vectors.best(query, row, self._tables, mask)
        return self._ranked(slots, scores, query.topn)

    def values(self, path: FieldPath, identifiers: Sequence[str]) -> list[Any]:
        """What documents have at a path, none where they have nothing there; of attributes the values alone are read.

        An object, and a list in a list, is told by another one: they neither order documents nor are counted.
        """
        if len(identifiers) * MANY < self.count or not attributes.is_attribute(path.steps[0]):
            self.expect([identifier for identifier in identifiers if identifier not in self._read], ())
            return [path.value(self.fields(identifier) or {}) for identifier in identifiers]
        row = self._tables.field(schema.ATTRIBUTES, path.name)
        column: dict[int, Any] = {}
        for written, places in () if row is None else self._tables.terms(row.field):
            column.update(dict.fromkeys(numbers_at(places).tolist(), attributes.read(written)))
        return [column.get(self._numbers[identifier]) for identifier in identifiers]

    def expect(self, identifiers: Sequence[str], vector_fields: Sequence[str] | None) -> None:
        """Which documents will be asked for next, and which of their vectors (none: all): these are read together."""
        numbers = {number: identifier for identifier in identifiers if (number := self._number(identifier)) is not None}
        self._read.update((numbers[number], held) for number, held in self._tables.fields_of(list(numbers)))
        if not self._read.keys() >= set(identifiers):
            raise self._tables.damaged()
        fields = {field for identifier in identifiers for field in self._read[identifier][1]}
        for field in fields if vector_fields is None else fields.intersection(vector_fields):
            row = self._tables.field(schema.ATTRIBUTES, field)
            dimension = vector_dimension("field", field)
            for number, (_, vector) in () if row is None else self._tables.vectors(row.field, list(numbers), dimension):
                self._components[numbers[number], field] = vector

    def prepared(self, identifiers: Sequence[str]) -> Mapping[str, Any]:
        """Id → what was made of a document for reranking; nothing here."""
        return {}

    def _held(self, identifier: str) -> tuple[dict[str, Any], list[str]] | None:
        if identifier not in self._read:
            number = self._number(identifier)
            if number is None:
                return None
            self._read[identifier] = self._tables.fields(number)
        return self._read[identifier]

    def _identifiers(self) -> dict[int, str]:
        """The numbers and ids of all documents."""
        known = self._kept.identifiers
        if len(known) < self.count:
            known.update(self._tables.identifiers())
        return dict(known)

    def _number(self, identifier: str) -> int | None:
        number = self._numbers.get(identifier)
        return self._tables.number(identifier) if number is None else number

    def _text_indexes(self, fields: Sequence[tuple[str, float]]) -> dict[str, StoredInvertedIndex]:
        found = {}
        for name, _ in fields:
            index = self._kept.text_indexes.get(name)
            if index is None:
                row = self._tables.field(schema.TOKENS, name)
                if row is None or not row.documents:
                    continue
                index = self._kept.text_indexes[name] = StoredInvertedIndex(self._bm25, row, self._tables)
            found[name] = index.reading(self._tables)
        return found

    def _ranked(self, slots: Slots, scores: Scores, limit: int) -> Ranking:
        numbers = slots.tolist()
        known = self._kept.identifiers
        if missing := [number for number in numbers if number not in known]:
            whole = len(missing) * MANY > self.count
            known.update(self._tables.identifiers() if whole else self._tables.identifiers_of(missing))
        identifiers = [known[number] for number in numbers]
        self._numbers.update(zip(identifiers, numbers, strict=True))
        return ordering.rank(zip(identifiers, scores.tolist(), strict=True))[:limit]

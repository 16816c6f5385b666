"""The documents of a collection in PostgreSQL and what finds them (PG-5), fast: only what a question needs is read."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hybrid_search import _ordering as ordering
from hybrid_search.accelerated._best_fields import BestFields
from hybrid_search.accelerated._bm25f_postings import Bm25fPostings
from hybrid_search.accelerated._postgres_masks import PostgresMasks
from hybrid_search.accelerated._postgres_vectors import PostgresVectors, Vectors
from hybrid_search.accelerated._posting import Scores, Slots
from hybrid_search.accelerated._query_evaluator import QueryEvaluator
from hybrid_search.accelerated._stored_inverted_index import StoredInvertedIndex
from hybrid_search.doc_store_adapter._bm25 import Bm25
from hybrid_search.doc_store_adapter._field_path import FieldPath
from hybrid_search.doc_store_adapter._match_exprs import Bm25fQuery, DenseQuery, TextQuery
from hybrid_search.doc_store_adapter._postgres_tables import DocumentRow, PostgresTables
from hybrid_search.doc_store_adapter._posting_tables import FieldRow
from hybrid_search.doc_store_adapter._sqlite_documents import Documents
from hybrid_search.doc_store_adapter._store_stats import Held
from hybrid_search.doc_store_adapter._stored_document import StoredDocument
from hybrid_search.doc_store_adapter.base import Ranking
from hybrid_search.doc_store_adapter.filters import Filters

MANY = 4
MOST_NEAREST = 4
"""Of how many questions the nearest are kept."""


class Nearest(NamedTuple):
    """The nearest documents of a question.

    Attributes:
        numbers: of the documents, among them the best with all ties of the last.
        scores: their cosines.
        read: the vectors that were read on the way.
    """

    numbers: Slots
    scores: Scores
    read: list[Vectors]


class KeptState:
    """What questions have made of one state of a collection, for those that follow."""

    def __init__(self, state: str) -> None:
        self.state = state
        self.fields: dict[str, FieldRow] | None = None
        self.masks = PostgresMasks()
        self.nearest: Mapping[Any, Nearest] = {}
        self.identifiers: dict[int, str] = {}
        self.text_indexes: dict[str, StoredInvertedIndex] = {}
        self.best_fields = BestFields(self.text_indexes)
        self.bm25f = Bm25fPostings(self.text_indexes)


class PostgresDocuments:
    """Gives the documents in each state of a collection.

    Postings of the last state are kept as far as a store in memory keeps them. Several threads may ask at once.

    Args:
        bm25: the formula.
        approximate: whether the nearest may be taken from an index of approximate neighbours.
    """

    def __init__(self, bm25: Bm25, approximate: bool) -> None:
        self._bm25 = bm25
        self._approximate = approximate
        self._kept = KeptState("")

    def state(self, tables: PostgresTables) -> Documents:
        """The documents as the tables have them."""
        kept = self._kept
        if kept.state != tables.state:
            self._kept = kept = KeptState(tables.state)
        return PostgresIndex(self._bm25, tables, kept, self._approximate)


class PostgresIndex:
    """The documents of one state, for one search: the documents index of a store in memory, for reading alone.

    Args:
        bm25: the formula.
        tables: the state, as the search's transaction sees it.
        kept: what earlier searches have made of the same state.
        approximate: as for `PostgresDocuments`.
    """

    def __init__(self, bm25: Bm25, tables: PostgresTables, kept: KeptState, approximate: bool) -> None:
        self._bm25 = bm25
        self._tables = tables
        self._kept = kept
        self._approximate = approximate
        self._numbers: dict[str, int] = {}
        self._rows: dict[str, DocumentRow] = {}
        self._vectors: dict[tuple[str, str], list[float]] = {}
        self._near: dict[str, list[Vectors]] = {}
        if kept.fields is None:
            kept.fields = tables.fields
        else:
            tables.fields = kept.fields

    @property
    def count(self) -> int:
        """How many documents there are."""
        return self._tables.count

    def fields(self, identifier: str) -> dict[str, Any] | None:
        """The fields of a document but its vectors, or none; they may not be changed."""
        row = self._row(identifier)
        return None if row is None else row.fields

    def vector(self, identifier: str, field: str) -> list[float] | None:
        """The vector of a document in a field, or none; it may not be changed."""
        row = self._row(identifier)
        if row is None or field not in row.vector_fields:
            return None
        if (identifier, field) not in self._vectors:
            self._read_vectors([identifier], [field])
        return self._vectors[identifier, field]

    def stored(self, identifier: str) -> StoredDocument | None:
        """A document, or none; nothing in it may be changed."""
        row = self._row(identifier)
        if row is None:
            return None
        vectors = {field: vector for field in row.vector_fields if (vector := self.vector(identifier, field))}
        return StoredDocument(identifier, row.fields, vectors)

    def entries(self) -> Iterator[Held]:
        """The fields of each document but its vectors, and the names of its vector fields; in no order."""
        return ((row.fields, row.vector_fields) for rows in self._tables.all_documents() for row in rows)

    def passing(self, filters: Filters) -> list[str]:
        """The ids of the documents that pass filters, in no order."""
        mask = self._kept.masks.mask(filters, self._tables)
        numbers = None if mask is None else np.flatnonzero(mask).tolist()
        known = self._identifiers(numbers)
        return list(known.values()) if numbers is None else [known[number] for number in numbers]

    def text_leg(self, query: TextQuery, filters: Filters) -> Ranking:
        """The documents that match a text query, at most its `topn`, in the order of ORD-1."""
        mask = self._kept.masks.mask(filters, self._tables)
        tokens = {token for clause in query.clauses.clauses for token in (*clause.tokens, " ".join(clause.tokens))}
        best_fields = self._kept.best_fields.over(self._text_indexes(query.fields, tokens))
        evaluator = QueryEvaluator(best_fields, np.empty(self._tables.numbers, dtype=np.uint16))
        slots, scores = evaluator.best(tuple(query.fields), query.clauses, query.topn, mask)
        return self._ranked(slots, scores, query.topn)

    def bm25f_leg(self, query: Bm25fQuery, filters: Filters) -> Ranking:
        """The documents that hold a token of a bag, at most its `topn`, in the order of ORD-1 (DOC-9)."""
        bm25f = self._kept.bm25f.over(self._text_indexes(query.fields, set(query.counts)))
        totals = np.empty(self._tables.numbers, dtype=np.uint16)
        mask = self._kept.masks.mask(filters, self._tables)
        slots, scores = bm25f.best(query, self.count, totals, mask)
        return self._ranked(slots, scores, query.topn)

    def dense_leg(self, query: DenseQuery, filters: Filters) -> Ranking:
        """The documents nearest to a vector, at most its `topn`, only with enough similarity, by ORD-1."""
        row = self._tables.fields.get(query.field)
        if row is None or not query.topn:
            return []
        nearest = self._nearest(row.field, query, filters)
        self._near.setdefault(query.field, []).extend(nearest.read)
        return self._ranked(nearest.numbers, nearest.scores, query.topn)

    def values(self, path: FieldPath, identifiers: Sequence[str]) -> list[Any]:
        """What documents have at a path, none where they have nothing there; they are read at once."""
        self.expect(identifiers, ())
        return [path.value(self.fields(identifier) or {}) for identifier in identifiers]

    def expect(self, identifiers: Sequence[str], vector_fields: Sequence[str] | None) -> None:
        """Read documents that will be asked for, at once."""
        missing = [identifier for identifier in identifiers if identifier not in self._rows]
        if missing:
            unknown = [identifier for identifier in missing if identifier not in self._numbers]
            self._numbers.update(self._tables.numbers_of(unknown) if unknown else ())
            numbers = [self._numbers[identifier] for identifier in missing if identifier in self._numbers]
            self._rows.update((row.identifier, row) for row in self._tables.documents(numbers))
        fields = self._tables.fields.keys() if vector_fields is None else vector_fields
        if wanted := [field for field in fields if field.endswith("_vec") and field in self._tables.fields]:
            self._read_vectors(identifiers, wanted)

    def prepared(self, identifiers: Sequence[str]) -> Mapping[str, Any]:
        """Id → what was made of a document for reranking; nothing here."""
        return {}

    def _row(self, identifier: str) -> DocumentRow | None:
        if identifier not in self._rows:
            self.expect([identifier], ())
        return self._rows.get(identifier)

    def _read_vectors(self, identifiers: Sequence[str], fields: Sequence[str]) -> None:
        """Read vectors, but those of candidates of the dense leg, which were read before."""
        numbers = {self._numbers[identifier]: identifier for identifier in identifiers if identifier in self._numbers}
        for field in fields:
            for vectors in self._near.get(field, ()):
                for place in np.flatnonzero(np.isin(vectors.numbers, list(numbers))).tolist():
                    identifier = numbers[int(vectors.numbers[place])]
                    self._vectors[identifier, field] = vectors.vectors[place].tolist()
        missing = [
            number
            for number, identifier in numbers.items()
            if any(
                field in self._rows[identifier].vector_fields and (identifier, field) not in self._vectors
                for field in fields
            )
        ]
        if missing:
            for (field, number), vector in self._tables.vectors(fields, missing).items():
                self._vectors[numbers[number], field] = vector

    def _nearest(self, field: int, query: DenseQuery, filters: Filters) -> Nearest:
        """What the server finds; a question that comes again, for more of its results, need not be asked again."""
        key = (field, tuple(query.vector), query.topn, query.similarity, filters.key)
        kept = self._kept.nearest.get(key)
        if kept is None:
            mask = self._kept.masks.mask(filters, self._tables)
            vectors = PostgresVectors(field, query, self._tables, mask)
            kept = Nearest(*(vectors.approximate() if self._approximate else vectors.best()), vectors.read)
            self._kept.nearest = {**dict(list(self._kept.nearest.items())[1 - MOST_NEAREST :]), key: kept}
        return kept

    def _text_indexes(
        self, fields: Sequence[tuple[str, float]], tokens: Collection[str]
    ) -> dict[str, StoredInvertedIndex]:
        """The indexes of some fields, with the places of some tokens, which are read at once."""
        found = {}
        for name, _ in fields:
            index = self._kept.text_indexes.get(name)
            if index is None:
                row = self._tables.fields.get(name)
                if row is None or not row.documents:
                    continue
                index = self._kept.text_indexes[name] = StoredInvertedIndex(self._bm25, row, self._tables)
            found[name] = index.reading(self._tables)
        self._tables.expect_places(
            [self._tables.fields[name].field for name in found], [token.encode("utf-8") for token in tokens]
        )
        return found

    def _identifiers(self, numbers: Sequence[int] | None) -> Mapping[int, str]:
        """The ids of some documents, or of all."""
        known = self._kept.identifiers
        if numbers is None:
            missing = len(known) < self.count
            known.update(self._tables.identifiers() if missing else ())
        elif unknown := [number for number in numbers if number not in known]:
            whole = len(unknown) * MANY > self.count
            known.update(self._tables.identifiers() if whole else self._tables.identifiers_of(unknown))
        return known

    def _ranked(self, slots: Slots, scores: Scores, limit: int) -> Ranking:
        numbers = slots.tolist()
        known = self._identifiers(numbers)
        identifiers = [known[number] for number in numbers]
        self._numbers.update(zip(identifiers, numbers, strict=True))
        return ordering.rank(zip(identifiers, scores.tolist(), strict=True))[:limit]

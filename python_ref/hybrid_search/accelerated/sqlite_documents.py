"""The documents of an index file with their indexes (SQL-5), fast: only the data that a question needs is read."""

from collections.abc import Iterator, Sequence
from typing import Any

from hybrid_search.accelerated.cached_masks import CachedMasks
from hybrid_search.accelerated.cached_states import CachedState, CachedStates
from hybrid_search.accelerated.kept_documents import HeldFields, KeptDocuments
from hybrid_search.accelerated.kept_lengths import KeptLengths
from hybrid_search.accelerated.sqlite_masks import SqliteMasks, numbers_at
from hybrid_search.accelerated.sqlite_vectors import SqliteVectors
from hybrid_search.accelerated.table_index import MANY, TableIndex
from hybrid_search.accelerated.touched_documents import MOST_TOUCHED
from hybrid_search.doc_store_adapter.base import Ranking
from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.documents.stored_document import vector_dimension
from hybrid_search.doc_store_adapter.filters import attributes
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.queries.match_exprs import DenseQuery
from hybrid_search.doc_store_adapter.snapshot.bm25 import Bm25
from hybrid_search.doc_store_adapter.sqlite import sqlite_schema as schema
from hybrid_search.doc_store_adapter.sqlite.sqlite_changes import SqliteChanges
from hybrid_search.doc_store_adapter.sqlite.sqlite_tables import SqliteTables
from hybrid_search.doc_store_adapter.store_stats import Held
from hybrid_search.doc_store_adapter.tables.posting_tables import FieldRow


class CachedFile(CachedState):
    """The cached data of one state of a file.

    Args:
        tables: the state.
        memory: as for `SqliteDocuments`.
        masks: the masks of filters.
        lengths: the lengths of documents.
        nearest: finds the nearest vectors.

    Attributes:
        mark: the mark of the batch that has made it; `None` if it is not known.
        nearest: as given.
        documents: the documents that searches have read.
    """

    def __init__(
        self, tables: SqliteTables, memory: int, masks: CachedMasks, lengths: KeptLengths, nearest: SqliteVectors
    ) -> None:
        super().__init__((tables.state, tables.generation), masks, memory, lengths)
        self.mark = SqliteChanges(tables).mark()
        self.nearest = nearest
        self.documents = KeptDocuments(memory // 8)

    def after(self, touched: Sequence[int], tables: SqliteTables) -> "CachedFile":
        """Return the parts that are the same in a later state.

        Args:
            touched: the numbers of the documents that have changed since.
            tables: the later state.
        """
        is_needed = len(touched) <= MOST_TOUCHED or not self.masks.is_empty
        rows = SqliteChanges(tables).documents(touched) if is_needed else []
        masks = self.masks.after(touched, rows, tables)
        later = CachedFile(tables, self.memory, masks, self.lengths.after(touched), self.nearest.after(touched))
        later.take_over(self, touched, rows)
        later.documents = self.documents.after(touched)
        return later


class SqliteDocuments(CachedStates[CachedFile]):
    """Returns the documents in each state of a file; vectors are cached up to a limit, and so are other data.

    Args:
        bm25: the formula.
        memory: the maximum number of bytes of cached vectors, and of cached lengths, ids and postings together.
    """

    def __init__(self, bm25: Bm25, memory: int) -> None:
        super().__init__()
        self._bm25 = bm25
        self._memory = memory

    def _fresh(self, tables: SqliteTables) -> CachedFile:
        return self._emptied(tables, SqliteVectors(self._memory))

    def _after(self, cache: CachedFile, tables: SqliteTables) -> CachedFile:
        changes = SqliteChanges(tables).since(cache.generation, cache.mark)
        if changes is None:
            return self._fresh(tables)
        if changes.numbers is None:
            return self._emptied(tables, cache.nearest.after(None))
        return cache.after(changes.numbers, tables)

    def _emptied(self, tables: SqliteTables, nearest: SqliteVectors) -> CachedFile:
        return CachedFile(tables, self._memory, SqliteMasks(), KeptLengths(self._memory // 4), nearest)

    def _index(self, tables: SqliteTables, cache: CachedFile) -> "SqliteIndex":
        return SqliteIndex(self._bm25, tables, cache)


class SqliteIndex(TableIndex[SqliteTables, CachedFile]):
    """The documents of one state of an index file.

    Args:
        bm25: as for `TableIndex`.
        tables: as for `TableIndex`.
        cache: as for `TableIndex`.
    """

    def __init__(self, bm25: Bm25, tables: SqliteTables, cache: CachedFile) -> None:
        super().__init__(bm25, tables, cache)
        self._read: dict[str, HeldFields] = {}

    def entries(self) -> Iterator[Held]:
        """Return the fields of each document except its vectors, and the names of its vector fields, in no order."""
        return (held for _, held in self._tables.fields_of(list(self._identifiers(None))))

    def dense_leg(self, query: DenseQuery, filters: Filters) -> Ranking:
        """Return up to `topn` documents nearest to a vector that are similar enough, in the order of ORD-1."""
        row = self._row(schema.ATTRIBUTES, query.field)
        if row is None:
            return []
        mask = self._kept.masks.mask(filters, self._tables)
        slots, scores = self._kept.nearest.best(query, row, self._tables, mask)
        return self._ranked(slots, scores, query.topn)

    def values(self, path: FieldPath, identifiers: Sequence[str]) -> list[Any]:
        """Return the values of documents at a path, `None` if absent; of attributes only the values are read.

        An object, or a list in a list, is replaced by a placeholder: such values neither order documents nor are
        counted.
        """
        if len(identifiers) * MANY < self.count or not attributes.is_attribute(path.steps[0]):
            return super().values(path, identifiers)
        row = self._row(schema.ATTRIBUTES, path.name)
        column: dict[int, Any] = {}
        for written, places in () if row is None else self._tables.terms(row.field):
            column.update(dict.fromkeys(numbers_at(places).tolist(), attributes.read(written)))
        return [column.get(self._numbers[identifier]) for identifier in identifiers]

    def expect(self, identifiers: Sequence[str], vector_fields: Sequence[str] | None) -> None:
        """Announce the next requested documents and their vector fields (`None`: all); they are read together."""
        found = ((self._number(identifier), identifier) for identifier in identifiers)
        numbers = {number: identifier for number, identifier in found if number is not None}
        unread = [number for number, identifier in numbers.items() if not self._is_read(number, identifier)]
        for number, held in self._tables.fields_of(unread):
            self._keep(number, numbers[number], held)
        if not self._read.keys() >= set(numbers.values()):
            raise self._tables.damaged()
        fields = {field for identifier in numbers.values() for field in self._read[identifier][1]}
        for field in fields if vector_fields is None else fields.intersection(vector_fields):
            row = self._row(schema.ATTRIBUTES, field)
            dimension = vector_dimension("field", field)
            for number, (_, vector) in () if row is None else self._tables.vectors(row.field, list(numbers), dimension):
                self._vectors[numbers[number], field] = vector

    def _held(self, identifier: str) -> HeldFields | None:
        if identifier not in self._read:
            number = self._number(identifier)
            if number is None:
                return None
            if not self._is_read(number, identifier):
                self._keep(number, identifier, self._tables.fields(number))
        return self._read[identifier]

    def _is_read(self, number: int, identifier: str) -> bool:
        """Return whether a document has been read, in this search or before."""
        held = None if identifier in self._read else self._kept.documents.find(number)
        if held is not None:
            self._read[identifier] = held
        return identifier in self._read

    def _keep(self, number: int, identifier: str, held: HeldFields) -> None:
        self._read[identifier] = held
        self._kept.documents.keep(number, held)

    def _vector(self, identifier: str, field: str) -> list[float]:
        number = self._number(identifier)
        assert number is not None
        return self._tables.vector(number, field)

    def _text_field(self, name: str) -> FieldRow | None:
        return self._row(schema.TOKENS, name)

    def _row(self, kind: int, name: str) -> FieldRow | None:
        known = self._kept.rows
        if (kind, name) not in known:
            known[kind, name] = self._tables.field(kind, name)
        return known[kind, name]

    def _number(self, identifier: str) -> int | None:
        number = self._known_number(identifier)
        return self._tables.number(identifier) if number is None else number

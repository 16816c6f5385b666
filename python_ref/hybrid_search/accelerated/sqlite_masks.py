"""Finds the documents of an index file that pass filters, by the values that the file contains (SQL-5, DOC-2)."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from hybrid_search.accelerated.cached_masks import CachedMasks
from hybrid_search.accelerated.posting import Mask, Slots
from hybrid_search.accelerated.token_batch import POSITION_BITS
from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.filters import attributes, filter_conditions
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.sqlite import sqlite_schema as schema
from hybrid_search.doc_store_adapter.sqlite.sqlite_tables import SqliteTables

AVAILABLE = FieldPath.of("available_int")


class SqliteMasks(CachedMasks):
    """Evaluates conditions once for each value, for all documents with this value together."""

    def _made(self, filters: Filters, tables: SqliteTables) -> Mask | None:
        mask: Mask = _Evaluation(tables).of(filters.conditions).astype(np.uint8)
        return None if np.count_nonzero(mask) == tables.count else mask


class _Evaluation:
    """Evaluates conditions as arrays with a truth value for each number."""

    def __init__(self, tables: SqliteTables) -> None:
        self._tables = tables
        row = tables.field(schema.DOCUMENTS, "")
        self.every = self._none()
        if row is not None:
            self.every[numbers_at(tables.places(row.field, b""))] = True

    def of(self, condition: filter_conditions.Condition) -> Any:
        if isinstance(condition, filter_conditions.Conjunction):
            return self._all(condition.conditions)
        if isinstance(condition, filter_conditions.AllConditions):
            return self._all(condition.filters)
        if isinstance(condition, filter_conditions.AnyCondition):
            return self._any(condition.filters)
        if isinstance(condition, filter_conditions.Negation):
            return self.every & ~self.of(condition.filters)
        if isinstance(condition, filter_conditions.Missing):
            return self.every & ~self._any([filter_conditions.Exists(path, True) for path in condition.paths])
        if isinstance(condition, filter_conditions.Identified):
            return self._identified(condition)
        if isinstance(condition, filter_conditions.Available):
            return self._of_path(AVAILABLE, condition)
        assert isinstance(condition, (filter_conditions.Exists, filter_conditions.Valued))
        return self._of_path(condition.path, condition)

    def _all(self, conditions: Iterable[filter_conditions.Condition]) -> Any:
        mask = self.every.copy()
        for condition in conditions:
            mask &= self.of(condition)
        return mask

    def _any(self, conditions: Iterable[filter_conditions.Condition]) -> Any:
        mask = self._none()
        for condition in conditions:
            mask |= self.of(condition)
        return mask

    def _identified(self, condition: filter_conditions.Identified) -> Any:
        mask = self._none()
        numbers = [self._tables.number(identifier) for identifier in condition.identifiers]
        mask[[number for number in numbers if number is not None]] = True
        return mask

    def _of_path(self, path: FieldPath, condition: filter_conditions.Condition) -> Any:
        if not attributes.is_attribute(path.steps[0]):
            return self._of_documents(condition)
        mask, held = self._none(), self._none()
        row = self._tables.field(schema.ATTRIBUTES, path.name)
        for written, places in () if row is None else self._tables.terms(row.field):
            numbers = numbers_at(places)
            held[numbers] = True
            if condition.accepts(attributes.candidate(path.name, attributes.read(written))):
                mask[numbers] = True
        return mask | (self.every & ~held) if condition.accepts(attributes.candidate(path.name, None)) else mask

    def _of_documents(self, condition: filter_conditions.Condition) -> Any:
        """Return the mask, made from every document."""
        mask = self._none()
        for number, identifier in list(self._tables.identifiers()):
            fields, vector_fields = self._tables.fields(number)
            mask[number] = condition.accepts(
                filter_conditions.Candidate(identifier, fields, dict.fromkeys(vector_fields))
            )
        return mask

    def _none(self) -> Any:
        return np.zeros(self._tables.numbers, dtype=np.bool_)


def numbers_at(places: bytes) -> Slots:
    """Return the numbers of the documents that contain places."""
    numbers: Slots = np.frombuffer(places, dtype="<i8") >> POSITION_BITS
    return numbers

"""Which documents of an index file pass filters, by the values it holds, remembered (SQL-5, DOC-2)."""

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

import numpy as np

from hybrid_search.accelerated._filter_masks import MOST_FILTER_MASKS
from hybrid_search.accelerated._inverted_index import POSITION_BITS
from hybrid_search.accelerated._posting import Mask, Slots
from hybrid_search.doc_store_adapter import _attributes as attributes
from hybrid_search.doc_store_adapter import _sqlite_schema as schema
from hybrid_search.doc_store_adapter._field_path import FieldPath
from hybrid_search.doc_store_adapter._filter_conditions import (
    AllOf,
    AnyOf,
    Available,
    Candidate,
    Condition,
    Conjunction,
    Exists,
    Identified,
    Missing,
    Negation,
    Valued,
)
from hybrid_search.doc_store_adapter._sqlite_tables import SqliteTables
from hybrid_search.doc_store_adapter.filters import Filters

AVAILABLE = FieldPath.of("available_int")


class SqliteMasks:
    """For filters a mask over the numbers of documents, in one state of a file. Several threads may ask at once."""

    def __init__(self) -> None:
        self._masks: OrderedDict[Any, Mask] = OrderedDict()

    def mask(self, filters: Filters, tables: SqliteTables) -> Mask | None:
        """For each number whether its document passes, or none when all do."""
        if filters.is_empty():
            return None
        mask = self._masks.pop(filters.key, None)
        if mask is None:
            mask = _Evaluation(tables).of(filters.conditions).astype(np.uint8)
        self._masks[filters.key] = mask
        if len(self._masks) > MOST_FILTER_MASKS:
            self._masks.popitem(last=False)
        return mask


class _Evaluation:
    """Takes the documents that hold a value together: conditions are asked once for each value."""

    def __init__(self, tables: SqliteTables) -> None:
        self._tables = tables
        row = tables.field(schema.DOCUMENTS, "")
        self.every = self._none()
        if row is not None:
            self.every[numbers_at(tables.places(row.field, b""))] = True

    def of(self, condition: Condition) -> Any:
        if isinstance(condition, Conjunction):
            return self._all(condition.conditions)
        if isinstance(condition, AllOf):
            return self._all(condition.filters)
        if isinstance(condition, AnyOf):
            return self._any(condition.filters)
        if isinstance(condition, Negation):
            return self.every & ~self.of(condition.filters)
        if isinstance(condition, Missing):
            return self.every & ~self._any([Exists(path, True) for path in condition.paths])
        if isinstance(condition, Identified):
            return self._identified(condition)
        if isinstance(condition, Available):
            return self._of_path(AVAILABLE, condition)
        assert isinstance(condition, (Exists, Valued))
        return self._of_path(condition.path, condition)

    def _all(self, conditions: Iterable[Condition]) -> Any:
        mask = self.every.copy()
        for condition in conditions:
            mask &= self.of(condition)
        return mask

    def _any(self, conditions: Iterable[Condition]) -> Any:
        mask = self._none()
        for condition in conditions:
            mask |= self.of(condition)
        return mask

    def _identified(self, condition: Identified) -> Any:
        mask = self._none()
        numbers = [self._tables.number(identifier) for identifier in condition.identifiers]
        mask[[number for number in numbers if number is not None]] = True
        return mask

    def _of_path(self, path: FieldPath, condition: Condition) -> Any:
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

    def _of_documents(self, condition: Condition) -> Any:
        """By looking at every document."""
        mask = self._none()
        for number, identifier in list(self._tables.identifiers()):
            fields, vector_fields = self._tables.fields(number)
            mask[number] = condition.accepts(Candidate(identifier, fields, dict.fromkeys(vector_fields)))
        return mask

    def _none(self) -> Any:
        return np.zeros(self._tables.numbers, dtype=np.bool_)


def numbers_at(places: bytes) -> Slots:
    """The numbers of the documents in which places are."""
    numbers: Slots = np.frombuffer(places, dtype="<i8") >> POSITION_BITS
    return numbers

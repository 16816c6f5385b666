"""Filters as conditions of a statement (OB-2, DOC-2): a subquery for each condition on a field."""

import re
from collections.abc import Sequence

from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.filters import attributes, comparisons, filter_conditions, value_keys
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.oceanbase import oceanbase_statements as sql
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_statements import OceanBaseStatements
from hybrid_search.doc_store_adapter.tables.sql_filters import SqlFilters

OPERATORS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
NAMED = "="
"""The beginning of the term of a name; that of a value begins with a digit."""
CUT = re.compile(r"\0[0-9a-f]{64}\Z")
"""The end of a term that may not be the whole value; no filter has a number with that many digits."""
UNAVAILABLE = [comparisons.Bound("lt", ("number", 1))]


class UndecidedError(Exception):
    """The server cannot decide which documents pass; the library itself must check every document."""


class OceanBaseFilters(SqlFilters):
    """The condition that finds the documents that pass filters.

    Args:
        filters: the filters.
        statements: the statements of the collection.
        states_availability: whether any document has a value for availability.

    Raises:
        UndecidedError: the server cannot decide.

    Attributes:
        text: the condition.
        compares_texts: whether it compares texts, so that the library must check documents with cut terms.
    """

    def __init__(self, filters: Filters, statements: OceanBaseStatements, states_availability: bool) -> None:
        self._statements = statements
        self._states_availability = states_availability
        self.compares_texts = False
        self.text = self._of(filters.conditions)

    def _identified(self, condition: filter_conditions.Identified) -> str:
        identifiers = sorted(condition.identifiers)
        return self._statements.text("condition_identified", ids=sql.row(identifiers)) if identifiers else "false"

    def _is_available(self) -> str:
        if not self._states_availability:
            return "true"
        return f"(not {self._within('available_int', UNAVAILABLE, ())})"

    def _exists(self, path: FieldPath) -> str:
        if path.name == "id":
            return "true"
        return self._holding([NAMED + value_keys.name_key(_name(path))])

    def _held(self, condition: filter_conditions.Valued) -> str:
        wanted = condition.wanted
        within = None if wanted is None else [key for key in wanted if condition.holds_within(key)]
        if condition.path.name == "id":
            return self._id_held(within, condition)
        name = _name(condition.path)
        if within is not None:
            return self._holding(sorted(value_keys.value_key(name, key) for key in within))
        return self._within(name, condition.bounds, condition.parts)

    def _id_held(self, within: list[comparisons.ScalarKey] | None, condition: filter_conditions.Valued) -> str:
        if within is not None:
            wanted = sorted(value for kind, value in within if kind == "text")
            return self._statements.text("condition_identified", ids=sql.row(wanted)) if wanted else "false"
        sides = []
        for bound in condition.bounds:
            if bound.limit[0] != "text":
                return "false"
            sides.append(f"d.id {OPERATORS[bound.operator]} {sql.value(bound.limit[1])}")
        tests = [*sides, *(_test("d.id", 1, part) for part in condition.parts)]
        return f"({' and '.join(tests)})" if tests else "true"

    def _holding(self, terms: list[str]) -> str:
        return self._statements.text("condition_term", terms=sql.row(terms)) if terms else "false"

    def _within(
        self,
        name: str,
        bounds: Sequence[comparisons.Bound],
        parts: Sequence[comparisons.TextPart],
    ) -> str:
        sides = []
        for kind, limit in (bound.limit for bound in bounds):
            self.compares_texts = self.compares_texts or kind == "text"
            if kind == "text" and len(limit.encode("utf-8")) > value_keys.LONGEST_TEXT:
                raise UndecidedError
        if bounds:
            found = value_keys.value_range(name, bounds)
            if found is None:
                return "false"
            sides += [f"term {OPERATORS[side]} {sql.value(term)}" for side, term in found.items()]
        if parts:
            self.compares_texts = True
            start = value_keys.prefix(name)
            kind = value_keys.KINDS["text"]
            sides += [f"term >= {sql.value(start + kind)}", f"term < {sql.value(start + value_keys.NEXT_KIND[kind])}"]
            offset = len((start + kind).encode("utf-8")) + 1
            sides += [_test("term", offset, part) for part in parts]
        return self._statements.text("condition_range", sides=" and ".join(sides))


def terms(document: StoredDocument) -> dict[str, bool]:
    """Return the terms by which filters find a document; for each whether it may not be the whole value."""
    fields = {name: value for name, value in document.fields.items() if attributes.is_attribute(name)}
    held = value_keys.held(document._replace(fields=fields))
    found = {NAMED + name: False for name in held.names}
    found.update((term, CUT.search(term) is not None) for term in held.terms)
    return found


def _test(column: str, offset: int, part: comparisons.TextPart) -> str:
    """Return the test for a part of a text that begins at an offset of a column, which counts from 1."""
    written = part.part.encode("utf-8")
    shown = sql.value(written)
    if not written:
        return "true"
    if part.operator == "contains":
        return f"locate({shown}, {column}, {offset}) > 0"
    if part.operator == "starts_with":
        return f"substr({column}, {offset}, {len(written)}) = {shown}"
    return f"(length({column}) >= {offset - 1 + len(written)} and right({column}, {len(written)}) = {shown})"


def _name(path: FieldPath) -> str:
    if not attributes.is_attribute(path.steps[0]):
        raise UndecidedError
    return path.name

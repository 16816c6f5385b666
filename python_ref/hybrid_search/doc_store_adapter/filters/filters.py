"""Filters: the conditions that documents have to meet (DOC-2)."""

from collections.abc import Mapping
from typing import Any

from hybrid_search.doc_store_adapter.filters.filter_conditions import Available, Candidate, Conjunction, Identified
from hybrid_search.doc_store_adapter.filters.filter_names import FilterNames
from hybrid_search.doc_store_adapter.filters.filter_parser import FilterParser

AVAILABLE = Available((True,))
"""The condition that every search adds, unless its filters mention availability (RET-8)."""


class Filters:
    """Conditions on the fields of a store, as data; all of them must hold.

    - a field and a text, a number, true or false, or a list of these, of which one must be equal. If the document has a
      list, one equal member is enough. An empty list matches nothing. 1 equals 1.0, but not "1" or true.
    - a field and an object of operators, which must all hold: `eq`, `in`, `gt`, `gte`, `lt`, `lte`, `contains`,
      `starts_with`, `ends_with`, `exists`, `not`. Numbers are compared with numbers, texts with texts, by code points;
      a missing field satisfies no comparison.
    - `id`: a text or a list of texts.
    - `available_int`: 1 matches documents whose value is at least 1 or missing, 0 those with a value below 1.
    - `not`: filters that must not hold; `any`, `all`: a list of filters of which one, or each, must hold.
    - `must_not`: `{"exists": field}` (or a list of fields) matches documents without that field; an empty list counts
      as missing.

    `metadata.a.b` names a value within `metadata`, `tag_feas.x` the number of a tag.

    Args:
        filters: the conditions, as data or already parsed; `None` for no condition.

    Raises:
        InvalidInputError: a condition of another form, or too many conditions.

    Attributes:
        conditions: the parsed conditions.
        identifiers: the accepted ids, or `None` if the filters do not mention `id`.
        key: a key that is equal for two filters with the same meaning.
        ask_availability_alone: whether availability is the only condition, so that every document without it passes.
    """

    def __init__(self, filters: Mapping[str, Any] | Conjunction | None) -> None:
        if not isinstance(filters, Conjunction):
            filters = FilterParser(FilterNames()).parse({} if filters is None else filters)
        self.conditions = filters
        wanted = (one.identifiers for one in self.conditions.conditions if isinstance(one, Identified))
        self.identifiers: frozenset[str] | None = next(wanted, None)
        self.key = self.conditions.key
        self.ask_availability_alone = self.conditions.conditions == (AVAILABLE,)

    def is_empty(self) -> bool:
        """Return whether every document passes."""
        return not self.conditions.conditions

    def accepts(self, identifier: str, fields: Mapping[str, Any], vector_fields: Mapping[str, Any]) -> bool:
        """Return whether a document passes.

        Args:
            identifier: its id.
            fields: its fields apart from vectors.
            vector_fields: an object whose keys are its vector fields.
        """
        return self.conditions.accepts(Candidate(identifier, fields, vector_fields))

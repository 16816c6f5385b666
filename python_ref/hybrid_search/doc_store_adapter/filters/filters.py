"""Which documents count at all (DOC-2)."""

from collections.abc import Mapping
from typing import Any

from hybrid_search.doc_store_adapter.filters.filter_conditions import Available, Candidate, Conjunction, Identified
from hybrid_search.doc_store_adapter.filters.filter_names import FilterNames
from hybrid_search.doc_store_adapter.filters.filter_parser import FilterParser

AVAILABLE = Available((True,))
"""The condition of every retrieval whose filters do not ask for availability (RET-8)."""


class Filters:
    """Conditions on the fields of a store, as data; all of them must hold.

    - a field and a text, a number, true or false, or a list of these, of which one must be equal. Where the document
      holds a list, one member is enough. An empty list matches nothing. 1 equals 1.0, but not "1" or true.
    - a field and an object of operators, which must all hold: `eq`, `in`, `gt`, `gte`, `lt`, `lte`, `contains`,
      `starts_with`, `ends_with`, `exists`, `not`. Numbers are compared with numbers, texts with texts, by code points;
      a missing field satisfies no comparison.
    - `id`: a text or a list of texts.
    - `available_int`: 1 asks for documents whose value is at least 1 or missing, 0 for those with a value below 1.
    - `not`: filters that must not hold; `any`, `all`: a list of filters of which one, or each, must.
    - `must_not`: `{"exists": field}` (or a list of fields) asks for documents without that field; an empty list counts
      as missing.

    `metadata.a.b` names a value within `metadata`, `tag_feas.x` the number of a tag.

    Args:
        filters: the conditions, as data or as they were parsed before; `None` for no condition.

    Raises:
        InvalidInputError: a condition of another form, or too many of them.

    Attributes:
        conditions: what must hold.
        identifiers: the ids asked for, or none when `id` is not filtered.
        key: what two filters that ask for the same have in common.
        ask_availability_alone: whether every document passes that does not state its availability.
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
        """Whether every document passes."""
        return not self.conditions.conditions

    def accepts(self, identifier: str, fields: Mapping[str, Any], vector_fields: Mapping[str, Any]) -> bool:
        """Whether a document passes.

        Args:
            identifier: its id.
            fields: its fields apart from vectors.
            vector_fields: an object whose keys are its vector fields.
        """
        return self.conditions.accepts(Candidate(identifier, fields, vector_fields))

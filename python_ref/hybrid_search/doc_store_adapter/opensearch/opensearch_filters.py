"""Filters as queries of OpenSearch; values are passed as data and never as the text of a query (DOC-2)."""

from collections.abc import Sequence
from typing import Any, Protocol

from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.filters import attributes, comparisons, filter_conditions
from hybrid_search.doc_store_adapter.filters import value_keys as keys
from hybrid_search.doc_store_adapter.opensearch import opensearch_keys
from hybrid_search.errors import InvalidInputError

Query = dict[str, Any]
MOST_TERMS = 50_000
"""The maximum number of terms in one query; engines accept 65,536."""

NOTHING: Query = {"match_none": {}}
EVERYTHING: Query = {"match_all": {}}


class Leaves(Protocol):
    """The queries of an index about a single field."""

    def identified(self, identifiers: Sequence[str]) -> Query:
        """Return a query for the documents with these ids."""
        ...

    def unavailable(self) -> Query:
        """Return a query for the documents whose `available_int` is below 1."""
        ...

    def exists(self, path: FieldPath) -> Query:
        """Return a query for the documents that have a field."""
        ...

    def valued(self, condition: filter_conditions.Valued) -> Query:
        """Return a query for the documents with an accepted value; it ignores `exists`."""
        ...


class OwnLeaves:
    """The queries of an index made by this library."""

    def identified(self, identifiers: Sequence[str]) -> Query:
        """See `Leaves`."""
        return terms("id", sorted(identifiers))

    def unavailable(self) -> Query:
        """See `Leaves`."""
        return {"range": {"value": keys.value_range("available_int", [comparisons.Bound("lt", ("number", 1))])}}

    def exists(self, path: FieldPath) -> Query:
        """See `Leaves`."""
        return {"term": {"name": keys.name_key(path.name)}}

    def valued(self, condition: filter_conditions.Valued) -> Query:
        """See `Leaves`."""
        name = condition.path.name
        if condition.wanted is not None:
            return terms("value", sorted(keys.value_key(name, key) for key in within(condition)))
        if not condition.bounds:
            return _having_parts(name, condition.parts)
        sides = keys.value_range(name, condition.bounds)
        if sides is None:
            return NOTHING
        within_bounds: Query = {"range": {"value": sides}}
        if not condition.parts:
            return within_bounds
        return {"bool": {"filter": [within_bounds, _having_parts(name, condition.parts)]}}


def _having_parts(name: str, parts: Sequence[comparisons.TextPart]) -> Query:
    if name != "id" and not attributes.is_attribute(name):
        raise InvalidInputError(f"OpenSearch holds the beginning of {name} alone: it has no contains and the like")
    return {"regexp": {"value": {"value": opensearch_keys.value_pattern(name, parts)}}}


class OpenSearchFilters:
    """Writes conditions as queries.

    Every level of filters is one `bool` query, since engines limit the depth of queries.

    Args:
        leaves: writes the queries about a single field.
    """

    def __init__(self, leaves: Leaves) -> None:
        self._leaves = leaves

    def query(self, conjunction: filter_conditions.Conjunction) -> Query:
        """Return a query for the documents for which all conditions hold."""
        parts: dict[str, list[Query]] = {"filter": [], "must_not": [], "should": []}
        for condition in conjunction.conditions:
            self._add(condition, parts)
        found: Query = {name: queries for name, queries in parts.items() if queries}
        if "should" in found:
            found["minimum_should_match"] = 1
        return {"bool": found} if found else EVERYTHING

    def _add(self, condition: filter_conditions.Condition, parts: dict[str, list[Query]]) -> None:
        if isinstance(condition, filter_conditions.Negation):
            assert isinstance(condition.filters, filter_conditions.Conjunction)
            parts["must_not"].append(self.query(condition.filters))
        elif isinstance(condition, filter_conditions.AllConditions):
            parts["filter"] += [self.query(one) for one in condition.filters]
        elif isinstance(condition, filter_conditions.AnyCondition):
            self._add_any([self.query(one) for one in condition.filters] or [NOTHING], parts)
        elif isinstance(condition, filter_conditions.Missing):
            parts["must_not"] += [self._leaves.exists(path) for path in condition.paths]
        elif isinstance(condition, filter_conditions.Exists):
            parts["filter" if condition.wanted else "must_not"].append(self._leaves.exists(condition.path))
        elif isinstance(condition, filter_conditions.Identified):
            parts["filter"].append(self._leaves.identified(list(condition.identifiers)))
        elif isinstance(condition, filter_conditions.Available):
            self._add_available(condition, parts)
        else:
            assert isinstance(condition, filter_conditions.Valued)
            self._add_valued(condition, parts)

    def _add_any(self, alternatives: list[Query], parts: dict[str, list[Query]]) -> None:
        if parts["should"]:
            parts["filter"].append({"bool": {"should": alternatives, "minimum_should_match": 1}})
        else:
            parts["should"] += alternatives

    def _add_available(self, condition: filter_conditions.Available, parts: dict[str, list[Query]]) -> None:
        wanted = set(condition.wanted)
        if not wanted:
            parts["filter"].append(NOTHING)
        elif len(wanted) == 1:
            parts["must_not" if True in wanted else "filter"].append(self._leaves.unavailable())

    def _add_valued(self, condition: filter_conditions.Valued, parts: dict[str, list[Query]]) -> None:
        if condition.exists is not None:
            parts["filter" if condition.exists else "must_not"].append(self._leaves.exists(condition.path))
        parts["filter"].append(self._leaves.valued(condition))


def within(condition: filter_conditions.Valued) -> list[comparisons.ScalarKey]:
    """Return the accepted values that are within the bounds and have the parts."""
    return [key for key in condition.wanted or () if condition.holds_within(key)]


def terms(field: str, values: Sequence[Any]) -> Query:
    """Return a query for the documents whose field has one of the values."""
    if not values:
        return NOTHING
    if len(values) <= MOST_TERMS:
        return {"terms": {field: list(values)}}
    pieces = [list(values[start : start + MOST_TERMS]) for start in range(0, len(values), MOST_TERMS)]
    return {"bool": {"should": [{"terms": {field: piece}} for piece in pieces], "minimum_should_match": 1}}

"""The layout of an index made by RAGFlow, and its queries; nothing is written into such an index (OS-5).

RAGFlow's mapping determines the type of a field by the ending of its name. The vectors must use the engine lucene.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.doc_store_adapter.documents import stored_document
from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.filters.comparisons import ScalarKey, TextPart
from hybrid_search.doc_store_adapter.filters.filter_conditions import Valued
from hybrid_search.doc_store_adapter.opensearch import opensearch_queries as queries
from hybrid_search.doc_store_adapter.opensearch.opensearch_filters import NOTHING, Query, terms, within
from hybrid_search.doc_store_adapter.queries.query_clauses import Clause
from hybrid_search.errors import DocStoreError

KEYWORDS = re.compile(r".*_(kwd|id|ids|uid|uids)|uid", re.DOTALL)
NUMBERS = re.compile(r".*_(int|long|flt)", re.DOTALL)
THERE = re.compile(r".*_(kwd|id|ids|uid|uids|int|long|flt|tks|ltks|vec)|uid", re.DOTALL)
LARGEST = {"_int": (1 << 31) - 1, "_long": (1 << 63) - 1, "_flt": 3.4e38}
LONGEST_NAME = 512


class RagflowLeaves:
    """The queries of an index made by RAGFlow."""

    def identified(self, identifiers: Sequence[str]) -> Query:
        """See `Leaves`."""
        return {"ids": {"values": sorted(identifiers)}} if identifiers else NOTHING

    def unavailable(self) -> Query:
        """See `Leaves`."""
        return {"range": {"available_int": {"lt": 1}}}

    def exists(self, path: FieldPath) -> Query:
        """See `Leaves`."""
        if not THERE.fullmatch(path.name) or not _is_plain(path.name):
            raise _unknown(path.name)
        return {"exists": {"field": path.name}}

    def valued(self, condition: Valued) -> Query:
        """See `Leaves`."""
        name = condition.path.name
        if not _is_plain(name):
            raise _unknown(name)
        if KEYWORDS.fullmatch(name):
            return _valued(name, condition, "text")
        if NUMBERS.fullmatch(name):
            return _valued(name, condition, "number")
        raise _unknown(name)


class RagflowLayout:
    """The layout of an index made by RAGFlow."""

    read_only = True
    leaves = RagflowLeaves()
    order: Sequence[Mapping[str, Any]] = ({"id.keyword": {"order": "asc", "unmapped_type": "keyword"}},)
    nothing_stored: Mapping[str, Any] = {"_source": False}

    @staticmethod
    def identifier(hit: Mapping[str, Any]) -> str:
        """Return the id of a found document."""
        return str(hit["_id"])

    @staticmethod
    def check(index: str, meta: Any) -> None:
        """Accept any index."""

    @staticmethod
    def identity(_properties: Mapping[str, Any]) -> str | None:
        """Return `None`: RAGFlow's indexes have no field that only one of them has."""
        return None

    @staticmethod
    def document(identifier: str, source: Mapping[str, Any], vectors: Sequence[str] | None) -> StoredDocument:
        """Return the stored document.

        A vector field with another value stays a field, so that the rerankers report it (RNK-1).
        """
        fields: dict[str, Any] = {"id": identifier}
        found: dict[str, Any] = {}
        for field, value in source.items():
            if value is None or field == "id":
                continue
            if not field.endswith("_vec"):
                fields[field] = value
            elif vectors is None or field in vectors:
                found[field] = value
        return StoredDocument(identifier, fields, found)

    @staticmethod
    def matching(field: str, clause: Clause) -> dict[str, Any]:
        """See `TextFields`."""
        text = " ".join(clause.tokens)
        if stored_document.is_keyword_field(field):
            return {"term": {field: {"value": text}}}
        if len(clause.tokens) == 1:
            return {"term": {field: {"value": text}}}
        return {"match_phrase": {field: {"query": text, "slop": min(clause.slop, queries.LARGEST_SLOP)}}}

    @staticmethod
    def zero(field: str) -> dict[str, Any] | None:
        """Return `None`: RAGFlow's mapping refuses zero vectors."""
        return None

    @staticmethod
    def vector_name(field: str) -> str:
        """Return the name unchanged."""
        return field


def _valued(name: str, condition: Valued, kind: str) -> Query:
    if condition.wanted is not None:
        return terms(name, sorted(key[1] for key in within(condition) if _fits(name, key, kind)))
    if any(bound.limit[0] != kind for bound in condition.bounds):
        return NOTHING
    if condition.parts:
        return _having_parts(name, condition, kind)
    sides: dict[str, Any] = {}
    for bound in condition.bounds:
        _narrow(sides, bound.operator, bound.limit[1])
    if kind == "number" and not _clamp(name, sides):
        return NOTHING
    return {"range": {name: sides}} if sides else {"exists": {"field": name}}


def _having_parts(name: str, condition: Valued, kind: str) -> Query:
    if kind != "text":
        return NOTHING
    patterns = [{"wildcard": {name: {"value": _wildcard(part)}}} for part in condition.parts]
    within_bounds = _valued(name, Valued(condition.path, None, condition.bounds), kind)
    return {"bool": {"filter": [*patterns, within_bounds]}}


def _wildcard(part: TextPart) -> str:
    """Return a part of a text as a wildcard pattern of the engine."""
    text = re.sub(r"[\\*?]", r"\\\g<0>", part.part)
    return ("" if part.operator == "starts_with" else "*") + text + ("" if part.operator == "ends_with" else "*")


def _narrow(sides: dict[str, Any], operator: str, limit: Any) -> None:
    """Add a bound, and retain the tighter one on each side, since a single value must satisfy both."""
    strict, loose = ("gt", "gte") if operator.startswith("g") else ("lt", "lte")
    other = next((name for name in (strict, loose) if name in sides), None)
    if other is None:
        sides[operator] = limit
        return
    tighter = limit > sides[other] if operator.startswith("g") else limit < sides[other]
    if tighter or (limit == sides[other] and operator == strict):
        del sides[other]
        sides[operator] = limit


def _clamp(name: str, sides: dict[str, Any]) -> bool:
    """Remove bounds that the engine's type cannot represent; return whether any value can be within the bounds."""
    most = _most(name)
    for operator in [*sides]:
        limit = sides[operator]
        if (limit > most) if operator.startswith("g") else (limit < -most):
            return False
        if abs(limit) > most:
            del sides[operator]
    return True


def _fits(name: str, key: ScalarKey, kind: str) -> bool:
    """Return whether a field can contain a value; engines refuse queries with some other values."""
    if key[0] != kind:
        return False
    if kind != "number":
        return True
    value = key[1]
    whole = not name.endswith("_flt")
    return abs(value) <= _most(name) and (not whole or value == int(value))


def _most(name: str) -> float:
    """Return the largest number of the engine's type of a field."""
    return next(most for ending, most in LARGEST.items() if name.endswith(ending))


def _is_plain(name: str) -> bool:
    return len(name) <= LONGEST_NAME and "." not in name and "*" not in name


def _unknown(name: str) -> DocStoreError:
    return DocStoreError(
        f"an index that RAGFlow made cannot be filtered by {validation.describe(name)}: only fields whose names end in "
        "_kwd, _id, _ids, _uid, _uids, _int, _long or _flt are"
    )

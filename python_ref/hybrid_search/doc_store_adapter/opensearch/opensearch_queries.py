"""The legs of a search as queries of the engine, made from the query tree and never from text (QRY-8, DOC-3)."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from hybrid_search.base import log
from hybrid_search.doc_store_adapter.opensearch.opensearch_engine import OpenSearchEngine
from hybrid_search.doc_store_adapter.queries.match_exprs import Bm25fQuery, DenseQuery, TextQuery
from hybrid_search.doc_store_adapter.queries.query_clauses import Clause
from hybrid_search.doc_store_adapter.snapshot import bm25f
from hybrid_search.query_builder.builder import BM25F_FIELDS

Query = dict[str, Any]
LARGEST_SLOP = 1_000_000
LARGEST_BOOST = 1e6
"""The engine's scores are 32-bit floats. Larger boosts are divided first, and the scores are multiplied afterwards."""

SMALLEST, LARGEST = 1e-15, 1e15
"""A component in this range has a square that 32-bit floats can represent well."""

CLOSE = 1e-6
"""The maximum error of the engine's cosines; documents within it of the minimum similarity remain candidates."""


BAG = "bag"
"""The token field of an index that contains the tokens of `BM25F_FIELDS`, each as often as its weight says (OS-8)."""

OF_OTHER_FIELDS = 0.1
"""The share of a token's scores in other fields than the best one, if there is no such field."""


class TextFields(Protocol):
    """The queries of an index for tokens."""

    def matching(self, field: str, clause: Clause) -> Query:
        """Return a query for the documents that contain a clause in a field, without its boost."""
        ...


class ScaledQuery(NamedTuple):
    """A query, and the factor of its scores.

    Attributes:
        query: the query for the engine.
        scale: the factor, at least 1.
    """

    query: Query
    scale: float


class TextQueries:
    """Writes text queries.

    Args:
        fields: writes the queries for tokens.
        most_clauses: the maximum number of clauses that the engine accepts in one query.
    """

    def __init__(self, fields: TextFields, most_clauses: int) -> None:
        self._fields = fields
        self._most_clauses = most_clauses

    def query(self, wanted: TextQuery) -> ScaledQuery | None:
        """Return the query, or `None` if it matches nothing.

        The score of a clause is that of the best field (`dis_max`); the scores of clauses add up. The required number
        of alternatives must match. A clause in several alternatives scores in the first of them.
        """
        alternatives = self._kept(wanted)
        if not alternatives or not wanted.fields or wanted.clauses.required > len(wanted.clauses.alternatives):
            return None
        scale = self._scale(wanted)
        seen: set[int] = set()
        written = [self._alternative(wanted, places, seen, scale) for places in alternatives]
        required = min(wanted.clauses.required, len(written))
        return ScaledQuery({"bool": {"should": written, "minimum_should_match": required}}, scale)

    def bag(self, wanted: Bm25fQuery, has_bag: bool) -> Query | None:
        """Return the query of a bag of tokens, or `None` if it matches nothing (DOC-9, OS-8).

        Args:
            wanted: the tokens and the fields.
            has_bag: whether the index has the field `bag`, which contains the tokens of `BM25F_FIELDS`. For other
                fields, and without it, the score of a token is that of the best field and a tenth of the others.
        """
        if has_bag and tuple(wanted.fields) == BM25F_FIELDS:
            fields, factors = [BAG], [1.0]
        else:
            weighed = [(field, weight) for field, weight in wanted.fields if weight > 0.0]
            fields = [field for field, _ in weighed]
            factors = [weight * (1.0 + bm25f.K1) / (weight + bm25f.K1) for _, weight in weighed]
        counts = self._counted(wanted, len(fields))
        if not counts or not fields:
            return None
        written = []
        for token, count in counts.items():
            queries = [
                _boosted(self._fields.matching(field, Clause((token,), 0, 1.0)), count * factor)
                for field, factor in zip(fields, factors, strict=True)
            ]
            several = {"dis_max": {"queries": queries, "tie_breaker": OF_OTHER_FIELDS}}
            written.append(queries[0] if len(queries) == 1 else several)
        return {"bool": {"should": written, "minimum_should_match": 1}}

    def _counted(self, wanted: Bm25fQuery, fields: int) -> dict[str, int]:
        """Return the tokens with their counts; if they exceed the engine's limit, the least frequent are omitted."""
        most = self._most_clauses // max(1, fields)
        if len(wanted.counts) <= most:
            return wanted.counts
        ordered = sorted(wanted.counts, key=lambda token: -wanted.counts[token])
        _omitted(len(ordered), fields, len(ordered) - most)
        return {token: wanted.counts[token] for token in ordered[:most]}

    def _alternative(self, wanted: TextQuery, places: Sequence[int], seen: set[int], scale: float) -> Query:
        written = []
        for place in places:
            query = self._clause(wanted, place, scale)
            written.append({"constant_score": {"filter": query, "boost": 0.0}} if place in seen else query)
            seen.add(place)
        return written[0] if len(written) == 1 else {"bool": {"should": written, "minimum_should_match": 1}}

    def _clause(self, wanted: TextQuery, place: int, scale: float) -> Query:
        clause = wanted.clauses.clauses[place]
        queries = [
            _boosted(self._fields.matching(field, clause), clause.boost * boost / scale)
            for field, boost in wanted.fields
        ]
        return queries[0] if len(queries) == 1 else {"dis_max": {"queries": queries}}

    @staticmethod
    def _scale(wanted: TextQuery) -> float:
        boosts = [boost for _, boost in wanted.fields]
        largest = max(clause.boost for clause in wanted.clauses.clauses) * max(boosts)
        return max(1.0, largest / LARGEST_BOOST)

    def _kept(self, wanted: TextQuery) -> list[list[int]]:
        """Return the alternatives; if they exceed the engine's limit, clauses with the lowest boosts are omitted."""
        alternatives = wanted.clauses.alternatives
        most = self._most_clauses // max(1, len(wanted.fields))
        places = sorted({place for places in alternatives for place in places})
        count = len([place for places in alternatives for place in places])
        if count <= most:
            return alternatives
        clauses = wanted.clauses.clauses
        ordered = sorted(places, key=lambda place: (-clauses[place].boost, place))
        kept: set[int] = set()
        used = 0
        for place in ordered:
            used += len([None for places in alternatives if place in places])
            if used > most:
                break
            kept.add(place)
        _omitted(len(places), len(wanted.fields), len(places) - len(kept))
        shortened = [[place for place in places if place in kept] for places in alternatives]
        return [places for places in shortened if places]


class DenseQueries:
    """Writes dense queries.

    Args:
        exact: whether all vectors are compared, instead of those that the graph reaches.
        engine: the engine of the cluster.
    """

    def __init__(self, exact: bool, engine: OpenSearchEngine) -> None:
        self._exact = exact
        self._engine = engine

    def query(self, wanted: DenseQuery, field: str, filters: Query, zero: Query | None, all_of: Query, k: int) -> Query:
        """Return the query, whose scores are (1 + cosine) / 2.

        Args:
            wanted: the dense query.
            field: the engine's name of the vector field.
            filters: the query of the filters.
            zero: a query for the documents whose vector is zero, which the engine cannot store; `None` if there are
                none.
            all_of: a query for the documents that have a vector in the field.
            k: the number of documents to find; 0 finds all, which requires comparing all vectors.
        """
        vector = scaled(wanted.vector)
        if vector is None:
            return _score_half([all_of, filters])
        if self._exact or k == 0:
            having = {"bool": {"filter": [{"exists": {"field": field}}, filters]}}
            near = {"script_score": {"query": having, "script": self._engine.compared(field, vector)}}
        else:
            near = self._engine.near(field, vector, filters, k)
        if zero is None or (wanted.similarity is not None and wanted.similarity > CLOSE):
            return near
        return {"bool": {"should": [near, _score_half([zero, filters])], "minimum_should_match": 1}}


def _omitted(clauses: int, fields: int, omitted: int) -> None:
    log.warning(
        f"a text query has {clauses} clauses in {fields} fields, more than the engine takes: "
        f"{omitted} with the lowest boosts are left out"
    )


def cosine(score: float) -> float:
    """Return the cosine that a score stands for."""
    return 2.0 * score - 1.0


def scaled(vector: Sequence[float]) -> list[float] | None:
    """Return a vector of the same direction that 32-bit floats can represent; `None` for a zero vector.

    The vector is returned unchanged if its largest component is neither very large nor very small.
    """
    largest = max(map(abs, vector))
    if largest == 0.0:
        return None
    if SMALLEST <= largest <= LARGEST:
        return list(vector)
    return [math.ldexp(component, -math.frexp(largest)[1]) for component in vector]


def _score_half(filters: Sequence[Query]) -> Query:
    return {"constant_score": {"filter": {"bool": {"filter": list(filters)}}, "boost": 0.5}}


def _boosted(query: Query, boost: float) -> Query:
    ((kind, fields),) = query.items()
    ((field, parts),) = fields.items()
    boost = boost + 0.0  # the engine refuses -0.0
    return {kind: {field: {**parts, "boost": boost}}}

"""Reads an index: legs of searches, listings and documents (OS-2)."""

import math
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from hybrid_search.base import ordering, validation
from hybrid_search.doc_store_adapter.base import Ranking
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.engine_store import EngineHead, EngineLegs
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.opensearch.opensearch_checkpoints import OpenSearchCheckpoints
from hybrid_search.doc_store_adapter.opensearch.opensearch_client import EngineSearch, OpenSearchClient, Request, words
from hybrid_search.doc_store_adapter.opensearch.opensearch_count import Enough, OpenSearchCount
from hybrid_search.doc_store_adapter.opensearch.opensearch_engine import VECTOR_TYPES
from hybrid_search.doc_store_adapter.opensearch.opensearch_filters import EVERYTHING, OpenSearchFilters, Query
from hybrid_search.doc_store_adapter.opensearch.opensearch_generations import OpenSearchGenerations
from hybrid_search.doc_store_adapter.opensearch.opensearch_queries import (
    BAG,
    CLOSE,
    DenseQueries,
    ScaledQuery,
    TextQueries,
    cosine,
)
from hybrid_search.doc_store_adapter.opensearch.opensearch_ranked import RANKED, OpenSearchRanked
from hybrid_search.doc_store_adapter.queries.match_exprs import Bm25fQuery, DenseQuery, MatchExprs, TextQuery
from hybrid_search.errors import DocStoreError, InvalidInputError

DEEPEST = 10_000
"""The maximum number of documents in one response of the engine; longer results are read in several steps."""

BATCH = 1_000
OWN_FIELDS = {BAG, RANKED}
"""The fields that some indexes of this library lack."""
KEEP_ALIVE = "2m"
REFUSED = "returned status 400"
BY_SCORE = {"_score": {"order": "desc"}}
Found = TypeVar("Found")


class StoredVersion(NamedTuple):
    """A document of the index, and its version.

    Attributes:
        document: the document.
        sequence: the number of the operation that wrote the document, and the term of the primary that carried it out.
    """

    document: StoredDocument
    sequence: tuple[int, int]


class _Leg(NamedTuple):
    """A leg: its query, its limit, and the factor of its scores; with the factor 0, scores stand for cosines.

    `found` is a query for its documents, without scores and filters.
    """

    query: Query
    found: Query
    topn: int
    scale: float
    similarity: float | None = None

    def ranking(self, hits: Sequence[Mapping[str, Any]], identifier: Any) -> Ranking:
        """Return the documents of hits with their scores."""
        if self.scale > 0.0:
            return ordering.rank((identifier(hit), float(hit["sort"][0]) * self.scale) for hit in hits)
        found = ((identifier(hit), cosine(float(hit["sort"][0]))) for hit in hits)
        lowest = self.similarity
        return ordering.rank(pair for pair in found if lowest is None or pair[1] >= lowest - CLOSE)


class OpenSearchReader:
    """Reads an index.

    Args:
        client: sends requests to the cluster.
        index: the path of the index or of its alias.
        layout: the layout of the index's documents.
        most_clauses: returns the maximum number of clauses of a query.
        exact: whether dense legs compare all vectors.
        existing: returns the description of the index.

    Attributes:
        generations: reads the generation of the index.
        ranked: reads what a rerank needs of documents.
    """

    def __init__(
        self, client: OpenSearchClient, index: str, layout: Any, most_clauses: Any, exact: bool, existing: Any
    ) -> None:
        self._client = client
        self._index = index
        self._layout = layout
        self._most_clauses = most_clauses
        self._dense_queries = DenseQueries(exact, client.engine)
        self._filters = OpenSearchFilters(layout.leaves)
        self._known: set[str] | None = None
        self._enough: Enough = {}
        self._checkpoints = OpenSearchCheckpoints(client, index)
        self.generations = OpenSearchGenerations(client, index, existing)
        self.ranked = OpenSearchRanked(client, index, DEEPEST, self._has)

    def head(self, match: MatchExprs, filters: Filters, depth: int, most: int) -> EngineHead:
        """See `Engine`; this is one request."""
        return self._renewed(match, lambda: self._head(match, filters, depth, most))

    def legs(self, match: MatchExprs, filters: Filters, features: Sequence[str] = ()) -> EngineLegs:
        """See `Engine`; this is one request unless the legs are very long."""
        return self._renewed(match, lambda: self._legs(match, filters, features))

    def _renewed(self, match: MatchExprs, ask: Callable[[], Found]) -> Found:
        """Return an answer; ask again if the index was removed and created again since its vectors were known."""
        try:
            return ask()
        except DocStoreError as problem:
            if match.dense is None or REFUSED not in str(problem) or not self._is_another_index():
                raise
            return ask()

    def _head(self, match: MatchExprs, filters: Filters, depth: int, most: int) -> EngineHead:
        query = self._filters.query(filters.conditions)
        dense = None if match.dense is None else match.dense._replace(topn=depth)
        legs = [self._text(match.text, query), self._dense(dense, query)]
        asked = [EngineSearch(self._index, self._body(leg, depth)) for leg in legs if leg is not None]
        any_of = [leg.found for leg in legs if leg is not None]
        if not any_of:
            return EngineHead([], [], 0)
        near = None if legs[1] is None else legs[1].found
        count = OpenSearchCount(self._client, self._index, self._enough, most, any_of, near, query)
        answers, generation = self.generations.along(lambda expected: [*asked, *count.searches(expected)])
        total = count.total(answers[len(asked) :], generation if self.generations.is_latest(generation) else None)
        found = iter(answers)
        name = self._layout.identifier
        text, nearest = [[] if leg is None else leg.ranking(next(found)["hits"]["hits"], name)[:depth] for leg in legs]
        return EngineHead(text, nearest, total, generation)

    def _legs(self, match: MatchExprs, filters: Filters, features: Sequence[str]) -> EngineLegs:
        query = self._filters.query(filters.conditions)
        if features:
            return self._featured_legs(match, query, features)
        (text, dense), generation = self._rankings([self._text(match.text, query), self._dense(match.dense, query)])
        return EngineLegs(text, dense, generation)

    def _featured_legs(self, match: MatchExprs, query: Query, features: Sequence[str]) -> EngineLegs:
        assert match.text is not None
        there = EVERYTHING  # an engine does not find the documents that have a tag of RAGFlow's type
        if not self._layout.read_only:
            there = self._filters.query(Filters({"any": [{name: {"exists": True}} for name in features]}).conditions)
        having = {"bool": {"filter": [query, there]}}
        others = {"bool": {"filter": [query], "must_not": [there]}}
        whole = match.text._replace(topn=sys.maxsize)
        (found, best, dense), generation = self._rankings(
            [self._text(whole, having), self._text(match.text, others), self._dense(match.dense, query)]
        )
        return EngineLegs(ordering.rank([*found, *best]), dense, generation)

    def _rankings(self, legs: Sequence["_Leg | None"]) -> tuple[list[Ranking], str | None]:
        """Return the rankings of legs, and the generation, if it can be read at the same time."""
        near = [leg for leg in legs if leg is not None and leg.topn <= DEEPEST]
        asked = [EngineSearch(self._index, self._body(leg, leg.topn)) for leg in near]
        answers, generation = self.generations.along(lambda _: asked)
        found = {id(leg): answer["hits"]["hits"] for leg, answer in zip(near, answers, strict=True)}
        rankings = []
        for leg in legs:
            hits = [] if leg is None else found[id(leg)] if id(leg) in found else self._deep(leg)
            rankings.append([] if leg is None else leg.ranking(hits, self._layout.identifier)[: leg.topn])
        return rankings, generation

    def listed(self, filters: Filters) -> list[str]:
        """Return the ids of all documents that pass filters, ascending."""
        query = self._filters.query(filters.conditions)
        return sorted(self._identifier(hit) for hit in self._walk({"query": query, "sort": [*self._layout.order]}))

    def sources(self, query: Query) -> Generator[tuple[str, Mapping[str, Any]], None, None]:
        """Return the ids and the stored sources of all documents that a query finds, from one state of the index.

        The state is given up at the end, or when the generator is closed.
        """
        body = {"query": query, "sort": [*self._layout.order], "size": BATCH, "_source": True, "stored_fields": ["_id"]}
        return ((self._identifier(hit), hit["_source"]) for hit in self._walk(body))

    def page(self, filters: Filters, offset: int, limit: int) -> tuple[int, list[str]]:
        """Return the number of documents that pass filters, and the ids of a page of them, ascending."""
        if offset + limit > DEEPEST:
            found = self.listed(filters)
            return len(found), found[offset : offset + limit]
        body = {
            **self._asked(self._filters.query(filters.conditions), limit),
            "from": offset,
            "sort": [*self._layout.order],
            "track_total_hits": True,
        }
        (answer,) = self._client.search([EngineSearch(self._index, body)])
        return int(answer["hits"]["total"]["value"]), [self._identifier(hit) for hit in answer["hits"]["hits"]]

    def count(self) -> int:
        """Return the number of documents that searches can find."""
        (answer,) = self._client.search([EngineSearch(self._index, {"size": 0, "track_total_hits": True})])
        return int(answer["hits"]["total"]["value"])

    def read(self, identifiers: Sequence[str], vectors: Sequence[str] | None = None) -> dict[str, StoredDocument]:
        """See `Engine`; documents are found as soon as they are written."""
        return {one: stored.document for one, stored in self.documents(identifiers, vectors).items()}

    def documents(self, identifiers: Sequence[str], vectors: Sequence[str] | None = None) -> dict[str, StoredVersion]:
        """Return those of the documents that are stored, even if searches cannot find them yet.

        Args:
            identifiers: the ids.
            vectors: the vector fields to return; `None` returns all.
        """
        found: dict[str, StoredVersion] = {}
        for start in range(0, len(identifiers), BATCH):
            for hit in self._fetched(list(identifiers[start : start + BATCH]), True):
                if hit.get("found") is True:
                    document = self._layout.document(hit["_id"], hit["_source"], vectors)
                    found[hit["_id"]] = StoredVersion(document, _sequence(hit))
        return found

    def versions(self, identifiers: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Return the versions of those ids that are stored (`StoredVersion.sequence`)."""
        found: dict[str, tuple[int, int]] = {}
        for start in range(0, len(identifiers), BATCH):
            hits = self._fetched(list(identifiers[start : start + BATCH]), False)
            found.update({hit["_id"]: _sequence(hit) for hit in hits if hit.get("found") is True})
        return found

    def unsure(self, seen: Mapping[str, tuple[int, int] | None]) -> list[str]:
        """Return the ids whose state, as one copy of the index showed it, the cluster may still lose (OS-3).

        Args:
            seen: id → the version that was read, or `None` if the document was missing.
        """
        if not seen:
            return []
        reached = self._checkpoints.reached()
        now = self.versions(list(seen))  # read again: a state that is unchanged and reached is on all copies
        return [
            one
            for one, version in seen.items()
            if now.get(one) != version or (math.inf if version is None else version[0]) > reached
        ]

    def outlived(self, stored: StoredVersion, part: str) -> bool:
        """Return whether another primary has replaced the one that stored a document in a shard of the index."""
        return stored.sequence[1] < self._checkpoints.terms().get(part, math.inf)

    def _fetched(self, identifiers: list[str], whole: bool) -> list[dict[str, Any]]:
        """Return documents whole, or only their versions.

        For an engine, selecting parts costs several times as much as sending the whole document.
        """
        pausing = self._client.pausing()
        while True:
            body = {"docs": [{"_id": identifier, "_source": whole} for identifier in identifiers]}
            answer = self._client.ask(Request("POST", f"{self._index}/_mget", body))
            hits: list[dict[str, Any]] = answer.get("docs", [])
            failed = next((hit for hit in hits if "error" in hit), None)
            if failed is None and len(hits) == len(identifiers):
                return hits
            if failed is not None:
                self._client.check_index(failed["error"], self._index.removeprefix("/"))
            told = words(failed["error"]) if failed is not None else f"{len(hits)} of {len(identifiers)} documents"
            pausing.wait(self._client.failure(f"could not give all documents: {told}"))

    def _text(self, wanted: TextQuery | Bm25fQuery | None, filters: Query) -> _Leg | None:
        if wanted is None or wanted.topn == 0:
            return None
        written = self._written(wanted)
        if written is None:
            return None
        query = {"bool": {"must": [written.query], "filter": [filters]}}
        return _Leg(query, written.query, wanted.topn, written.scale)

    def _written(self, wanted: TextQuery | Bm25fQuery) -> ScaledQuery | None:
        queries = TextQueries(self._layout, self._most_clauses())
        if isinstance(wanted, TextQuery):
            return queries.query(wanted)
        if self._layout.read_only:
            raise InvalidInputError("an index that RAGFlow made answers no MatchBm25fExpr: take a MatchTextExpr")
        bag = queries.bag(wanted, self._has(BAG))
        return None if bag is None else ScaledQuery(bag, 1.0)

    def _dense(self, wanted: DenseQuery | None, filters: Query) -> _Leg | None:
        if wanted is None or wanted.topn == 0:
            return None
        field = self._layout.vector_name(wanted.field)
        zero = self._layout.zero(wanted.field)
        k = wanted.topn if wanted.topn <= DEEPEST else 0
        there = {"bool": {"should": [{"exists": {"field": field}}, *([] if zero is None else [zero])]}}
        if not self._has(field):
            return None
        query = self._dense_queries.query(wanted, field, filters, zero, there, k)
        return _Leg(query, there, wanted.topn, 0.0, wanted.similarity)

    def _has(self, name: str) -> bool:
        """Return whether the index has a vector field or an own one; an engine refuses vectors for a missing one."""
        if self._known is None or (name not in self._known and name not in OWN_FIELDS):
            self._known = self._mapped()
        return name in self._known

    def _mapped(self) -> set[str]:
        """Return the names of the vector fields of the index, and of those of its own that some indexes lack."""
        answer = self._client.ask(Request("GET", f"{self._index}/_mapping"))
        found: set[str] = set()
        for index in answer.values():
            properties = index["mappings"].get("properties", {})
            vectors = {name for name in properties if properties[name].get("type") in VECTOR_TYPES}
            found |= vectors | OWN_FIELDS.intersection(properties)
        return found

    def vector_fields(self) -> set[str]:
        """Return the names of the vector fields of the index."""
        self._known = self._mapped()
        return self._known - OWN_FIELDS

    def _is_another_index(self) -> bool:
        """Return whether a vector field is missing, as in an index that was removed and created again."""
        before = self._known or set()
        self._known = self._mapped()
        return not before <= self._known

    def _body(self, leg: _Leg, size: int) -> dict[str, Any]:
        sort = [BY_SCORE, *self._layout.order]
        return {**self._asked(leg.query, size), "sort": sort, "track_total_hits": False}

    def _asked(self, query: Query, size: int) -> dict[str, Any]:
        """Return a search for ids and scores only."""
        return {**self._client.engine.asked(query), "size": size, **self._layout.nothing_stored}

    def _identifier(self, hit: Mapping[str, Any]) -> str:
        identifier: str = self._layout.identifier(hit)
        return identifier

    def _deep(self, leg: _Leg) -> list[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = []
        for hit in self._walk({"query": leg.query, "sort": [BY_SCORE, *self._layout.order]}):
            found.append(hit)
            if len(found) == leg.topn:
                break
        return found

    def _walk(self, body: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Yield the hits of a search without a limit, from one state of the index."""
        engine = self._client.engine
        opened = self._client.ask(Request("POST", f"{self._index}{engine.points}?keep_alive={KEEP_ALIVE}"))
        point = engine.point(opened)
        if not isinstance(point, str):
            raise self._client.failure(f"opened no point in time: {validation.describe(opened)}")
        try:
            after: list[Any] | None = None
            while True:
                asked = {
                    "size": DEEPEST,
                    **self._layout.nothing_stored,
                    **body,
                    "track_total_hits": False,
                    "pit": {"id": point, "keep_alive": KEEP_ALIVE},
                }
                if after is not None:
                    asked["search_after"] = after
                (answer,) = self._client.search([EngineSearch("", asked)])
                hits = answer["hits"]["hits"]
                yield from hits
                if len(hits) < asked["size"]:
                    return
                after = hits[-1]["sort"]
        finally:
            self._client.ask(Request("DELETE", engine.points, engine.closing(point), accept=(404,)))


def _sequence(hit: Mapping[str, Any]) -> tuple[int, int]:
    return hit["_seq_no"], hit["_primary_term"]

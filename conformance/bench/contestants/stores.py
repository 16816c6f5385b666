"""Stores beside each other: adding documents in batches and searching, end to end, whatever keeps them."""

import itertools
import json
import os
from typing import Any, Literal

from conformance.bench.contestants import memory
from conformance.bench.contestants.helpers import digest, each_timed, lines
from conformance.bench.contestants.own_searches import OwnSearches
from conformance.bench.contestants.reference import Store
from conformance.bench.timing import timed
from conformance.engines.testing import OPENSEARCH_VARIABLE, POSTGRES_VARIABLE
from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.doc_store_adapter.opensearch.opensearch_doc_store import OpenSearchDocStore
from hybrid_search.doc_store_adapter.opensearch.opensearch_transport import OpenSearchTransport
from hybrid_search.doc_store_adapter.postgres.postgres_doc_store import PostgresDocStore
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from hybrid_search.index import Index
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.query_builder.expressions import MatchTextExpr

Profile = Literal["balanced", "ragflow"]
TIMEOUT = 30.0
WRITTEN = "written by another client"
ROOM = "options=-cmaintenance_work_mem%3D1GB"


def with_room(address: str) -> str:
    """The address of a server that has the room to make an index in memory."""
    return f"{address}{'&' if '?' in address else '?'}{ROOM}"


def text_queries(path: str, count: int) -> list[MatchTextExpr]:
    """The text queries of the first of some questions."""
    builder = QueryBuilder()
    built = (builder.build_text_query(question)[0] for question in lines(path))
    return list(itertools.islice((query for query in built if query is not None), count))


class StoreOf(Store):
    """`Index` over one of several stores."""

    def use(self, kind: str, path: str, collection: str, profile: Profile) -> None:
        """Take a store of a kind, in the place of the one in memory.

        Args:
            kind: "memory", "file", "postgres", "hnsw" or "opensearch".
            path: where a file may be made.
            collection: the name of the one in a database, or of the index in OpenSearch.
            profile: the profile of its searches.
        """
        self._collection = collection
        self._store = self._made(kind, path, collection)
        self.rank_as(profile)

    def rank_as(self, profile: Profile) -> None:
        """Search with another profile from now on."""
        self._index = Index(store=self._store, embedding=self._embed, profile=profile)
        self._index.search("warm up")

    def own_searches(self) -> dict[str, list[float]]:
        """Time what the engine itself needs for first pages: two queries in a request, then the page's documents."""
        own = OwnSearches(_nodes(), self._collection)
        asked = [own.searches(query, self._embed([query])[0]) for query in self._queries]
        return each_timed(asked, own.page)[1]

    def shown(self) -> list[list[str]]:
        """The ids of the first page of each query."""
        return [[hit.id for hit in self._index.search(query)] for query in self._queries]

    def insert(self, path: str, batch: int) -> dict[str, Any]:
        """Store the documents that were written, with their vectors, so many at once."""
        cpu = wall = 0.0
        field = f"q_{self._vectors.shape[1]}_vec"
        with open(path, encoding="utf-8") as file:
            for first in range(0, len(self._vectors), batch):
                vectors = self._vectors[first : first + batch].astype(float).tolist()
                written = [json.loads(line) for line in itertools.islice(file, batch)]
                pairs = zip(written, vectors, strict=True)
                documents = [{**document, field: vector} for document, vector in pairs]
                taken = timed(lambda documents=documents: self._store.insert(documents))[1]  # type: ignore[misc]
                cpu, wall = cpu + taken.cpu, wall + taken.wall
        return {"cpu": cpu, "wall": wall, "peak": memory.peak()}

    def text_legs(self, queries: str, count: int, rounds: int) -> dict[str, list[dict[str, list[float]]]]:
        """Answer the text leg of some queries, one after the other, by a store of its own in every round.

        Args:
            queries: a file of questions.
            count: how many are measured; as many further ones are asked before, so that the server has prepared what
                it is asked.
            rounds: how often.

        Returns:
            What they took when they were asked "first", when they were asked "again", and each directly "after" another
            client has written one document.
        """
        asked = text_queries(queries, 2 * count)
        found: dict[str, list[dict[str, list[float]]]] = {"first": [], "again": [], "after": []}
        for _ in range(rounds):
            fresh = self._fresh()
            for query in asked[count:]:
                fresh.text_leg(query)
            for when in ("first", "again"):
                found[when].append(each_timed(asked[:count], fresh.text_leg)[1])
            found["after"].append(self._after_writes(asked[:count], fresh))
            fresh.close()
        return found

    def _after_writes(self, asked: list[MatchTextExpr], store: PostgresDocStore) -> dict[str, list[float]]:
        """What queries take, each after another client has written one document."""
        with self._fresh() as other:
            times: dict[str, list[float]] = {}
            for place, query in enumerate(asked):
                other.upsert([{"id": WRITTEN, "content_ltks": f"one more {place}"}])
                for kind, taken in each_timed([query], store.text_leg)[1].items():
                    times.setdefault(kind, []).extend(taken)
            other.delete([WRITTEN])
        return times

    def build_index(self, field: str) -> dict[str, Any]:
        """Make the index of approximate neighbours."""
        assert isinstance(self._store, PostgresDocStore)
        taken = timed(lambda: self._store.build_index(field))[1]  # type: ignore[attr-defined]
        return {"wall": taken.wall}

    def pages(self) -> list[str]:
        """Answer all queries, a digest of each first page."""
        found = (self._index.search(query) for query in self._queries)
        return [digest(f"{hit.id} {numeric.to_bits(hit.score or 0.0)}" for hit in page) for page in found]

    def drop(self) -> None:
        """Remove the collection or the index, if it is one."""
        if isinstance(self._store, PostgresDocStore):
            self._store.drop()
        if isinstance(self._store, OpenSearchDocStore):
            OpenSearchTransport(_nodes()).request("DELETE", f"/{self._collection}-*", None, TIMEOUT)

    def _fresh(self) -> PostgresDocStore:
        """A store of the same documents that has kept nothing yet."""
        assert isinstance(self._store, PostgresDocStore)
        return PostgresDocStore(os.environ[POSTGRES_VARIABLE], self._store.collection)

    def _made(self, kind: str, path: str, collection: str) -> DocStoreAdapter:
        if kind == "memory":
            return MemoryDocStore()
        if kind == "file":
            return SqliteDocStore(path)
        if kind == "opensearch":
            nodes = _nodes()
            return OpenSearchDocStore(nodes, collection, shards=len(nodes), replicas=min(1, len(nodes) - 1))
        address = os.environ[POSTGRES_VARIABLE]
        if kind == "hnsw":
            return PostgresDocStore(with_room(address), collection, dense="hnsw")
        return PostgresDocStore(address, collection)


def _nodes() -> list[str]:
    """The addresses of OpenSearch's nodes."""
    return os.environ[OPENSEARCH_VARIABLE].split(",")

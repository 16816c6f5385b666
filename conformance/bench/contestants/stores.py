"""Stores beside each other: adding documents in batches and searching, end to end, whatever keeps them."""

import os
import uuid
from typing import Any

from conformance.bench.contestants import memory
from conformance.bench.contestants.reference import Store
from conformance.bench.timing import timed
from conformance.engines.testing import POSTGRES_VARIABLE
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.memory import MemoryDocStore
from hybrid_search.doc_store_adapter.postgres import PostgresDocStore
from hybrid_search.doc_store_adapter.sqlite import SqliteDocStore
from hybrid_search.index import Index

BATCH = 500


class StoreOf(Store):
    """`Index` over one of several stores."""

    def use(self, kind: str, path: str) -> None:
        """Take an empty store of a kind, in the place of the one in memory.

        Args:
            kind: "memory", "file", "postgres" or "hnsw".
            path: where a file may be made.
        """
        self._store = self._made(kind, path)
        self._index = Index(store=self._store, embedding=self._embed)
        self._index.search("warm up")

    def add_in_batches(self, count: int) -> dict[str, Any]:
        """Add the first passages, batch by batch."""
        cpu = wall = 0.0
        for first in range(0, count, BATCH):
            vectors = self._vectors[first : first + BATCH].astype(float).tolist()
            passages = self._passages[first : first + BATCH]
            batch = [{**passage, "vector": one} for passage, one in zip(passages, vectors, strict=True)]
            taken = timed(lambda batch=batch: self._index.add(batch))[1]  # type: ignore[misc]
            cpu, wall = cpu + taken.cpu, wall + taken.wall
        return {"cpu": cpu, "wall": wall, "peak": memory.peak()}

    def build_index(self, field: str) -> dict[str, Any]:
        """Make the index of approximate neighbours."""
        assert isinstance(self._store, PostgresDocStore)
        taken = timed(lambda: self._store.build_index(field))[1]  # type: ignore[attr-defined]
        return {"wall": taken.wall}

    def drop(self) -> None:
        """Remove what the store has made elsewhere than in the folder of the run."""
        if isinstance(self._store, PostgresDocStore):
            self._store.drop()

    def _made(self, kind: str, path: str) -> DocStoreAdapter:
        if kind == "memory":
            return MemoryDocStore()
        if kind == "file":
            return SqliteDocStore(path)
        dense = "hnsw" if kind == "hnsw" else "exact"
        return PostgresDocStore(os.environ[POSTGRES_VARIABLE], f"bench_{uuid.uuid4().hex}", dense=dense)

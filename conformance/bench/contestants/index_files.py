"""A store in a file from its start: what a first search takes, beside reading all documents into memory."""

import itertools
import random
from typing import Any

import numpy as np

from conformance.bench.contestants.helpers import digest
from conformance.bench.timing import timed
from hybrid_search.adapter_kit import FusionExpr, MatchDenseExpr, MatchTextExpr
from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from hybrid_search.query_builder.tree import AnyOf, Phrase, Term

BATCH = 4000
WORDS = 38_000
DIMENSION = 256


class IndexFile:
    """`SqliteDocStore`, opened and asked; every figure is of a process that has done nothing else."""

    def fill(self, path: str, documents: int) -> dict[str, Any]:
        """Store random documents: words as rare as those of real text, vectors of 32 bits a component."""
        source, rows = random.Random(3), np.random.default_rng(1)
        words = [f"w{place}" for place in range(WORDS)]
        weights = list(itertools.accumulate(1 / (place + 2.7) for place in range(WORDS)))

        def document(place: int, vector: list[float]) -> dict[str, Any]:
            text = " ".join(source.choices(words, cum_weights=weights, k=source.randrange(30, 70)))
            return {
                "id": f"d{place:07}",
                "docnm_kwd": f"doc{place // 20}",
                "content_with_weight": text,
                "content_ltks": text,
                "available_int": 1,
                "metadata": {"lang": source.choice(["zh", "en"])},
                f"q_{DIMENSION}_vec": vector,
            }

        cpu = wall = 0.0
        with SqliteDocStore(path, synchronous="normal") as store:
            for first in range(0, documents, BATCH):
                count = min(BATCH, documents - first)
                vectors = rows.standard_normal((count, DIMENSION)).astype(np.float32).astype(np.float64).tolist()
                batch = [document(first + place, vector) for place, vector in enumerate(vectors)]
                taken = timed(lambda batch=batch: store.insert(batch))[1]  # type: ignore[misc]
                cpu, wall = cpu + taken.cpu, wall + taken.wall
        return {"cpu": cpu, "wall": wall}

    def first(self, path: str, dense: bool) -> dict[str, Any]:
        """Open the file, and answer one question."""
        found, taken = timed(lambda: _answer(SqliteDocStore(path), dense))
        return {"cpu": taken.cpu, "wall": taken.wall, "digest": _digest(found)}

    def memory(self, path: str, dense: bool) -> dict[str, Any]:
        """Read all documents into a store in memory, and answer the same question."""
        found, taken = timed(lambda: _answer(_in_memory(path), dense))
        return {"cpu": taken.cpu, "wall": taken.wall, "digest": _digest(found)}


def _in_memory(path: str) -> MemoryDocStore:
    store = MemoryDocStore()
    with SqliteDocStore(path) as file:
        identifiers = [identifier for identifier, _ in file.rank([])]
        for first in range(0, len(identifiers), BATCH):
            store.insert([file.get(identifier) or {} for identifier in identifiers[first : first + BATCH]])
    return store


def _answer(store: MemoryDocStore | SqliteDocStore, dense: bool) -> SearchResult:
    words = ["w70", "w700", "w7000", "w71", "w20"]
    tree = AnyOf((*map(Term, words), Phrase(("w20", "w70"), 2)))
    exprs: list[Any] = [MatchTextExpr((("content_ltks", 2.0),), tree, 1024, {"minimum_should_match": 0.3})]
    if dense:
        vector = tuple(((place * 37) % 101 - 50) / 50 for place in range(DIMENSION))
        exprs.append(MatchDenseExpr(f"q_{DIMENSION}_vec", vector, topn=1024, extra_options={"similarity": 0.1}))
        exprs.append(FusionExpr("weighted_sum", 1024, {"weights": "0.05,0.95"}))
    return store.search(match_exprs=exprs, filters={"available_int": 1}, limit=64)


def _digest(found: SearchResult) -> str:
    return digest(f"{identifier} {numeric.to_bits(found.scores[identifier])}" for identifier in found.ids)

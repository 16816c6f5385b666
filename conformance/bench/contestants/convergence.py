"""Rounds over the blocks of an index, and numpy's product with all of their vectors as the anchor."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from conformance.bench.contestants import memory
from conformance.bench.contestants.helpers import digest, lines
from conformance.bench.timing import timed
from hybrid_search import BlockIndex, ConvergentRetriever
from hybrid_search.base import kernels, numeric

RANKED = 100


class NumpyRound:
    """The single-precision product of all vectors with a query, and the best of it: nothing is summed in an order."""

    def load(self, folder: str, dimension: int) -> dict[str, Any]:
        """Read the vectors."""
        before = memory.resident()
        content = Path(folder, "vectors.f32").read_bytes()
        self._matrix = np.frombuffer(content, dtype="<f4").reshape(-1, dimension)
        return {"memory": memory.resident() - before}

    def run(self, queries: str) -> dict[str, Any]:
        """Rank for each query; gives the time of all."""
        vectors = [np.array(vector, dtype="<f4") for vector in lines(queries)]
        found, taken = timed(lambda: [self._best(vector) for vector in vectors])
        return {"cpu": taken.cpu, "wall": taken.wall, "first": [rows[0] for rows in found]}

    def _best(self, vector: Any) -> list[int]:
        scores = self._matrix @ vector
        best = np.argpartition(-scores, RANKED)[:RANKED]
        rows: list[int] = best[np.argsort(-scores[best], kind="stable")].tolist()
        return rows


class BlockRounds:
    """`ConvergentRetriever` with everything off, what it does for a round alone, and rounds of feedback."""

    def load(self, folder: str) -> dict[str, Any]:
        """Open the index."""
        before = memory.resident()
        index, taken = timed(lambda: BlockIndex.open(folder))
        self._kernel = kernels.kernel("block_scores", None)(index.rows)
        self._off = ConvergentRetriever(index, top_k_blocks=RANKED)
        self._prf = ConvergentRetriever(index, top_k_blocks=RANKED, convergence_mode="prf")
        return {"cpu": taken.cpu, "wall": taken.wall, "memory": memory.resident() - before}

    def run(self, queries: str, way: str) -> dict[str, Any]:
        """Answer each query in a way: "plain" dense retrieval, "off" or "prf"."""
        vectors = lines(queries)
        ways: dict[str, Callable[[Any], Any]] = {
            "plain": lambda vector: self._kernel.best(vector, RANKED),
            "off": lambda vector: self._off.retrieve_candidates(vector).blocks,
            "prf": lambda vector: self._prf.retrieve_candidates(vector).blocks,
        }
        found, taken = timed(lambda: [ways[way](vector) for vector in vectors])
        shown = (f"{row} {numeric.to_bits(score)}" for blocks in found for row, score in blocks)
        first = [blocks[0][0] for blocks in found]
        return {"cpu": taken.cpu, "wall": taken.wall, "digest": digest(shown), "first": first, "peak": memory.peak()}

"""`AsyncIndex` as it is measured."""

import asyncio
import time
from typing import Any

from conformance.bench.contestants.reference import Store
from hybrid_search.async_index import AsyncIndex

TICK = 0.001


class Overlap(Store):
    """Many searches at once over what a `Store` has added."""

    def run(self, searches: int, provider: float) -> dict[str, Any]:
        """Search with a provider that is awaited so many seconds: time for all, and how late the loop was."""
        return asyncio.run(self._run(searches, provider))

    async def _run(self, searches: int, provider: float) -> dict[str, Any]:
        async def embed(asked: list[str]) -> list[list[float]]:
            await asyncio.sleep(provider)
            return self._embed(asked)

        async with AsyncIndex(store=self._index.store, embedding=embed, profile="ragflow") as index:
            await index.search(self._queries[0])
            wall, cpu = time.perf_counter(), time.process_time()
            ticking = asyncio.create_task(_lateness())
            asked = (self._queries[place % len(self._queries)] for place in range(searches))
            await asyncio.gather(*map(index.search, asked))
            taken = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
            ticking.cancel()
            return {**taken, "late": await ticking}


async def _lateness() -> list[float]:
    """How much later than asked for each turn came, until it is cancelled."""
    late = []
    try:
        while True:
            due = time.perf_counter() + TICK
            await asyncio.sleep(TICK)
            late.append(time.perf_counter() - due)
    except asyncio.CancelledError:
        return late

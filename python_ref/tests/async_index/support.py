"""Providers and documents for the tests of the index for asyncio."""

import asyncio
import threading

from hybrid_search import HashingEmbedder, Index

PATIENCE = 30.0
"""Seconds after which a test has failed."""
WORDS = ("assignment", "reload", "table", "规则", "加载", "index", "query", "paper", "bridge", "window")
RECORDS = [
    {
        "id": f"{place}",
        "title": f"{WORDS[place % 10]} {place}",
        "content": " ".join(WORDS[(place * step) % 10] for step in range(1, 9)),
    }
    for place in range(300)
]
QUESTIONS = ("assignment reload", "加载规则 table", "paper bridge", "window 7", "")
HASHING = HashingEmbedder()


async def embed(texts):
    await asyncio.sleep(0)
    return HASHING.encode(texts)


class AsyncEmbedder:
    """Both methods of a provider, awaited."""

    model = HASHING.model
    dimension = HASHING.dimension

    async def encode(self, texts):
        await asyncio.sleep(0)
        return HASHING.encode(texts)

    async def encode_queries(self, text):
        await asyncio.sleep(0)
        return HASHING.encode_queries(text)


def shares(query, texts):
    return [len(set(query.split()) & set(text.split())) / (1 + len(text)) for text in texts]


async def awaited_shares(query, texts):
    await asyncio.sleep(0)
    return shares(query, texts)


class Together:
    """An embedder whose calls end only when that many of them wait at the same time."""

    model = HASHING.model

    def __init__(self, count):
        self.count = count
        self.waiting = 0
        self.most = 0
        self.all_there = asyncio.Event()

    async def __call__(self, texts):
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        if self.waiting == self.count:
            self.all_there.set()
        async with asyncio.timeout(PATIENCE):
            await self.all_there.wait()
        await asyncio.sleep(0.05)
        self.waiting -= 1
        return HASHING.encode(texts)


def threads_of_indexes():
    return {thread for thread in threading.enumerate() if thread.name == "AsyncIndex"}


def plain_index(**options):
    index = Index(embedding=HASHING, **options)
    index.add(RECORDS, batch_size=256)
    return index

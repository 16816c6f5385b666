"""An embedder of your own: any object with `encode` and `encode_queries`, here behind a cache."""

import zlib
from itertools import pairwise

from hybrid_search import EmbeddingCache, Index


class LetterPairs:
    """Counts the pairs of letters of a text in 64 buckets; put your model here."""

    model = "letter-pairs"
    dimension = 64

    def encode_queries(self, text):
        """The vector of a question; many models want a prefix here."""
        return self.encode([text])[0]

    def encode(self, texts):
        """The vectors of documents, in their order."""
        return [self._vector(text.lower()) for text in texts]

    def _vector(self, text):
        vector = [0.0] * self.dimension
        for first, second in pairwise(text):
            vector[zlib.crc32((first + second).encode()) % self.dimension] += 1.0
        return vector


cache = EmbeddingCache(LetterPairs(), capacity=1000)
index = Index(embedding=cache)
index.add(
    [
        {"id": "solar", "content": "Solar panels on the roof, 屋顶上的太阳能电池板"},
        {"id": "wind", "content": "Wind turbines off the coast, 海上风力发电机"},
    ]
)
for question in ("photovoltaic roofing", "海上的风", "photovoltaic roofing"):
    hit = index.search(question)[0]
    print(question, "->", hit.id, hit.scores.bm25, hit.scores.cosine)
print(f"hits {cache.hits}, misses {cache.misses}")

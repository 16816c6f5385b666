"""The cosines that a dense leg has computed, so that the reranker need not compute them again (RNK-1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class DenseScores:
    """Exact cosines (NUM-3) of one query vector with the vectors of documents.

    Attributes:
        vector: the query vector.
        cosines: id → cosine.
    """

    vector: Sequence[float]
    cosines: Mapping[str, float]

    def cosine(self, identifier: str) -> float | None:
        """Return the cosine of a document, or `None` if it was not computed."""
        return self.cosines.get(identifier)

    def belongs_to(self, query_vector: Sequence[float]) -> bool:
        """Return whether these are the cosines of that query vector."""
        return tuple(self.vector) == tuple(query_vector)

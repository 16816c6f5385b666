"""Maximal marginal relevance: hits that are good and unlike the preceding ones (ARR-3)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.documents.stored_fields import StoredFields
from hybrid_search.search import content_tokens
from hybrid_search.search.ranking_key import RankingKey

DEPTH = 100
"""The maximum number of best hits that may change places."""


class MarginalRelevance(NamedTuple):
    """The reason for the place of a hit.

    Attributes:
        relevance: its score, 0 to 1 among the hits that may change places.
        similarity: the highest similarity to a preceding hit; 0.0 for the first one.
        value: (1 - diversity) * relevance - diversity * similarity.
    """

    relevance: float
    similarity: float
    value: float


class Diversity:
    """Puts the best hits into the order of their marginal relevance.

    Args:
        store: the documents.
        weight: the weight of the similarity, 0 to 1; the rest is the weight of the relevance.
        query_vector: the vector of the search: vectors of its dimension are compared; `None`: tokens are compared.
    """

    def __init__(self, store: DocStoreAdapter, weight: float, query_vector: Sequence[float] | None) -> None:
        self._store = store
        self._weight = weight
        self._field = None if query_vector is None else StoredFields.vector_field(len(query_vector))
        self._dimension = 0 if query_vector is None else len(query_vector)
        self.parts: dict[str, MarginalRelevance] = {}

    def order(self, keys: Sequence[RankingKey]) -> list[RankingKey]:
        """Return the hits in their new order; `parts` contains the reasons.

        The first `DEPTH` hits may change places; if a model has scored hits, only those. Each place goes to the hit
        with the highest value; the first of equal ones stays first.
        """
        best = [key for key in keys[:DEPTH] if key.tier == keys[0].tier]
        relevance = _relevance([key.score for key in best])
        similarity = self._similarity([key.id for key in best])
        nearest = [0.0] * len(best)
        remaining = list(range(len(best)))
        chosen: list[RankingKey] = []
        while remaining:
            values = [self._value(relevance[index], nearest[index]) for index in remaining]
            place = values.index(max(values))
            index = remaining.pop(place)
            self.parts[best[index].id] = MarginalRelevance(relevance[index], nearest[index], values[place])
            for other in remaining:
                found = similarity(index, other)
                if not chosen or found > nearest[other]:
                    nearest[other] = found
            chosen.append(best[index])
        return [*chosen, *keys[len(best) :]]

    def _value(self, relevance: float, similarity: float) -> float:
        return (1.0 - self._weight) * relevance - self._weight * similarity

    def _similarity(self, identifiers: Sequence[str]) -> Callable[[int, int], float]:
        """Return the similarity of two documents by place: their cosine, or the share of tokens they have in common."""
        read = self._store.get_many(list(identifiers), [] if self._field is None else [self._field])
        documents = [{} if document is None else document for document in read]
        if self._field is None:
            sets = [frozenset(content_tokens.tokens(document)) for document in documents]
            return lambda left, right: content_tokens.jaccard(sets[left], sets[right])
        vectors = [self._vector(document) for document in documents]
        norms = [numeric.norm(vector) for vector in vectors]
        return lambda left, right: _cosine(vectors[left], norms[left], vectors[right], norms[right])

    def _vector(self, document: Mapping[str, Any]) -> Sequence[float]:
        """Return the vector of a document; empty, and so similar to no other, without a comparable vector."""
        assert self._field is not None
        return StoredFields().vector("", document, self._field, self._dimension) or ()


def _cosine(left: Sequence[float], left_norm: float, right: Sequence[float], right_norm: float) -> float:
    return numeric.cosine_of(left, left_norm, right, right_norm) if left and right else 0.0


def _relevance(scores: Sequence[float]) -> list[float]:
    """Return scores on a scale of 0 to 1: the lowest is 0, the highest 1; equal scores are all 1."""
    lowest, highest = min(scores, default=0.0), max(scores, default=0.0)
    spread = highest - lowest
    return [(score - lowest) / spread if spread > 0.0 else 1.0 for score in scores]

"""The vectors of one field, and their cosines with other vectors (DOC-3, NUM-3)."""

from collections.abc import Iterable, Mapping, Sequence

from hybrid_search.base import numeric


class DenseIndex:
    """The vectors of one field for all documents that have it; immutable.

    Args:
        vectors: id → the vector of a document.
    """

    def __init__(self, vectors: Mapping[str, Sequence[float]]) -> None:
        self._vectors = vectors
        self._norms = {identifier: numeric.norm(vector) for identifier, vector in vectors.items()}

    def cosines(self, vector: Sequence[float], identifiers: Iterable[str]) -> list[tuple[str, float]]:
        """Return the cosines of a vector with those of documents as (id, cosine); documents without one are omitted."""
        norm = numeric.norm(vector)
        return [
            (identifier, numeric.cosine_of(vector, norm, self._vectors[identifier], self._norms[identifier]))
            for identifier in identifiers
            if identifier in self._vectors
        ]

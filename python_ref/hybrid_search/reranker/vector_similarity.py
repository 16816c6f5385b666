"""The cosines of a query's vector with those of the documents (RNK-1, NUM-3)."""

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hybrid_search import numeric
from hybrid_search.doc_store_adapter.prepared import PreparedDocument
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.doc_store_adapter.stored_fields import StoredFields


class VectorSimilarity:
    """Cosines, 0.0 for documents without a usable vector; the same bits as `numeric.cosine` gives one by one."""

    @staticmethod
    def similarities(result: SearchResult, query_vector: Sequence[float], reader: StoredFields) -> list[float]:
        """The cosine of each document, in the order of `result.ids`.

        Args:
            result: the documents.
            query_vector: finite, with a finite squared norm.
            reader: collects what is not usable.
        """
        dimension = len(query_vector)
        name = StoredFields.vector_field(dimension)
        places: list[int] = []
        vectors: list[Any] = []
        norms: list[float | None] = []
        for place, identifier in enumerate(result.ids):
            fields = result.fields.get(identifier, {})
            prepared = result.prepared.get(identifier)
            vector, norm = VectorSimilarity._vector(identifier, fields, name, dimension, prepared, reader)
            if vector is not None:
                places.append(place)
                vectors.append(vector)
                norms.append(norm)
        similarities = [0.0] * len(result.ids)
        query_norm = numeric.norm(query_vector)
        if not places or query_norm == 0.0:
            return similarities
        matrix = _matrix(vectors, dimension)
        dots = numeric.row_dots(matrix, np.array(query_vector, dtype=np.float64)).tolist()
        known = norms if None not in norms else numeric.row_norms(matrix).tolist()
        for place, dot, norm in zip(places, dots, known, strict=True):
            similarities[place] = dot / (query_norm * norm) if norm != 0.0 else 0.0
        return similarities

    @staticmethod
    def _vector(
        identifier: str,
        fields: Mapping[str, Any],
        name: str,
        dimension: int,
        prepared: PreparedDocument | None,
        reader: StoredFields,
    ) -> tuple[Any, float | None]:
        """A document's vector and, when the store made it before, its norm."""
        if prepared is not None and prepared.dimension == dimension and fields.get(name) is not None:
            return fields[name], prepared.norm
        return reader.vector(identifier, fields, name, dimension), None


def _matrix(vectors: Sequence[Sequence[float]], dimension: int) -> numeric.FloatMatrix:
    """The vectors as rows; several times as fast as numpy reads lists."""
    row = struct.Struct(f"{dimension}d")
    rows = b"".join([row.pack(*vector) for vector in vectors])
    return np.frombuffer(rows, dtype=np.float64).reshape(len(vectors), dimension)

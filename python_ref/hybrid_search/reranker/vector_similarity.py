"""Computes the cosines of a query's vector with those of the documents (RNK-1, NUM-3)."""

from collections.abc import Sequence

from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.documents.stored_fields import StoredFields
from hybrid_search.doc_store_adapter.search_result import SearchResult


class VectorSimilarity:
    """Cosines; 0.0 for documents without a usable vector."""

    @staticmethod
    def similarities(result: SearchResult, query_vector: Sequence[float], reader: StoredFields) -> list[float]:
        """Return the cosine of each document, in the order of `result.ids`.

        Args:
            result: the documents.
            query_vector: finite, with a finite squared norm.
            reader: collects unusable values.
        """
        dimension = len(query_vector)
        name = StoredFields.vector_field(dimension)
        similarities = []
        for identifier in result.ids:
            vector = reader.vector(identifier, result.fields_of(identifier), name, dimension)
            similarities.append(0.0 if vector is None else numeric.cosine(vector, query_vector))
        return similarities

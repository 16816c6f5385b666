"""The cosines of a query's vector with those of the documents (RNK-1, NUM-3)."""

import math
import struct
from collections.abc import Mapping, Sequence
from operator import countOf
from typing import Any

import numpy as np

from hybrid_search import numeric
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
        query_norm = numeric.norm(query_vector)
        similarities = [0.0] * len(result.ids)
        known = VectorSimilarity._known(result, query_vector)
        places, rows, norms, others = VectorSimilarity._rows(result, dimension, known)
        for place, cosine in known.items():
            similarities[place] = cosine
        if places:
            dots, lengths = _products(rows, query_vector, norms)
            for place, dot, norm in zip(places, dots, lengths, strict=True):
                if not math.isfinite(norm):
                    others.append(place)
                elif norm != 0.0 and query_norm != 0.0:
                    similarities[place] = dot / (query_norm * norm)
        name = StoredFields.vector_field(dimension)
        for place in sorted(others):
            identifier = result.ids[place]
            vector = reader.vector(identifier, result.fields_of(identifier), name, dimension)
            if vector is not None:
                similarities[place] = numeric.cosine(vector, query_vector)
        return similarities

    @staticmethod
    def _known(result: SearchResult, query_vector: Sequence[float]) -> dict[int, float]:
        """Place → cosine, of the documents whose cosine the store has computed, and whose vector was selected."""
        scores = result.dense_scores
        if scores is None or not scores.belongs_to(query_vector):
            return {}
        name = StoredFields.vector_field(len(query_vector))
        known = {}
        for place, identifier in enumerate(result.ids):
            cosine = scores.cosine(identifier)
            if cosine is not None and result.fields_of(identifier).get(name) is not None:
                known[place] = cosine
        return known

    @staticmethod
    def _rows(
        result: SearchResult, dimension: int, known: Mapping[int, float]
    ) -> tuple[list[int], list[bytes], list[float | None], list[int]]:
        """The vectors that are nothing but floats, which may yet be infinite, as bytes, with their places and known
        norms; and the places of the others; but for the known ones.
        """  # noqa: D205
        name = StoredFields.vector_field(dimension)
        # `struct` reads lists several times as fast as numpy does.
        pack = struct.Struct(f"{dimension}d").pack
        places: list[int] = []
        rows: list[bytes] = []
        norms: list[float | None] = []
        others: list[int] = []
        for place, identifier in enumerate(result.ids):
            value = result.fields_of(identifier).get(name)
            if value is None or place in known:
                continue
            prepared = result.prepared.get(identifier)
            if prepared is not None and prepared.dimension == dimension:
                norms.append(prepared.norm)
            elif isinstance(value, list) and len(value) == dimension == countOf(map(type, value), float):
                norms.append(None)
            else:
                others.append(place)
                continue
            places.append(place)
            rows.append(pack(*value))  # at once, while the processor has the vector at hand
        return places, rows, norms, others


def _products(
    rows: Sequence[bytes], query_vector: Sequence[float], norms: Sequence[float | None]
) -> tuple[list[float], list[Any]]:
    """The dot product of each vector with the query's, and the norms; those not known are computed."""
    matrix = np.frombuffer(b"".join(rows), dtype=np.float64).reshape(len(rows), len(query_vector))
    with np.errstate(all="ignore"):
        dots: list[float] = numeric.row_dots(matrix, np.array(query_vector, dtype=np.float64)).tolist()
        return dots, list(norms) if None not in norms else numeric.row_norms(matrix).tolist()

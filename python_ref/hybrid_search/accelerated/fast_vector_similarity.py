"""Computes the cosines of a query's vector with those of the documents (RNK-1, NUM-3), many vectors at once."""

import math
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hybrid_search.accelerated.row_dots import FloatMatrix, FloatVector, RowDots
from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.documents.packed_fields import PackedFields, PackedVector
from hybrid_search.doc_store_adapter.documents.stored_fields import StoredFields
from hybrid_search.doc_store_adapter.search_result import SearchResult


class _Rows(NamedTuple):
    """The vectors of documents as rows, with the places of the documents, and the known norms."""

    places: list[int]
    matrix: FloatMatrix
    norms: Sequence[float | None]


class FastVectorSimilarity:
    """Cosines, 0.0 for documents without a usable vector; cosines of a dense leg are not computed again."""

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
        similarities = [0.0] * len(result.ids)
        known = FastVectorSimilarity._known(result, query_vector)
        for place, cosine in known.items():
            similarities[place] = cosine
        left = [place for place in range(len(result.ids)) if place not in known]
        packed = _packed(result, name, left)
        left = [place for place in left if place not in packed]
        listed, others = FastVectorSimilarity._rows(result, dimension, left)
        blocks = [*_packed_rows(packed, dimension), *([listed] if listed.places else [])]
        query_norm = numeric.norm(query_vector) if blocks else 0.0
        for places, rows, norms in blocks:
            dots, lengths = _products(rows, np.array(query_vector, dtype=np.float64), norms)
            for place, dot, norm in zip(places, dots, lengths, strict=True):
                if not math.isfinite(norm):
                    others.append(place)
                elif norm != 0.0 and query_norm != 0.0:
                    similarities[place] = dot / (query_norm * norm)
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
    def _rows(result: SearchResult, dimension: int, left: Sequence[int]) -> tuple["_Rows", list[int]]:
        """Return the numeric vectors as rows with their places and known norms, and the places of other vectors.

        Only the documents at the places `left` are read. A row may contain numbers that are not finite. A row with
        booleans becomes NaN.
        """
        name = StoredFields.vector_field(dimension)
        matrix = np.empty((len(left), dimension), dtype=np.float64)
        pack, size = _packer(matrix), matrix.itemsize * dimension
        places: list[int] = []
        norms: list[float | None] = []
        others: list[int] = []
        for place in left:
            identifier = result.ids[place]
            value = result.fields_of(identifier).get(name)
            if value is None:
                continue
            if not isinstance(value, list) or len(value) != dimension or not pack(value, size * len(places)):
                others.append(place)
                continue
            prepared = result.prepared.get(identifier)
            norms.append(prepared.norm if prepared is not None and prepared.dimension == dimension else None)
            places.append(place)
        matrix = matrix[: len(places)]
        booleans = (matrix == 0.0) | (matrix == 1.0)
        for row in booleans.any(axis=1).nonzero()[0].tolist() if booleans.any() else ():
            if norms[row] is None and bool in map(type, result.fields_of(result.ids[places[row]])[name]):
                matrix[row] = math.nan
        return _Rows(places, matrix, norms), others


def _packed(result: SearchResult, name: str, left: Sequence[int]) -> dict[int, PackedVector]:
    """Return place → vector, of those documents at the places `left` whose vectors are packed."""
    found = {}
    for place in left:
        fields = result.fields_of(result.ids[place])
        vector = fields.vectors.get(name) if isinstance(fields, PackedFields) else None
        if vector is not None:
            found[place] = vector
    return found


def _packed_rows(packed: Mapping[int, PackedVector], dimension: int) -> Iterator[_Rows]:
    """Yield packed vectors as rows, those of one kind together; their norms are not known."""
    for kind in dict.fromkeys(vector.kind for vector in packed.values()):
        places = [place for place, vector in packed.items() if vector.kind == kind]
        numbers = np.frombuffer(b"".join(packed[place].packed for place in places), dtype=f"<{kind}")
        yield _Rows(places, numbers.reshape(len(places), dimension), [None] * len(places))


def _packer(matrix: FloatMatrix) -> Callable[[list[Any], int], bool]:
    """Return a function that writes values as a row from a byte of the matrix on, and returns whether it could.

    It can if all values are real numbers or booleans, with a float among them: nothing else adds to a float as a float.
    The sum takes a quarter of the time of a look at every type, and `struct` reads lists several times as fast as numpy
    does.
    """
    pack_into, buffer = struct.Struct(f"{matrix.shape[1]}d").pack_into, matrix.data

    def packed(values: list[Any], offset: int) -> bool:
        try:
            if type(sum(values)) is not float:  # recall only
                return False
            pack_into(buffer, offset, *values)  # at once, while the processor has them at hand
        except (TypeError, ValueError, OverflowError, struct.error):
            return False
        return True

    return packed


def _products(matrix: FloatMatrix, query: FloatVector, norms: Sequence[float | None]) -> tuple[list[float], list[Any]]:
    """Return the dot product of each vector with the query's, and the norms; unknown norms are computed."""
    with np.errstate(all="ignore"):
        if None not in norms:
            return RowDots.dots(matrix, query).tolist(), list(norms)
        dots, lengths = RowDots.dots_and_norms(matrix, query)
        return dots.tolist(), lengths.tolist()

"""Vectors read many at once equal those read one by one (RNK-1, NUM-3, NUM-4)."""

import math
import random
import struct
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hybrid_search.accelerated import fast_vector_similarity
from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.documents.packed_fields import PackedFields, PackedVector
from hybrid_search.doc_store_adapter.documents.stored_fields import StoredFields
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.reranker.vector_similarity import VectorSimilarity

DIMENSION = 4
NAME = f"q_{DIMENSION}_vec"
QUERY = (0.25, -1.5, 3.0, 0.125)


def similarities(kernel: Any, vectors: list[Any]) -> tuple[list[float], tuple[str, ...]]:
    reader = StoredFields()
    fields = {f"d{place}": {NAME: vector} for place, vector in enumerate(vectors)}
    return kernel.similarities(
        SearchResult(len(fields), list(fields), fields, {}, QUERY), QUERY, reader
    ), reader.warnings()


def one_by_one(vectors: list[Any]) -> tuple[list[float], tuple[str, ...]]:
    return similarities(VectorSimilarity, vectors)


def at_once(vectors: list[Any]) -> tuple[list[float], tuple[str, ...]]:
    return similarities(fast_vector_similarity.FastVectorSimilarity, vectors)


class Adder:
    """A value that is not a number, but adds up to one."""

    def __radd__(self, other: float) -> float:
        return other


ODD = [
    True, False, 1, 0, -3, 2**70, 10**400, Fraction(1, 3), Decimal("0.5"), np.float64(0.3), np.float32(0.3),
    np.int64(2), np.bool_(True), np.array([1.0]), "1", "", None, math.nan, math.inf, -math.inf, 1e308, 5e-324, -0.0,
    [1.0], 1j, Adder(),
]  # fmt: skip


@pytest.mark.parametrize("place", range(DIMENSION))
@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_odd_components_are_compared_as_in_the_plain_form(odd: Any, place: int) -> None:
    vector = [0.5, 1.5, -0.75, 2.5]
    vector[place] = odd
    vectors = [[0.5, 1.0, 0.0, 2.0], vector, [odd] * DIMENSION, [math.inf, -math.inf, 0.5, odd]]
    assert at_once(vectors) == one_by_one(vectors)


@pytest.mark.parametrize("vector", [None, [], [1.0] * 3, [1.0] * 5, (0.5, 1.5, 2.5, 3.5), "1\t2\t3\t4", np.ones(4), 7])
def test_odd_vectors_are_compared_as_in_the_plain_form(vector: Any) -> None:
    vectors = [vector, [0.5, 1.5, 2.5, 3.5], vector]
    assert at_once(vectors) == one_by_one(vectors)


def test_random_vectors_are_compared_as_in_the_plain_form() -> None:
    source = random.Random(5)
    for size in (1, 2, 40):
        vectors = [[source.choice([0.0, 1.0, source.uniform(-9, 9)]) for _ in range(DIMENSION)] for _ in range(size)]
        for row in source.sample(range(size), size // 4):
            vectors[row][source.randrange(DIMENSION)] = source.choice([True, 1, "x"])  # type: ignore[call-overload]
        assert at_once(vectors) == one_by_one(vectors)


@pytest.mark.parametrize("dimension", [1, 2, 3, 17, 384])
def test_vectors_of_all_dimensions_are_compared_as_in_the_plain_form(dimension: int) -> None:
    source = random.Random(dimension)
    name = f"q_{dimension}_vec"
    fields = {f"d{place}": {name: [source.gauss(0, 1) for _ in range(dimension)]} for place in range(20)}
    query = [source.gauss(0, 1) for _ in range(dimension)]
    found = SearchResult(20, list(fields), fields, query_vector=query)
    expected = VectorSimilarity.similarities(found, query, StoredFields())
    assert fast_vector_similarity.FastVectorSimilarity.similarities(found, query, StoredFields()) == expected
    assert expected[0] == numeric.cosine(fields["d0"][name], query)


def test_numpy_rows_are_accepted_as_vectors() -> None:
    assert at_once([np.array([1, 2, 3, 4], dtype=np.float32)]) == one_by_one([[1.0, 2.0, 3.0, 4.0]])


def test_packed_vectors_are_compared_as_in_the_plain_form() -> None:
    source = random.Random(7)
    rows = [[source.gauss(0, 1) for _ in range(DIMENSION)] for _ in range(30)]
    rows += [[0.0] * DIMENSION, [math.nan, 1.0, 2.0, 3.0], [math.inf] * DIMENSION, [1e300] * DIMENSION]
    packed = [
        PackedVector.of(struct.pack(f"<{DIMENSION}{kind}", *row), DIMENSION)
        for row in rows
        for kind in "fd"
        if kind == "d" or max(row) < 1e300
    ]
    fields: dict[str, Any] = {f"d{place}": PackedFields({}, {NAME: one}) for place, one in enumerate(packed)}
    fields.update({"list": {NAME: rows[0]}, "text": {NAME: "1\t2\t3\t4"}, "without": PackedFields({"a": 1}, {})})
    lists = {identifier: dict(one) for identifier, one in fields.items()}

    def of(kernel: Any, given: dict[str, Any]) -> tuple[list[float], tuple[str, ...]]:
        reader = StoredFields()
        found = SearchResult(len(given), list(given), given, query_vector=QUERY)
        return kernel.similarities(found, QUERY, reader), reader.warnings()

    fast = fast_vector_similarity.FastVectorSimilarity
    assert of(fast, fields) == of(VectorSimilarity, fields) == of(fast, lists) == of(VectorSimilarity, lists)

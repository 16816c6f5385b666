import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybrid_search import numeric
from hybrid_search.errors import DimensionMismatchError, InvalidInputError

finite = st.floats(allow_nan=False, allow_infinity=False, width=32)


def test_sums_run_from_left_to_right():
    assert numeric.sum_left([1e16, 1.0, -1e16]) == 0.0
    assert numeric.sum_left([1e16, -1e16, 1.0]) == 1.0
    assert numeric.sum_left([0.1] * 10) == 0.9999999999999999
    assert math.copysign(1.0, numeric.sum_left([-0.0])) == 1.0


def test_cosine_is_not_clamped_and_zero_for_zero_vectors():
    vectors = [[0.1 * row, 0.7, 0.3 / row] for row in range(1, 200)]
    assert max(numeric.cosine(vector, vector) for vector in vectors) > 1.0
    assert numeric.cosine([0.0, 0.0], [1.0, 2.0]) == 0.0
    assert numeric.cosine([1e-170], [1e-170]) == 0.0


def test_vectors_of_unequal_length_are_refused():
    with pytest.raises(DimensionMismatchError, match="vectors of 1 and 2 components cannot be compared"):
        numeric.dot([1.0], [1.0, 2.0])


def test_normalize_leaves_a_zero_vector_alone():
    assert numeric.normalize([0.0, 0.0]) == [0.0, 0.0]
    assert numeric.normalize([3.0, 4.0]) == [0.6, 0.8]


def test_softmax_sums_to_one_and_refuses_temperature_zero():
    assert numeric.sum_left(numeric.softmax([1.0, 2.0, 3.0], 0.5)) == pytest.approx(1.0)
    assert numeric.softmax([1000.0, 1000.0], 1.0) == [0.5, 0.5]
    with pytest.raises(InvalidInputError, match=r"temperature must be above 0, not 0\.0"):
        numeric.softmax([1.0], 0.0)


@given(
    st.lists(st.lists(finite, min_size=3, max_size=3), min_size=1, max_size=8), st.lists(finite, min_size=3, max_size=3)
)
def test_whole_matrices_give_the_bits_of_single_rows(rows, vector):
    matrix, query = np.array(rows, dtype=np.float64), np.array(vector, dtype=np.float64)
    dots, norms = [numeric.dot(row, vector) for row in rows], [numeric.norm(row) for row in rows]
    for copies in (1, numeric.ROWS_AT_ONCE):
        many = np.tile(matrix, (copies, 1))
        assert [str(value) for value in numeric.row_dots(many, query).tolist()] == list(map(str, dots)) * copies
        assert [str(value) for value in numeric.row_norms(many).tolist()] == list(map(str, norms)) * copies


@pytest.mark.parametrize("rows", [0, 1, 2, 3, 9, 64, 257, 513])
@pytest.mark.parametrize("components", [0, 1, 2, 17, 129, 384])
def test_sums_of_rows_run_from_left_to_right_in_matrices_of_all_shapes(rows, components):
    source = np.random.default_rng(rows)
    matrix = source.standard_normal((rows, components)) * np.exp(source.standard_normal((rows, components)) * 3.0)
    query = source.standard_normal(components)
    assert numeric.row_dots(matrix, query).tolist() == [numeric.dot(row, query.tolist()) for row in matrix.tolist()]
    assert numeric.row_norms(matrix).tolist() == [numeric.norm(row) for row in matrix.tolist()]
    dots, norms = numeric.row_dots_and_norms(matrix, query)
    assert (dots.tolist(), norms.tolist()) == (
        numeric.row_dots(matrix, query).tolist(),
        numeric.row_norms(matrix).tolist(),
    )
    assert numeric.row_norms(np.asfortranarray(matrix)).tolist() == numeric.row_norms(matrix).tolist()


@given(st.floats(allow_nan=False))
def test_bits_and_the_shortest_text_lose_nothing(value):
    assert numeric.to_bits(numeric.from_bits(numeric.to_bits(value))) == numeric.to_bits(value)
    assert float(numeric.shortest(value)) == value


def test_texts_of_numbers():
    assert [numeric.shortest(value) for value in (1, 1e-5, 1e15, 1e16)] == [
        "1.0",
        "1e-05",
        "1000000000000000.0",
        "1e+16",
    ]
    assert [numeric.fixed4(value) for value in (2282032193.553749, -0.00001)] == ["2282032193.5537", "-0.0000"]


def test_ulp_distance():
    assert numeric.ulp_distance(0.0, -0.0) == 0
    assert numeric.ulp_distance(1.0, math.nextafter(1.0, 2.0)) == 1
    assert numeric.ulp_distance(-5e-324, 5e-324) == 2


def test_booleans_are_no_numbers():
    assert [numeric.is_number(value) for value in (1, 1.0, np.float32(1), True, "1", None)] == [True] * 3 + [False] * 3

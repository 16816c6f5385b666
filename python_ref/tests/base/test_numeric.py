import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybrid_search.base import numeric
from hybrid_search.errors import DimensionMismatchError, InvalidInputError

finite = st.floats(allow_nan=False, allow_infinity=False, width=32)


def test_sums_run_from_left_to_right():
    assert numeric.sum_left([1e16, 1.0, -1e16]) == 0.0
    assert numeric.sum_left([1e16, -1e16, 1.0]) == 1.0
    assert numeric.sum_left([0.1] * 10) == 0.9999999999999999
    assert math.copysign(1.0, numeric.sum_left([-0.0])) == 1.0


def test_cosine_is_not_clamped_and_is_zero_for_zero_vectors():
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


@given(st.floats(allow_nan=False))
def test_bits_and_the_shortest_text_preserve_the_number(value):
    assert numeric.to_bits(numeric.from_bits(numeric.to_bits(value))) == numeric.to_bits(value)
    assert float(numeric.shortest(value)) == value


def test_numbers_are_written_as_their_shortest_text():
    assert [numeric.shortest(value) for value in (1, 1e-5, 1e15, 1e16)] == [
        "1.0",
        "1e-05",
        "1000000000000000.0",
        "1e+16",
    ]
    assert [numeric.fixed4(value) for value in (2282032193.553749, -0.00001)] == ["2282032193.5537", "-0.0000"]
    assert [numeric.fixed1(value) for value in (0.65, 0.35, 0.25, -0.04)] == ["0.7", "0.3", "0.2", "-0.0"]


def test_the_distance_in_ulp_is_computed():
    assert numeric.ulp_distance(0.0, -0.0) == 0
    assert numeric.ulp_distance(1.0, math.nextafter(1.0, 2.0)) == 1
    assert numeric.ulp_distance(-5e-324, 5e-324) == 2


def test_booleans_are_not_numbers():
    assert [numeric.is_number(value) for value in (1, 1.0, np.float32(1), True, "1", None)] == [True] * 3 + [False] * 3

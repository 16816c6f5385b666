"""Dot products of many rows at once equal those of one row after the other (NUM-2)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybrid_search.accelerated.row_dots import ROWS_AT_ONCE, RowDots
from hybrid_search.base import numeric

finite = st.floats(min_value=-1e150, max_value=1e150)


@given(
    st.lists(st.lists(finite, min_size=3, max_size=3), min_size=1, max_size=8), st.lists(finite, min_size=3, max_size=3)
)
def test_whole_matrices_return_the_bits_of_single_rows(rows, vector):
    matrix, query = np.array(rows, dtype=np.float64), np.array(vector, dtype=np.float64)
    dots, norms = [numeric.dot(row, vector) for row in rows], [numeric.norm(row) for row in rows]
    for copies in (1, ROWS_AT_ONCE):
        many = np.tile(matrix, (copies, 1))
        found, lengths = RowDots.dots_and_norms(many, query)
        assert [str(value) for value in RowDots.dots(many, query).tolist()] == list(map(str, dots)) * copies
        assert [str(value) for value in found.tolist()] == list(map(str, dots)) * copies
        assert [str(value) for value in lengths.tolist()] == list(map(str, norms)) * copies


@pytest.mark.parametrize("rows", [0, 1, 2, 3, 9, 64, 257, 513])
@pytest.mark.parametrize("components", [0, 1, 2, 17, 129, 384])
def test_sums_of_rows_run_from_left_to_right_in_matrices_of_all_shapes(rows, components):
    source = np.random.default_rng(rows)
    matrix = source.standard_normal((rows, components)) * np.exp(source.standard_normal((rows, components)) * 3.0)
    query = source.standard_normal(components)
    plain = [numeric.dot(row, query.tolist()) for row in matrix.tolist()]
    assert RowDots.dots(matrix, query).tolist() == plain
    dots, norms = RowDots.dots_and_norms(matrix, query)
    assert dots.tolist() == plain
    assert norms.tolist() == [numeric.norm(row) for row in matrix.tolist()]
    assert RowDots.dots(np.asfortranarray(matrix), query).tolist() == dots.tolist()


@given(st.lists(finite, min_size=1, max_size=40))
def test_a_norm_equals_that_of_numeric(vector):
    assert RowDots.norm_of(np.array(vector)) == numeric.norm(vector)

import contextlib
import math
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pytest

from hybrid_search.base import validation
from hybrid_search.errors import DimensionMismatchError, EmbeddingError, InvalidInputError

ODD = [
    None, True, 1, 1.5, math.nan, "text", "\udcff", b"bytes", [], [1], (), {}, {1: 2}, set(), object(), Fraction(1, 2),
    np.array(3), np.array([[1.0]]), np.float32(1), np.int64(3), np.bool_(True), 10**5000, -(10**5000), 1j,
    MappingProxyType({}), print,
]  # fmt: skip
CHECKS = [
    validation.text, validation.texts, validation.integer, validation.number, validation.boolean, validation.mapping,
    validation.vector, lambda name, value: validation.choice(name, value, ["a"]),
    lambda _, value: validation.known("option", [value], ["page", "text"]),
]  # fmt: skip


@pytest.mark.parametrize("check", CHECKS)
def test_no_value_causes_an_error_of_the_interpreter(check):
    for value in ODD:
        with contextlib.suppress(InvalidInputError):
            check("thing", value)


def test_numpy_values_are_returned_in_plain_form():
    assert type(validation.integer("page", np.int64(3))) is int
    assert type(validation.number("weight", np.float32(0.5))) is float
    assert validation.boolean("flag", np.bool_(True)) is True
    assert validation.vector("vector", np.array([1, 2], dtype=np.float32)) == [1.0, 2.0]


def test_messages_name_the_argument_the_value_and_the_accepted_values():
    with pytest.raises(InvalidInputError, match=r"^page must be an integer from 1 to 100, not 0$"):
        validation.integer("page", 0, 1, 100)
    with pytest.raises(InvalidInputError, match=r"^weight must be a finite number of at least 0, not nan$"):
        validation.number("weight", math.nan, 0)
    with pytest.raises(InvalidInputError, match=r"^method must be one of a, b, not an object of 0$"):
        validation.choice("method", {}, ["a", "b"])


def test_a_vector_may_be_refused_with_a_different_error():
    with pytest.raises(EmbeddingError, match=r"vector\[1\] must be a finite number, not inf"):
        validation.vector("vector", [1.0, math.inf], error=EmbeddingError)
    with pytest.raises(DimensionMismatchError, match="vector must have 3 components, not 1"):
        validation.vector("vector", [1.0], 3)


def test_unknown_names_get_the_nearest_known_one():
    assert validation.nearest("page_sise", ["page", "page_size"]) == "page_size"
    assert validation.nearest("colour", ["page", "page_size"]) is None
    with pytest.raises(InvalidInputError, match=r'unknown option "pages"; did you mean "page"\? Known: page, top_k'):
        validation.known("option", ["pages"], ["page", "top_k"])


def test_long_keys_and_long_class_names_are_truncated():
    assert validation.member("tags", "k" * 60) == "tags." + "k" * 60
    assert validation.member("tags", "k" * 61) == "tags." + "k" * 60 + "…"
    assert len(validation.describe(type("K" * 300, (), {})())) == 221
    assert validation.describe(type("K" * 300, (), {})) == "the class " + "K" * 200 + "…"


class Foreign:
    def __repr__(self):
        return "SECRET"


def test_the_message_of_a_third_party_error_shows_the_class_of_an_object_not_its_repr():
    shown = f"a value of the type {__name__}.Foreign"
    assert validation.plain_message(KeyError(Foreign())) == shown
    assert validation.plain_message(ValueError(Foreign())) == shown
    assert validation.plain_message(RuntimeError(KeyError(Foreign()))) == shown


def test_the_message_of_a_third_party_error_keeps_its_own_words():
    assert validation.plain_message(ValueError("\n no such thing\nsecond")) == "no such thing"
    assert validation.plain_message(ValueError()) == "ValueError"
    assert validation.plain_message(ValueError("x" * 201)) == "x" * 200 + "…"
    assert validation.plain_message(RuntimeError(OSError(2, "gone"))) == "[Errno 2] gone"

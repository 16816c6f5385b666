"""Types that exist only in Python; the cases of IDX-4 contain the rest."""

import datetime
import enum
import uuid
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from hybrid_search import InvalidInputError
from hybrid_search.base import input_values


class Language(enum.StrEnum):
    CHINESE = "zh"


class Year(enum.IntEnum):
    FIRST = 2019


class NoTime(datetime.datetime):
    """As pandas has one: equal to nothing."""

    def __eq__(self, other: object) -> bool:
        return False

    def __ne__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (np.int64(7), 7),
        (np.float64(2.5), 2.5),
        (np.float32(0.1), 0.10000000149011612),
        (np.bool_(True), True),
        (np.str_("zh"), "zh"),
        (Language.CHINESE, "zh"),
        (Year.FIRST, 2019),
        (Fraction(1, 3), 1.0 / 3.0),
        (datetime.datetime(2024, 5, 1), "2024-05-01T00:00:00.000000Z"),
        (datetime.datetime(1, 1, 1, 9, 30, 0, 7), "0001-01-01T09:30:00.000007Z"),
    ],
)
def test_values_are_converted_to_plain_types(value, stored):
    found = input_values.plain("value", value)
    assert found == stored
    assert type(found) is type(stored)


@pytest.mark.parametrize("digits", range(1, 35))
def test_decimals_are_the_nearest_doubles(digits):
    text = "0." + ("8" + "0123456789" * 4)[:digits]
    for exponent in (-320, -300, -20, 0, 17, 290):
        value = Decimal(f"{text}e{exponent}")
        found = input_values.plain("value", value)
        assert found == (int(value) if value == value.to_integral_value() else float(value))


def test_an_array_of_one_dimension_is_a_list():
    assert input_values.attributes("metadata", {"n": np.array([1, 2])}) == {"n": [1, 2]}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (NoTime(2024, 5, 1), "value must be a date or a time, not a missing time"),
        (datetime.time(9, 30), "not a value of the type datetime.time; give it as a text or a number"),
        (datetime.timedelta(1), "not a value of the type datetime.timedelta; give"),
        (np.datetime64("2024-05-01"), "not a value of the type numpy.datetime64; give"),
        (b"zh", "not a value of the type bytes; give"),
        ({1}, "not a value of the type set; give"),
        (np.array([[1]]), "not a list of 1"),
        (np.longdouble("nan"), "must be a finite number, not nan"),
    ],
)
def test_a_type_without_a_plain_equivalent_is_named(value, message):
    with pytest.raises(InvalidInputError) as error:
        input_values.attributes("metadata", {"value": value})
    assert message in str(error.value)


def test_ids_may_be_numpy_integers():
    assert input_values.identifiers("ids", [np.int64(7), "7", 7]) == ["7", "7", "7"]
    with pytest.raises(InvalidInputError, match=r"id must be a text or an integer, not a value of the type uuid\.UUID"):
        input_values.identifier("id", uuid.UUID(int=7))

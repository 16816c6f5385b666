import math

import pytest

from conformance.implementations.python import codec


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        (0.1, {"bits": "3fb999999999999a", "decimal": "0.1"}),
        (-0.0, {"bits": "8000000000000000", "decimal": "-0.0"}),
        (5e-324, {"bits": "0000000000000001", "decimal": "5e-324"}),
        (math.inf, {"bits": "7ff0000000000000", "decimal": "inf"}),
        (2**53 - 1, 2**53 - 1),
        (2**53, {"integer": "9007199254740992"}),
        (True, True),
        ("é\u0000", "é\u0000"),
        ("a\udcff", {"utf8": "61ff"}),
        ("\ud800", {"utf8": "eda080"}),
        ({"b": 1, "a": [None]}, {"b": 1, "a": [None]}),
        (codec.Ordered({"b": 1, "a": 2.0}), {"entries": [["b", 1], ["a", codec.encode(2.0)]]}),
    ],
)
def test_values_are_encoded_and_decoded(value: object, encoded: object) -> None:
    assert codec.encode(value) == encoded
    decoded = codec.decode(encoded)
    assert repr(decoded) == repr(value) or value == "\ud800"
    assert codec.encode(decoded) == (
        encoded if not isinstance(value, codec.Ordered) else {"b": 1, "a": encoded["entries"][1][1]}
    )  # type: ignore[index]


def test_all_nans_have_one_encoding() -> None:
    assert codec.encode(-math.nan) == codec.encode(math.nan) == {"bits": "7ff8000000000000", "decimal": "nan"}


@pytest.mark.parametrize("value", [object(), {1: 2}, {"\ud800": 1}, {1, 2}, b"bytes"])
def test_other_values_are_refused(value: object) -> None:
    with pytest.raises(TypeError):
        codec.encode(value)


@pytest.mark.parametrize("value", [{"bits": "", "decimal": ""}, {"utf8": "x"}, {"integer": 1}, {"entries": []}])
def test_objects_that_look_like_encoded_values_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match="stands for something else"):
        codec.encode(value)

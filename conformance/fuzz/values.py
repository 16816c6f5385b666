"""Texts and numbers that programs stumble over, as hypothesis strategies; the simplest of each is plain."""

import struct
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from conformance import yaml_files
from conformance.implementations.python import codec

FLOATS = (
    0.0, 1.0, 0.5, -0.0, -1.0, 0.1, 0.30000000000000004, 0.3, 1e-3, 1e-5, 100.0, 1e16, 5e-324, 2.2250738585072014e-308,
    1e-308, 1.7976931348623157e308, 1e300, -1e300, float("inf"), float("-inf"), float("nan"),
)  # fmt: skip
INTEGERS = (0, 1, 2, -1, 3, 7, 10, 63, 64, 65, 100, 1000)
BYTES = ("ff", "c0af", "eda080", "e4b8", "61f0289f", "80")


@cache
def texts(bytes_too: bool) -> st.SearchStrategy[Any]:
    """Texts of odd pieces, and, where that makes sense, now and then bytes that are no UTF-8."""
    words = yaml_files.load(Path(__file__).with_name("words.yml"))
    pieces = st.one_of(st.sampled_from(words), st.just(" "), st.characters(exclude_categories=["Cs"]))
    plain = st.lists(pieces, max_size=8).map("".join)
    if not bytes_too:
        return plain
    return st.one_of(plain, plain, plain, st.sampled_from(BYTES).map(lambda text: {"utf8": text}))


def floats() -> st.SearchStrategy[Any]:
    """Floats, special ones among them, as they go over the wire."""
    drawn = st.one_of(st.sampled_from(FLOATS), st.floats(-10, 10), st.floats())
    return drawn.map(codec.encode_float)


def integers() -> st.SearchStrategy[Any]:
    """Small integers: large ones may ask for more memory than there is."""
    return st.sampled_from(INTEGERS)


def nudged(value: Any, steps: int) -> Any:
    """A float so many ULP further, away from 0 for a positive count."""
    bits = int(value["bits"], 16)
    moved = min(max((bits & 0x7FFF_FFFF_FFFF_FFFF) + steps, 0), 0x7FEF_FFFF_FFFF_FFFF)
    number: float = struct.unpack(">d", ((bits & 1 << 63) | moved).to_bytes(8))[0]
    return codec.encode_float(number)

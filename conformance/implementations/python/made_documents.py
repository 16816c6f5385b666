"""Documents in any number, made of their places alone, so that a case of many is short (DOC-1).

The first `SINGLE` have vectors that numbers of 32 bits hold, later ones have some that they do not.
"""

from collections.abc import Iterable
from typing import Any

SINGLE = 600


def make(places: Iterable[int]) -> list[dict[str, Any]]:
    """The document of each place."""
    return [_document(place) for place in places]


def near(places: Iterable[int]) -> list[dict[str, Any]]:
    """Documents whose vectors are nearly alike, half of them on either side of where a component is rounded.

    In steps of 1 / 32768 the first component is 20000.5 and a little more or less; the vectors' length is about 1.
    """
    return [
        {"id": name(place), "q_2_vec": [40001 / 65536 + (place * 7 % 61 - 30) / 2**24, 13289550 / 2**24]}
        for place in places
    ]


def name(place: int) -> str:
    """The id of the document of a place."""
    return f"d{place:05d}"


def _document(place: int) -> dict[str, Any]:
    words = ["x"] * (1 + place % 3) + [f"m{place % 7}", f"n{place % 64}", f"r{place % 257}"]
    words += ["y", "z"] if place % 2 else ["z", "y"]
    return {
        "id": name(place),
        "content_ltks": " ".join(words),
        "title_tks": f"t{place % 5} x" if place % 3 == 0 else f"t{place % 5}",
        "n_int": place % 10,
        "q_3_vec": [float(place * 7 % 11) - 5.0, float(place % 13), 0.5 if place < SINGLE else 1.0 / (1 + place % 4)],
    }

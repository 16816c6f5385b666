"""Places and texts come back as they were packed; what was packed by nobody is refused."""

import random
import struct

import pytest

from hybrid_search.doc_store_adapter.sqlite import sqlite_packing
from python_ref.tests.rounds import seeds

PLACES = [0, 5, (3 << 32) + 200, (3 << 32) + 70_000, (3 << 32) + 0xFFFFFFFF, 0x7FFFFFFF << 32]
EXPECTED = "000000050381480084a128008ffffbdd0f87ffffff7c00"


def blob(places):
    return struct.pack(f"<{len(places)}q", *places)


def test_places_are_packed_in_both_languages_alike():
    packed = sqlite_packing.pack_places(blob(PLACES))
    assert packed.hex() == EXPECTED
    assert sqlite_packing.count_places(packed) == len(PLACES)
    assert sqlite_packing.unpack_places(packed) == blob(PLACES)


@pytest.mark.parametrize("seed", seeds(12, 40))
def test_places_come_back(seed):
    source = random.Random(seed)
    count, numbers, positions = source.choice([0, 1, 2, 300]), source.choice([0, 3, 900, 0x7FFFFFFF]), 1 << seed % 33
    pairs = ((source.randint(0, numbers), source.randrange(positions)) for _ in range(count))
    places = blob(sorted({(number << 32) | position for number, position in pairs}))
    assert sqlite_packing.unpack_places(sqlite_packing.pack_places(places)) == places


@pytest.mark.parametrize("packed", ["00", "000081", "8180808080808000", "888080808000", "009080808000"])
def test_other_bytes_are_refused(packed):
    with pytest.raises(ValueError, match="number"):
        sqlite_packing.unpack_places(bytes.fromhex(packed))


def test_texts_come_back():
    for text in ("", "rule\0", "运费" * 1000):
        assert sqlite_packing.unpack_text(sqlite_packing.pack_text(text)) == text
    with pytest.raises(ValueError, match="Error -3"):
        sqlite_packing.unpack_text(b"no text")

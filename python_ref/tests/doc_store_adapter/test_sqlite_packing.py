"""Places and texts are unpacked unchanged; bytes in another format are refused."""

import random
import struct

import numpy as np
import pytest

from hybrid_search.doc_store_adapter.sqlite import sqlite_packing
from python_ref.tests.rounds import seeds

PLACES = [0, 5, (3 << 32) + 200, (3 << 32) + 70_000, (3 << 32) + 0xFFFFFFFF, 0x7FFFFFFF << 32]
EXPECTED = "000000050381480084a128008ffffbdd0f87ffffff7c00"


def blob(places):
    return struct.pack(f"<{len(places)}q", *places)


def test_places_are_packed_alike_in_both_languages():
    packed = sqlite_packing.pack_places(blob(PLACES))
    assert packed.hex() == EXPECTED
    assert sqlite_packing.count_places(packed) == len(PLACES)
    assert sqlite_packing.unpack_places([packed]) == blob(PLACES)


@pytest.mark.parametrize("seed", seeds(12, 40))
def test_places_are_unpacked_unchanged(seed):
    source = random.Random(seed)
    blobs = []
    for _ in range(source.choice([0, 1, 3])):
        count, numbers = source.choice([0, 1, 2, 300]), source.choice([0, 3, 900, 0x7FFFFFFF])
        pairs = ((source.randint(0, numbers), source.randrange(1 << seed % 33)) for _ in range(count))
        blobs.append(blob(sorted({(number << 32) | position for number, position in pairs})))
    assert sqlite_packing.unpack_places([sqlite_packing.pack_places(places) for places in blobs]) == b"".join(blobs)


@pytest.mark.parametrize("seed", seeds(12, 40))
def test_appended_places_are_packed_as_if_all_had_been_packed_at_once(seed):
    source = random.Random(seed)
    whole, cuts = [], []
    for _ in range(source.choice([1, 2, 40])):
        numbers = sorted(source.sample(range(900), source.choice([0, 1, 2, 30])))
        whole.append([(number << 32) | place for number in numbers for place in sorted({0, source.randrange(70_000)})])
        cuts.append(source.choice([0, numbers[len(numbers) // 2] if numbers else 0]))
    parts = [
        ([one for one in places if one >> 32 < cut], [one for one in places if one >> 32 >= cut])
        for places, cut in zip(whole, cuts, strict=True)
    ]
    first = [sqlite_packing.pack_places(blob(known)) for known, _ in parts]
    lasts, counts = sqlite_packing.last_numbers(first)
    assert lasts.tolist() == [known[-1] >> 32 if known else sqlite_packing.NOWHERE for known, _ in parts]
    assert counts.tolist() == [len(known) for known, _ in parts]
    sizes = np.array([len(added) for _, added in parts])
    places = np.array([place for _, added in parts for place in added], dtype=np.int64)
    rest = sqlite_packing.packed_after(lasts, sizes, places)
    packed = [sqlite_packing.pack_places(blob(places)) for places in whole]
    assert [one + other for one, other in zip(first, rest, strict=True)] == packed


@pytest.mark.parametrize("rows", [["00"], ["000081"], ["00", "00"], ["0081", "0000"], ["0000", "888080808000"]])
def test_rows_that_are_not_places_have_no_last_document(rows):
    with pytest.raises(ValueError, match="number"):
        sqlite_packing.last_numbers([bytes.fromhex(row) for row in rows])


OTHERS = [["00"], ["000081"], ["8180808080808000"], ["888080808000"], ["009080808000"], ["00", "00"], ["0081", "0000"]]


@pytest.mark.parametrize("packed", OTHERS)
def test_bytes_in_another_format_are_refused(packed):
    with pytest.raises(ValueError, match="number"):
        sqlite_packing.unpack_places([bytes.fromhex(row) for row in packed])


def test_texts_are_unpacked_unchanged():
    for text in ("", "rule\0", "运费" * 1000):
        assert sqlite_packing.unpack_text(sqlite_packing.pack_text(text)) == text
    with pytest.raises(ValueError, match="Error -3"):
        sqlite_packing.unpack_text(b"no text")

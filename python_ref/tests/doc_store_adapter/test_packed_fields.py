"""Fields with packed vectors are read like a dictionary with lists of numbers."""

import struct

import pytest

from hybrid_search.doc_store_adapter.documents.packed_fields import PackedFields, PackedVector

FIELDS = {"content_ltks": "solar", "pagerank_fea": 3}
SHORT = PackedVector.of(struct.pack("<2f", 0.5, -0.0), 2)
LONG = PackedVector.of(struct.pack("<3d", 0.1, 1e300, 5e-324), 3)
PACKED = PackedFields(FIELDS, {"q_2_vec": SHORT, "q_3_vec": LONG})
PLAIN = {**FIELDS, "q_2_vec": [0.5, -0.0], "q_3_vec": [0.1, 1e300, 5e-324]}


def test_packed_fields_behave_like_a_dictionary() -> None:
    assert dict(PACKED) == PLAIN == PACKED
    assert list(PACKED) == list(PLAIN)
    assert len(PACKED) == len(PLAIN)
    assert [PACKED.get(name, 7) for name in (*PLAIN, "none")] == [*PLAIN.values(), 7]
    assert "q_3_vec" in PACKED
    assert "q_4_vec" not in PACKED
    with pytest.raises(KeyError):
        PACKED["q_4_vec"]


def test_fields_are_selected_by_their_names() -> None:
    assert PACKED.only({"q_2_vec", "pagerank_fea", "none"}) == {"q_2_vec": [0.5, -0.0], "pagerank_fea": 3}
    assert PACKED.only({"q_3_vec", *FIELDS}) == {**FIELDS, "q_3_vec": PLAIN["q_3_vec"]}
    assert PACKED.only({*PLAIN, "none"}) == PLAIN


@pytest.mark.parametrize("size", [0, 7, 12, 17])
def test_bytes_of_another_dimension_are_not_a_vector(size: int) -> None:
    with pytest.raises(ValueError, match=str(size)):
        PackedVector.of(b"x" * size, 2)

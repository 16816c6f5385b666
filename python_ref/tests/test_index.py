import pytest

from hybrid_search import Index, InvalidInputError


def test_a_record_is_named_by_its_place_in_a_stream():
    records = ({"id": f"{place}"} if place == 499 else {"id": f"{place}", "content": "x"} for place in range(600))
    index = Index()
    with pytest.raises(InvalidInputError, match=r"^records\[499\] has no content$"):
        index.add(records)
    assert index.count() == 256
    with pytest.raises(InvalidInputError, match=r'^records\[1\]\.id "7" is already stored; use update or upsert$'):
        index.add(iter([{"id": "600", "content": "x"}, {"id": "7", "content": "x"}]), batch_size=1)

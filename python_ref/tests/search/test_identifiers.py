"""Ids have a limit, and every id and value within the limits makes a cursor that is accepted (DOC-1, CUR-3)."""

import pytest

from hybrid_search import Index, InvalidInputError, MemoryDocStore, SqliteDocStore

LONGEST = 512
CHARACTERS = ["a", "\x01", "é", "龘", "𝄞", "\U0010ffff"]


@pytest.mark.parametrize("key", ["id", "doc_id", "kb_id"])
@pytest.mark.parametrize("method", ["add", "upsert"])
def test_records_have_short_ids(key, method):
    index = Index()
    assert getattr(index, method)([{"id": "1", "content": "red", key: "𝄞" * LONGEST}]) == 1
    with pytest.raises(InvalidInputError) as caught:
        getattr(index, method)([{"id": "2", "content": "red", key: "𝄞" * (LONGEST + 1)}])
    assert str(caught.value) == f"records[0].{key} must have at most 512 characters, not 513"


@pytest.mark.parametrize("key", ["id", "doc_id", "kb_id"])
@pytest.mark.parametrize("method", ["insert", "upsert"])
@pytest.mark.parametrize("kind", ["memory", "file"])
def test_documents_have_short_ids(key, method, kind, tmp_path):
    store = MemoryDocStore() if kind == "memory" else SqliteDocStore(tmp_path / "a.hsx")
    assert getattr(store, method)([{"id": "1", key: "𝄞" * LONGEST}]) == 1
    with pytest.raises(InvalidInputError) as caught:
        getattr(store, method)([{"id": "2", key: "𝄞" * (LONGEST + 1)}])
    assert str(caught.value) == f"documents[0].{key} must have at most 512 characters, not 513"
    assert store.get("x" * 200_000) is None
    assert store.delete(["x" * 200_000]) == 0


@pytest.mark.parametrize("character", CHARACTERS)
@pytest.mark.parametrize("secret", [None, "secret"])
def test_cursors_with_the_longest_ids_and_values_are_accepted(character, secret):
    index = Index(cursor_secret=secret)
    names = [f"n{number}" for number in range(16)]
    ids = [character * (LONGEST - 1) + end for end in "abc"]
    index.add({"id": each, "content": "red", "metadata": dict.fromkeys(names, character * 1024)} for each in ids)
    asked = {"limit": 1, "order_by": [[f"metadata.{name}", "asc"] for name in names]}
    for question in ({"question": "red"}, {"match_all": True}):
        shown, cursor = [], None
        while not shown or cursor is not None:
            page = index.search(**question, **asked, cursor=cursor)
            shown += [hit.id for hit in page]
            cursor = page.next_cursor
        assert shown == ids

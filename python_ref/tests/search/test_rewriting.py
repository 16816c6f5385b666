"""The longest result of a rewrite, and one character more (RWR-1)."""

from hybrid_search import Index
from hybrid_search.search.rewriting import LONGEST

FRAME = len('{"question":"red "}')


def test_the_longest_rewrite_is_searched_on_all_pages_and_a_longer_one_is_a_warning():
    index = Index(embedding=None)
    index.add([{"id": str(number), "content": "red wine"} for number in range(3)])

    def asked(length, cursor=None):
        return index.search("x", limit=2, cursor=cursor, rewrite=lambda _: f"red {'𝄞' * (length - FRAME)}")

    first = asked(LONGEST)
    assert (first.total, first.warnings) == (3, ())
    assert len(asked(LONGEST, first.next_cursor)) == 1
    longer = asked(LONGEST + 1)
    assert longer.total == 0
    assert longer.warnings[0].endswith("as JSON at most 16384 characters")

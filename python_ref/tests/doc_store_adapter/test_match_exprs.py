"""Fields that a program passes as tuples, of the usual types or of others."""

import pytest

from hybrid_search import InvalidInputError, MemoryDocStore
from hybrid_search.query_builder.expressions import MatchBm25fExpr

PAIR = r"fields\[0\] must be a \(field, weight\) pair"


def ranked(fields):
    store = MemoryDocStore()
    store.insert([{"id": "a", "content_ltks": "rule"}])
    return [identifier for identifier, _ in store.rank([MatchBm25fExpr(fields, ("rule",), 3)])]


@pytest.mark.parametrize("pair", [("content_ltks", 2.0), ["content_ltks", 2.0], ("content_ltks", 2)])
def test_pairs_of_a_field_and_a_weight_are_accepted(pair):
    assert ranked([pair]) == ["a"]


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (("content_ltks",), PAIR),
        (("content_ltks", 1.0, 2.0), PAIR),
        ((b"content_ltks", 1.0), r"fields\[0\]\[0\] must be a text"),
        (("\udc80_ltks", 1.0), r"fields\[0\]\[0\] is not valid UTF-8"),
        (("content_ltks", 1.1e100), r"fields\[0\]\[1\] must be a finite number from 0 to 1e\+100"),
        (("content_ltks", float("inf")), r"fields\[0\]\[1\] must be"),
    ],
)
def test_other_pairs_are_refused(pair, message):
    with pytest.raises(InvalidInputError, match=message):
        ranked([pair])

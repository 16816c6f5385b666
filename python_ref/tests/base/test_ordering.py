from hypothesis import given
from hypothesis import strategies as st

from hybrid_search.base import ordering

scores = st.sampled_from([0.0, -0.0, 0.5, 0.5000000000000001, -1.0])


@given(st.dictionaries(st.text(max_size=3), scores, max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter(table, source):
    pairs = list(table.items())
    expected = ordering.rank(pairs)
    source.shuffle(pairs)
    assert ordering.rank(pairs) == expected
    identifiers = [identifier for identifier, _ in pairs]
    indexes = ordering.rank_indexes(identifiers, [score for _, score in pairs])
    assert [pairs[index] for index in indexes] == expected


def test_ids_are_compared_by_code_points_and_zeros_are_equal():
    assert ordering.rank([("😀", 0.0), ("\uff41", -0.0), ("a", 0.0)]) == [("a", 0.0), ("\uff41", -0.0), ("😀", 0.0)]


def test_tiers_come_first():
    rows = [(1, 9.0, 9.0, "a"), (0, 0.1, 0.5, "c"), (0, 0.1, 0.5, "b"), (0, 0.1, 0.6, "d")]
    assert [row[3] for row in sorted(rows, key=lambda row: ordering.tiered_key(*row))] == ["d", "b", "c", "a"]

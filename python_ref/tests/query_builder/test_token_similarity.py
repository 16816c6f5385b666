import pytest

from hybrid_search.query_builder.term_weight import TermWeight
from hybrid_search.query_builder.token_similarity import TokenSimilarity


@pytest.fixture(scope="module")
def similarity() -> TokenSimilarity:
    return TokenSimilarity(TermWeight())


def test_keys_are_built_from_query_tokens(similarity: TokenSimilarity) -> None:
    weights = dict(similarity.term_weight.weights(["机器", "学习"], preprocess=False))
    assert similarity.query_keys(["机器", "学习"]).keys == (
        ("机器", 0.4 * weights["机器"]),
        ("机器学习", 0.6 * max(weights.values())),
        ("学习", 0.4 * weights["学习"]),
    )


def test_the_similarity_is_1_without_query_tokens(similarity: TokenSimilarity) -> None:
    assert similarity.token_similarity([], [["a"], []]) == [1.0, 1.0]

import random
from itertools import pairwise

import pytest

from hybrid_search.query_builder.term_weight import TermWeight
from hybrid_search.query_builder.token_similarity import QueryKeys, TokenSimilarity


def simple_similarity(keys: QueryKeys, tokens: list[str]) -> float:
    """The clause as it is written: the document's keys, then two sums (QRY-9)."""
    present = set(tokens) | {left + right for left, right in pairwise(tokens)}
    score = total = 1e-9
    for key, weight in keys.keys:
        if key in present:
            score = score + weight
        total = total + weight
    return score / total


@pytest.fixture(scope="module")
def similarity() -> TokenSimilarity:
    return TokenSimilarity(TermWeight())


def test_keys(similarity: TokenSimilarity) -> None:
    weights = dict(similarity.term_weight.weights(["机器", "学习"], preprocess=False))
    assert similarity.query_keys(["机器", "学习"]).keys == (
        ("机器", 0.4 * weights["机器"]),
        ("机器学习", 0.6 * max(weights.values())),
        ("学习", 0.4 * weights["学习"]),
    )


def test_as_the_clause_is_written(similarity: TokenSimilarity) -> None:
    random_source = random.Random(9)
    pieces = ["a", "b", "ab", "ba", "aab", "机", "器", "机器", "", "c" * 33, "c" * 40, "c" * 73]
    for _ in range(300):
        query = random_source.choices(pieces, k=random_source.randint(0, 6))
        documents = [random_source.choices(pieces, k=random_source.randint(0, 9)) for _ in range(5)]
        keys = similarity.query_keys(query)
        expected = [simple_similarity(keys, tokens) for tokens in documents]
        assert similarity.token_similarity(query, documents) == expected
        assert [keys.similarity(tokens) for tokens in documents] == expected


def test_no_query_tokens(similarity: TokenSimilarity) -> None:
    assert similarity.token_similarity([], [["a"], []]) == [1.0, 1.0]

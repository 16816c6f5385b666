"""The fast paths of the reranker against the plain ones."""

import random
from itertools import pairwise

import numpy as np
import pytest

from hybrid_search import numeric
from hybrid_search.doc_store_adapter.prepared import PreparedDocument, TokenPattern, Vocabulary
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.doc_store_adapter.stored_fields import StoredFields
from hybrid_search.generate.operations.reranker import GivenKeywords
from hybrid_search.reranker.reranker import Reranker
from hybrid_search.reranker.vector_similarity import VectorSimilarity

WORDS = ["a", "b", "ab", "ba", "aba", "规", "规则", "则引", "引擎", "x", "", "𠀀", "aa", "a\u0301"]


def documents(draw, count, dimension):
    def tokens(most):
        return " ".join(word for word in draw.choices(WORDS, k=draw.randrange(most)) if word)

    made = {}
    for number in range(count):
        fields = {
            "content_ltks": tokens(12),
            "title_tks": tokens(4),
            "important_kwd": draw.choice([draw.choices(WORDS, k=draw.randrange(3)), "a b", ""]),
            "question_tks": tokens(4),
        }
        if draw.random() < 0.9:
            fields[f"q_{dimension}_vec"] = [draw.choice([0.0, draw.gauss(0, 1)]) for _ in range(dimension)]
        made[f"d{number}"] = fields
    return made


def result(fields, query_vector, prepared):
    return SearchResult(len(fields), list(fields), fields, query_vector=query_vector, prepared=prepared)


@pytest.mark.parametrize("seed", range(40))
def test_prepared_documents_give_the_same_outcome(seed):
    draw = random.Random(seed)
    fields = documents(draw, 30, 5)
    vocabulary = Vocabulary()
    prepared = {
        name: PreparedDocument.prepare(vocabulary, given, given.get("q_5_vec"))
        for name, given in fields.items()
        if draw.random() < 0.8
    }
    query_vector = [draw.gauss(0, 1) for _ in range(5)]
    reranker = Reranker(GivenKeywords(draw.choices(WORDS, k=draw.randrange(7))))
    plain = reranker.rerank_by_hybrid(result(fields, query_vector, {}), "q")
    assert reranker.rerank_by_hybrid(result(fields, query_vector, prepared), "q") == plain


def test_several_vocabularies_in_one_result():
    fields = documents(random.Random(1), 12, 3)
    prepared = {name: PreparedDocument.prepare(Vocabulary(), given, None) for name, given in fields.items()}
    reranker = Reranker(GivenKeywords(["a", "b", "规"]))
    assert reranker.rerank_by_hybrid(result(fields, None, prepared), "q") == reranker.rerank_by_hybrid(
        result(fields, None, {}), "q"
    )


def test_two_copies_have_all_the_neighbours_of_more_copies():
    """`StoredFields.hybrid_tokens` against the clause's own list."""
    draw = random.Random(3)
    for fields in documents(draw, 200, 2).values():
        reader = StoredFields()
        content = list(dict.fromkeys(reader.tokens("d", fields, "content_ltks")))
        title = reader.tokens("d", fields, "title_tks")
        important = reader.keywords("d", fields, "important_kwd")
        question = reader.tokens("d", fields, "question_tks")
        clause = content + title * 2 + important * 5 + question * 6
        keywords = draw.choices(WORDS, k=6)
        similarity = GivenKeywords(keywords).token_similarity
        ours = StoredFields.hybrid_tokens("d", fields, reader)
        assert similarity(keywords, [clause]) == similarity(keywords, [ours])


def test_cosines_are_those_of_one_by_one():
    draw = random.Random(5)
    for dimension in (1, 2, 3, 17, 384):
        fields = documents(draw, 20, dimension)
        query = [draw.gauss(0, 1) for _ in range(dimension)]
        zero = [0.0] * dimension
        expected = [numeric.cosine(query, given.get(f"q_{dimension}_vec", zero)) for given in fields.values()]
        assert VectorSimilarity.similarities(result(fields, query, {}), query, StoredFields()) == expected


def test_numpy_rows_are_vectors():
    fields = {"a": {"q_2_vec": np.array([1.0, 2.0], dtype=np.float32)}}
    assert VectorSimilarity.similarities(result(fields, [1.0, 2.0], {}), [1.0, 2.0], StoredFields()) == [
        numeric.cosine([1.0, 2.0], [1.0, 2.0])
    ]


def test_patterns_are_found_at_whole_tokens_only():
    vocabulary = Vocabulary()
    vocabulary.numbers([str(number) for number in range(70_000)])
    for trial in range(300):
        draw = random.Random(trial)
        numbers = draw.choices(["0", "1", "256", "257", "65536", "65537"], k=draw.randrange(12))
        prepared = PreparedDocument.prepare(vocabulary, {"important_kwd": numbers}, None)
        for first in ("0", "1", "256", "65536", "69999"):
            assert prepared.holds(vocabulary.token(first)) == (first in numbers)
            for second in ("0", "257", "65537"):
                pair = TokenPattern(int(first), int(second))
                assert pair in vocabulary.pairs(first + second)
                assert prepared.holds(pair) == ((first, second) in pairwise(numbers * 2))
    assert vocabulary.token("never met") is None

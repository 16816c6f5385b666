"""The fast paths of the reranker against the plain ones."""

import random
from itertools import pairwise

import numpy as np
import pytest

from conformance.implementations.python.operations.reranker import GivenKeywords
from hybrid_search import numeric
from hybrid_search.doc_store_adapter.prepared import PreparedDocument, Vocabulary
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.doc_store_adapter.stored_fields import StoredFields
from hybrid_search.errors import InvalidInputError
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.reranker.prepared_keys import PreparedKeys
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
    keywords = draw.choices([*WORDS, "规则" * 40, "a" * 70], k=draw.randrange(7))
    reranker = Reranker(GivenKeywords(keywords))
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


def test_keys_are_tokens_or_two_neighbours():
    vocabulary = Vocabulary()
    vocabulary.numbers([str(number) for number in range(70_000)])
    keys = ["0", "1", "257", "65536", "69999", "0257", "65536257", "never met", "1" * 65]
    draw = random.Random(1)
    lists = [draw.choices(["0", "1", "256", "257", "65536", "65537"], k=draw.randrange(12)) for _ in range(300)]
    documents = [PreparedDocument.prepare(vocabulary, {"important_kwd": tokens}, None) for tokens in lists]
    prepared_keys = PreparedKeys(keys, vocabulary)
    assert prepared_keys.usable
    for tokens, found in zip(lists, prepared_keys.found(documents), strict=True):
        there = {*tokens, *(left + right for left, right in pairwise(tokens * 2))}
        assert [found >> place & 1 for place in range(len(keys))] == [key in there for key in keys]
    assert prepared_keys.found([]) == []


def test_long_keys_that_may_be_two_tokens_are_looked_for_in_the_fields():
    vocabulary = Vocabulary()
    vocabulary.numbers(["a" * 40])
    assert not PreparedKeys(["a" * 80], vocabulary).usable
    assert PreparedKeys(["a" * 81], vocabulary).usable


class OwnKeywords(QueryBuilder):
    def build_text_query(self, question, min_match=0.3, **unknown):
        return None, ["学习"]


class OwnSimilarity(QueryBuilder):
    def token_similarity(self, query_tokens, docs_tokens):
        return [float(len(tokens)) for tokens in docs_tokens]


def test_a_query_builder_that_redefines_a_method_is_asked_by_it():
    fields = {"a": {"content_ltks": "学习 机器"}, "b": {"content_ltks": "机器"}}
    vocabulary = Vocabulary()
    prepared = {name: PreparedDocument.prepare(vocabulary, given, None) for name, given in fields.items()}
    for given in ({}, prepared):
        found = result(fields, None, given)
        assert Reranker(OwnKeywords()).rerank_by_hybrid(found, "机器").term_similarity[0] == 1.0
        assert Reranker(OwnSimilarity()).rerank_by_hybrid(found, "机器").term_similarity == (2.0, 1.0)
        builder = QueryBuilder()
        builder.build_text_query = lambda question: (None, ["学习"])
        assert Reranker(builder).rerank_by_hybrid(found, "机器").term_similarity[0] == 1.0


def test_keywords_that_are_known_are_not_asked_for():
    found = result({"a": {"content_ltks": "学习"}}, None, {})
    outcome = Reranker(QueryBuilder()).rerank_by_hybrid(found, "机器", keywords=["学习"])
    assert outcome.term_similarity == (1.0,)
    with pytest.raises(InvalidInputError, match="keywords must be a list of texts"):
        Reranker(QueryBuilder()).rerank_by_hybrid(found, "机器", keywords="学习")

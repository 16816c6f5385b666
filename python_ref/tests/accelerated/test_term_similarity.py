"""The keys of a question found in prepared documents and in tokens are those of the clause (RNK-1, QRY-9)."""

import random
from itertools import pairwise

import pytest

from conformance.implementations.python.operations.reranker import GivenKeywords
from hybrid_search.accelerated.key_table import KeyTable, shares
from hybrid_search.accelerated.prepared import PreparedDocument, Vocabulary
from hybrid_search.accelerated.prepared_keys import PreparedKeys
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.errors import InvalidInputError
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.reranker.reranker import Reranker
from python_ref.tests.rounds import seeds

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


@pytest.mark.parametrize("seed", seeds(12, 40))
def test_prepared_documents_lead_to_the_same_outcome(seed):
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
    plain, fast = (Reranker(GivenKeywords(keywords), kernels) for kernels in ("plain", "fast"))
    expected = plain.rerank_by_hybrid(result(fields, query_vector, {}), "q")
    for reranker in (plain, fast):
        assert reranker.rerank_by_hybrid(result(fields, query_vector, prepared), "q") == expected
    assert fast.rerank_by_hybrid(result(fields, query_vector, {}), "q") == expected


def test_one_result_may_mix_several_vocabularies():
    fields = documents(random.Random(1), 12, 3)
    prepared = {name: PreparedDocument.prepare(Vocabulary(), given, None) for name, given in fields.items()}
    fast, plain = (Reranker(GivenKeywords(["a", "b", "规"]), kernels) for kernels in ("fast", "plain"))
    assert fast.rerank_by_hybrid(result(fields, None, prepared), "q") == plain.rerank_by_hybrid(
        result(fields, None, {}), "q"
    )


def test_keys_are_single_tokens_or_two_adjacent_tokens():
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


def test_long_keys_that_may_be_two_tokens_are_searched_in_the_fields():
    vocabulary = Vocabulary()
    vocabulary.numbers(["a" * 40])
    assert not PreparedKeys(["a" * 80], vocabulary).usable
    assert PreparedKeys(["a" * 81], vocabulary).usable


class OwnKeywords(QueryBuilder):
    keywords = None

    def build_text_query(self, question, min_match=0.3, **unknown):
        return None, ["学习"]


class OwnSimilarity(QueryBuilder):
    query_keys = None

    def token_similarity(self, query_tokens, docs_tokens):
        return [float(len(tokens)) for tokens in docs_tokens]


def test_a_query_builder_that_overrides_a_method_and_removes_its_twin_is_called_by_it():
    fields = {"a": {"content_ltks": "学习 机器"}, "b": {"content_ltks": "机器"}}
    vocabulary = Vocabulary()
    prepared = {name: PreparedDocument.prepare(vocabulary, given, None) for name, given in fields.items()}
    for given in ({}, prepared):
        found = result(fields, None, given)
        assert Reranker(OwnKeywords()).rerank_by_hybrid(found, "机器").term_similarity[0] == 1.0
        assert Reranker(OwnSimilarity()).rerank_by_hybrid(found, "机器").term_similarity == (2.0, 1.0)


def test_known_keywords_are_not_computed_again():
    found = result({"a": {"content_ltks": "学习"}}, None, {})
    outcome = Reranker(QueryBuilder()).rerank_by_hybrid(found, "机器", keywords=["学习"])
    assert outcome.term_similarity == (1.0,)
    with pytest.raises(InvalidInputError, match="keywords must be a list of texts"):
        Reranker(QueryBuilder()).rerank_by_hybrid(found, "机器", keywords="学习")


def test_the_table_of_keys_finds_the_keys_that_the_clause_requires():
    draw = random.Random(9)
    pieces = ["a", "b", "ab", "ba", "aab", "机", "器", "机器", "", "c" * 33, "c" * 40, "c" * 73]
    for _ in range(300):
        query_keys = GivenKeywords([]).query_keys(draw.choices(pieces, k=draw.randint(0, 6)))
        documents = [draw.choices(pieces, k=draw.randint(0, 9)) for _ in range(5)]
        table = KeyTable([key for key, _ in query_keys.keys])
        found = shares(query_keys, [table.found(tokens) for tokens in documents])
        assert found == [query_keys.similarity(tokens) for tokens in documents]

import pytest

from hybrid_search.errors import InvalidInputError
from hybrid_search.query_builder import render
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.query_builder.synonyms import Synonyms
from hybrid_search.query_builder.term_weight import TermWeight
from hybrid_search.query_builder.tree import AnyOf, Boost, Term
from hybrid_search.text.tokenizer import Tokenizer


@pytest.fixture(scope="module")
def builder() -> QueryBuilder:
    return QueryBuilder()


def test_spaces_are_inserted_between_scripts(builder: QueryBuilder) -> None:
    assert builder.prepare("iPhone15多少") == "iphone15 多少"
    assert builder.prepare("100元 ＡＢＣ中文") == "100元 abc中文"


def test_an_english_question_becomes_weighted_terms(builder: QueryBuilder) -> None:
    expression, keywords = builder.build_text_query("how does machine learning work in the cloud")
    assert expression is not None
    assert keywords == ["machin", "learn", "work", "cloud"]
    assert render.lucene(expression.tree).startswith("(machin^0.")
    assert render.lucene(expression.tree).count(" )") == 4
    assert "minimum_should_match" not in expression.extra_options


def test_a_chinese_question_becomes_boosted_groups(builder: QueryBuilder) -> None:
    expression, keywords = builder.build_text_query("手机价格是多少", min_match=0.5)
    assert expression is not None
    assert keywords == ["手机价格", "手机", "价格"]
    assert dict(expression.extra_options) == {"original_query": "手机价格是多少", "minimum_should_match": 0.5}
    assert render.lucene(expression.tree).endswith(' ("手机 价格"~2)^1.5)')


def test_punctuation_alone_builds_no_query(builder: QueryBuilder) -> None:
    assert builder.build_text_query(" ?! \0") == (None, [])


def test_the_original_text_is_rendered_with_its_blanks(builder: QueryBuilder) -> None:
    expression, _ = builder.build_text_query("你 我")
    assert expression is not None
    assert expression.tree == AnyOf((Term("你", escape=False), Term("我", escape=False)))


def test_synonyms_of_a_piece_boost_it_by_an_integer() -> None:
    expression, keywords = QueryBuilder(synonyms=Synonyms({"手机": ["移动电话"]})).build_text_query("手机")
    assert expression is not None
    assert render.lucene(expression.tree) == '((((手机 OR ("移动 电话")^0.2))^1.0)^5 OR ("移动电话")^0.7)'
    assert keywords == ["手机", "移动电话", "手机", "移动电话"]


def test_the_tokenizer_of_the_term_weight_is_used() -> None:
    weigher = TermWeight(Tokenizer(stemming=False))
    _, keywords = QueryBuilder(term_weight=weigher).build_text_query("machine learning")
    assert keywords == ["machine learning", "learning", "machine"]


def test_a_paragraph_becomes_a_query(builder: QueryBuilder) -> None:
    expression = builder.paragraph(["手机"], [' "a" b '], limit=1)
    assert render.lucene(expression.tree) == '"a b" 手机^1.0'
    assert isinstance(expression.tree, AnyOf)
    assert isinstance(expression.tree.children[1], Boost)
    assert expression.extra_options["minimum_should_match"] == 0


def test_a_question_has_at_most_65536_characters_by_default(builder: QueryBuilder) -> None:
    longest = "😀" * 65_536
    assert builder.keywords(longest) == []
    for ask in (builder.keywords, builder.build_text_query, builder.prepare, builder.accept_question):
        with pytest.raises(InvalidInputError, match=r"^question must have at most 65536 characters, not 65537$"):
            ask(longest + "a")
    assert len(QueryBuilder(max_question_length=None).accept_question(longest + "a")) == 65_537


@pytest.mark.parametrize("synonyms", [None, {"研究": ["调研", "探索 a"], "cloud": ["sky's", "a/b"], "learn": "study"}])
def test_keywords_equal_those_of_the_text_query(synonyms: dict[str, object] | None) -> None:
    builder = QueryBuilder(synonyms=Synonyms(synonyms))
    questions = [
        "how does machine learning work in the cloud", "手机价格是多少", "研究 设计 " * 40, "是谁", "the ", " ?! ", "²",
        "什么是 iPhone15 的 cloud", "", "İ ſ", "the the what is the research of the clouds",
    ]  # fmt: skip
    for question in questions:
        assert builder.keywords(question) == builder.build_text_query(question)[1]

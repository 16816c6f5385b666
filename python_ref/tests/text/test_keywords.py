import copy
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybrid_search.errors import ConfigurationError, InvalidInputError
from hybrid_search.text import stop_words
from hybrid_search.text.dictionary_table import DictionaryTable
from hybrid_search.text.identifiers import Identifiers
from hybrid_search.text.idf_table import IdfTable
from hybrid_search.text.keyword_extractor import KeywordExtractor
from hybrid_search.text.keyword_tokenizer import KeywordTokenizer
from hybrid_search.text.whole_words import WholeWords
from python_ref.tests.rounds import examples

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import jieba.analyse

QUERY = "MisraC++ 2008 Rule 6-2-1 这个规则 怎么修改"
ROW = (
    "规则编号 规则标题 规则描述 修改建议 6-2-1 Assignment operators should not be used in sub-expressions "
    "赋值运算符不应在子表达式中使用 将赋值操作移到独立语句中"
)
ALPHABET = "aB1é9C-_./&@+#:%, \u2013的规则修改Ж\u0301👍\0\u3000Ａ"


@pytest.fixture(scope="module")
def extractor():
    return KeywordExtractor()


def test_the_keywords_of_the_first_example_are_found(extractor):
    found = extractor.extract(QUERY)
    assert set(found.words) == {"MisraC++", "2008", "Rule", "6-2-1", "规则", "修改"}
    assert set(found.parts) == {"MisraC", "Misra", "C", "6", "2", "1"}
    assert found.terms == found.words + found.parts


def test_the_keywords_of_the_second_example_are_found(extractor):
    wanted = {
        "6-2-1",
        "Assignment",
        "operators",
        "sub",
        "expressions",
        "赋值",
        "运算符",
        "表达式",
        "使用",
        "独立",
        "语句",
    }
    wanted |= {"修改", "建议"}
    assert wanted <= set(extractor.extract(ROW, limit=20).terms)


@pytest.mark.parametrize("text", [QUERY, ROW, "the of is", "", "甲乙\r\n丙丁", "Ｒｕｌｅ zeta alpha zeta 石墨烯"])
def test_without_identifiers_the_words_equal_those_of_jieba(text):
    extractor = KeywordExtractor(identifiers=False, stop_words=stop_words.jieba_words())
    oracle = copy.copy(jieba.analyse.default_tfidf)
    oracle.tokenizer = jieba.Tokenizer()
    table = DictionaryTable.shared()
    oracle.tokenizer.FREQ, oracle.tokenizer.total = table.frequencies, table.total
    oracle.tokenizer.initialized = True
    found = extractor.extract(text, limit=None)
    assert list(zip(found.words, found.weights, strict=True)) == oracle.extract_tags(text, topK=None, withWeight=True)
    assert found.parts == ()


@settings(max_examples=examples(30, 60), deadline=None)
@given(st.text(alphabet=ALPHABET, max_size=40))
def test_pieces_join_to_the_text_and_parts_are_within_their_token(text):
    scanner = Identifiers()
    prepared = scanner.prepare(text)
    assert len(prepared) == len(text)
    pieces = scanner.pieces(prepared)
    assert "".join(piece for piece, _ in pieces) == prepared
    for piece, _ in pieces:
        parts = scanner.parts(piece)
        assert len(parts) == len(set(parts))
        assert all(part in piece and part != piece and part for part in parts)


@settings(max_examples=examples(30, 60), deadline=None)
@given(st.text(alphabet=ALPHABET, max_size=60), st.integers(1, 8))
def test_a_limit_does_not_change_the_first_keywords(extractor, text, limit):
    whole, cut = extractor.extract(text, limit=0), extractor.extract(text, limit=limit)
    assert cut.words == whole.words[:limit]
    assert cut.weights == whole.weights[:limit]
    assert not set(whole.words) & set(whole.parts)


def test_user_words_stay_whole(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("静态分析 3 n\nMISRA-C:2012\n", encoding="utf-8")
    tokenizer = KeywordTokenizer(user_dictionary=path)
    tokenizer.add_word("New York")
    tokens = tokenizer.tokenize("MISRA-C:2012静态分析 in New York")
    assert tokens == ["MISRA-C:2012", "静态分析", "in", "New York"]
    assert tokenizer.parts(tokens[0]) == ["MISRA-C", "2012", "MISRA", "C"]


def test_user_words_are_exempt_from_length_and_stop_words():
    extractor = KeywordExtractor()
    assert extractor.extract("这个C规则").words == ("规则",)
    extractor.add_word("这个")
    extractor.add_word("C")
    assert set(extractor.extract("这个C规则").words) == {"这个", "C", "规则"}
    assert KeywordExtractor().extract("这个C规则").words == ("规则",)


def test_stop_words_can_be_replaced(extractor):
    assert extractor.extract("salt and pepper").words == ("salt", "pepper")
    assert KeywordExtractor(stop_words=["SALT"]).extract("Salt and pepper").words == ("and", "pepper")


def test_whole_words_are_matched_leftmost_and_longest():
    words = WholeWords()
    for word in ("a b", "a b c", "b c d"):
        words.add(word)
    assert words.pieces("xa b c d") == [("x", False), ("a b c", True), (" d", False)]
    words.remove("a b c")
    assert words.pieces("xa b c d") == [("x", False), ("a b", True), (" c d", False)]


def test_the_table_equals_that_of_jieba():
    frequencies, median = jieba.analyse.default_tfidf.idf_loader.get_idf()
    table = IdfTable.shared()
    assert table.median == median
    assert [table.idf(word) for word in frequencies] == list(frequencies.values())
    assert table.idf("no such word") == median


def test_invalid_arguments_are_refused(extractor):
    with pytest.raises(InvalidInputError, match="limit must be an integer of at least 0, not -1"):
        extractor.extract("x", limit=-1)
    with pytest.raises(InvalidInputError, match="unknown option"):
        KeywordExtractor(stopwords=[])
    with pytest.raises(ConfigurationError, match="cannot be read"):
        KeywordExtractor(user_dictionary="no such folder/words.txt")

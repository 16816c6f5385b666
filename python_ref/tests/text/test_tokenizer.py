import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybrid_search.base.characters import character_class
from hybrid_search.errors import InvalidInputError
from hybrid_search.text.segmenter import Segmenter
from hybrid_search.text.tokenizer import Tokenizer
from python_ref.tests.rounds import examples

ALPHABET = "ab zé\u0301Жß1٣.-/ 中华人民共和国的繁體カ한ก😀_\0"


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer()


def test_runs_of_letters_outside_ascii_stay_whole(tokenizer):
    assert tokenizer.tokenize("Café cafe\u0301 naïve2 привет running") == [
        "café",
        "cafe\u0301",
        "naïve2",
        "привет",
        "run",
    ]
    assert tokenizer.tokenize("数据café库") == ["数据", "café", "库"]


def test_stemming_can_be_turned_off():
    assert Tokenizer(stemming=False).tokenize("Running foxes") == ["running", "foxes"]


def test_tokens_are_split_into_fine_grained_parts(tokenizer):
    assert tokenizer.fine_grained("中华人民共和国") == ["中华", "人民共和国"]
    assert tokenizer.fine_grained("2019年") == ["2019年"]
    assert tokenizer.fine_grained("and/or  北京大学 /") == ["and", "or", "北京", "大学", "/"]
    assert tokenizer.fine_grained("") == []


def test_the_tokenizer_states_frequencies_and_tags(tokenizer):
    assert tokenizer.frequency("中国") > 0
    assert tokenizer.tag("中国") == "ns"
    assert (tokenizer.frequency("zzzz"), tokenizer.tag("zzzz")) == (0, "")


@given(st.text(alphabet=ALPHABET, max_size=30))
@settings(max_examples=examples(60, 200), deadline=None)
def test_every_token_contains_a_letter_or_a_number_and_occurs_in_the_text(tokenizer, text):
    letter, number = character_class("LETTER"), character_class("NUMBER")
    normalized = tokenizer.normalize(text)
    for token in Tokenizer(tokenizer._segmenter, stemming=False).tokenize(text):
        assert any(character in letter or character in number for character in token)
        assert token in normalized
    for word in tokenizer.tokenize(text):
        assert "".join(tokenizer.fine_grained(word)).replace("/", "") == word.replace("/", "")


def test_a_segmenter_with_user_words_is_used():
    segmenter = Segmenter()
    segmenter.add_word("区块链技术学")
    assert Tokenizer(segmenter).tokenize("区块链技术学") == ["区块链技术学"]
    assert Tokenizer(segmenter).frequency("区块链技术学") > 0


@pytest.mark.parametrize("method", ["tokenize", "fine_grained", "frequency", "tag", "normalize"])
@pytest.mark.parametrize("value", [None, 5, ["a"], b"a", "\ud800"])
def test_a_value_that_is_not_text_is_refused(tokenizer, method, value):
    with pytest.raises(InvalidInputError):
        getattr(tokenizer, method)(value)


def test_options_are_checked():
    with pytest.raises(InvalidInputError, match='unknown option "stem"'):
        Tokenizer(stem=True)
    with pytest.raises(InvalidInputError, match="stemming must be true or false, not 1"):
        Tokenizer(stemming=1)
    with pytest.raises(InvalidInputError, match="segmenter must be a Segmenter, not a value of the type object"):
        Tokenizer(object())

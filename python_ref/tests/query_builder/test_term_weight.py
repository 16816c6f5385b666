from decimal import ROUND_HALF_EVEN, Decimal
from math import log10

import pytest

from hybrid_search.errors import ConfigurationError, InvalidInputError
from hybrid_search.query_builder.term_weight import LETTER_FREQUENCIES, TermWeight


class WordTokenizer:
    """Tokens between blanks, no dictionary: an example of a custom tokenizer (TXT-9)."""

    def tokenize(self, text: str) -> list[str]:
        return [word for word in text.split(" ") if word]

    def fine_grained(self, token: str) -> list[str]:
        return token.split("_")

    def frequency(self, term: str) -> int:
        return {"known": 4000, "rare": 2}.get(term, 0)

    def tag(self, term: str) -> str:
        return {"known": "ns", "rare": "-x"}.get(term, "")

    def normalize(self, text: str) -> str:
        return text.lower()


@pytest.fixture
def weigher() -> TermWeight:
    return TermWeight(WordTokenizer())


def test_letter_frequencies_follow_the_formula() -> None:
    for steps, frequency in enumerate(LETTER_FREQUENCIES):
        exact = Decimal(300) / (Decimal(2) ** Decimal(steps)).sqrt()
        assert frequency == max(10, int(exact.to_integral_value(ROUND_HALF_EVEN)))


def test_weights_equal_values_computed_by_hand(weigher: TermWeight) -> None:
    frequency = log10(10 + (1e7 - 4000 + 0.5) / (4000 + 0.5))
    document_frequency = log10(10 + (1e9 - 150 + 0.5) / (150 + 0.5))
    known = (0.3 * frequency + 0.7 * document_frequency) * (1.0 * 3.0)
    other = (0.3 * log10(10 + (1e7 - 9.5) / 10.5) + 0.7 * log10(10 + (1e9 - 2.5) / 3.5)) * 1.0
    assert weigher.weights(["known", "9x"], preprocess=False) == [
        ("known", known / (known + other)),
        ("9x", other / (known + other)),
    ]


def test_parts_of_a_long_term_decide_its_frequency(weigher: TermWeight) -> None:
    assert weigher.frequency("known_abcde") == max(10.0, min(4000.0, 150.0) / 6.0)
    assert weigher.frequency("known_a_b") == 10.0
    assert weigher.document_frequency("known_abcde") == max(3.0, min(150.0, 150.0) / 6.0)


def test_weights_sum_to_one(weigher: TermWeight) -> None:
    total = sum(weight for _, weight in weigher.weights(["a b c known rare 2019 x_y"]))
    assert total == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("tokens", "merged"),
    [
        (["多", "工位", "设备"], ["多 工位", "设备"]),
        (["a", "b", "c"], ["a b c"]),
        (["a", "b", "c", "d", "e", "f"], ["a b", "c d e f"]),
        (["我", "a", "b"], ["我", "a b"]),
    ],
)
def test_terms_are_merged_as_the_clause_states(weigher: TermWeight, tokens: list[str], merged: list[str]) -> None:
    assert weigher.merge(tokens) == merged


def test_texts_without_terms_have_no_weights(weigher: TermWeight) -> None:
    assert weigher.weights([]) == []
    assert weigher.weights(["的 我"]) == []


def test_invalid_tables_and_options_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        TermWeight(WordTokenizer(), entities="/nowhere/entities.json")
    with pytest.raises(InvalidInputError, match='did you mean "entities"'):
        TermWeight(WordTokenizer(), entites={})

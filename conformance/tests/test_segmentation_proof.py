"""The reference cuts as jieba itself does: a small share of what `segmentation_proof` compares (TXT-2, TXT-5)."""

import pytest

from conformance.proofs.segmentation_proof import Oracle, RandomStrings, expected
from hybrid_search.text.segmenter import Segmenter


def test_random_strings_are_cut_alike() -> None:
    strings, oracle, segmenter = RandomStrings(1), Oracle(), Segmenter()
    for _ in range(2000):
        expected(oracle, segmenter, strings.string())


def test_random_strings_are_cut_alike_with_user_words() -> None:
    strings = RandomStrings(2)
    for _ in range(20):
        segmenter, words = Segmenter(), strings.user_words()
        for word, frequency in words:
            segmenter.add_word(word, frequency)
        oracle = Oracle(words)
        for _ in range(50):
            expected(oracle, segmenter, strings.string_with(words))


def test_a_difference_is_reported() -> None:
    segmenter = Segmenter()
    segmenter.add_word("网易杭研")
    with pytest.raises(AssertionError, match="does not give jieba's tokens: '他来到了网易杭研大厦'"):
        expected(Oracle(), segmenter, "他来到了网易杭研大厦")

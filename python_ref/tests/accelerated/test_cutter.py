"""Words are found as jieba itself finds them (TXT-2, TXT-5); `bin/conformance segmentation-proof` does more of this."""

import random

from conformance.proofs.segmentation_proof import RandomStrings
from hybrid_search.text.segmenter import Segmenter


def ways(segmenter: Segmenter, text: str) -> list[list[str]]:
    return [segmenter.cut(text), segmenter.cut(text, hmm=False), segmenter.best_route_without_whole(text)]


def test_random_strings_are_cut_alike_with_and_without_user_words() -> None:
    strings = RandomStrings(20261122)
    for _ in range(20):
        plain, fast = Segmenter(kernels="plain"), Segmenter(kernels="fast")
        words = strings.user_words()
        for word, frequency in words:
            plain.add_word(word, frequency)
            fast.add_word(word, frequency)
        for _ in range(40):
            text = strings.string_with(words)
            assert ways(plain, text) == ways(fast, text), text


def test_letters_are_cut_alike_even_if_a_word_may_begin_in_them() -> None:
    draw = random.Random(3)
    plain, fast = Segmenter(kernels="plain"), Segmenter(kernels="fast")
    for words in ((), ("misra", "ra", "ABc", "T恤衫"), ("is",)):
        for segmenter in (plain, fast):
            for word in words:
                segmenter.add_word(word, 50)
            segmenter.add_word("sra", 0)
        for _ in range(2000):
            text = "".join(
                draw.choices(["misra", "is", "a", "B", "AB", "AT", "VISA", "c", "x", "T恤", " ", "规则"], k=6)
            )
            assert fast.cut(text) == plain.cut(text), text


def test_a_forced_split_that_became_a_word_again_is_cut_alike() -> None:
    plain, fast = Segmenter(kernels="plain"), Segmenter(kernels="fast")
    for segmenter in (plain, fast):
        segmenter.add_word("杭研", 0)
        segmenter.add_word("杭研", 1)
    for text in ("他来到了网易杭研大厦", "杭研", "的杭研杭研"):
        assert ways(plain, text) == ways(fast, text)

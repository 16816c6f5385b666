import unicodedata

import pytest

from hybrid_search.base.characters import character_class, split_white, strip
from hybrid_search.errors import InvalidInputError


def test_strip_and_split_know_white_space_beyond_ascii():
    assert strip("\u3000\u00a0 a b\u2028\n") == "a b"
    assert split_white(" a\u3000b\u200bc ") == ["a", "b\u200bc"]
    assert strip("\0\ufeff") == "\0\ufeff"


def test_membership_agrees_with_the_ranges():
    for name in ("WHITE", "LETTER", "MARK", "DIGIT", "NUMBER", "HAN", "KANA", "HANGUL", "ALPHABETIC", "LATIN", "GREEK"):
        found = character_class(name)
        for first, last in found.ranges:
            assert chr(first) in found
            assert chr(last) in found
            assert chr(last + 1) not in found


def test_alphabetic_contains_letters_and_marks_except_segmented_scripts():
    alphabetic = character_class("ALPHABETIC")
    inside = [character in alphabetic for character in "aé\u0301Ж中カ한ㄅก5"]
    assert inside == [True, True, True, True, False, False, False, False, False, False]


def test_digits_equal_those_of_unicode():
    digit = character_class("DIGIT")
    assert all((chr(point) in digit) == (unicodedata.category(chr(point)) == "Nd") for point in range(0x3000))


def test_an_unknown_class_is_refused():
    with pytest.raises(InvalidInputError, match="unknown character class"):
        character_class("VOWEL")

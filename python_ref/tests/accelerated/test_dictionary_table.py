"""The dictionary that is read on demand has the words of the one that is read completely."""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from hybrid_search import Segmenter
from hybrid_search.accelerated import fast_dictionary_table
from hybrid_search.text import dictionary_table as plain


@pytest.fixture
def table():
    return fast_dictionary_table.FastDictionaryTable(plain.content())


@pytest.fixture
def unshared(monkeypatch):
    monkeypatch.setattr(fast_dictionary_table.FastDictionaryTable, "_shared", None)


def firsts():
    return sorted({word[0] for word in plain.DictionaryTable.shared().frequencies})


@pytest.mark.nightly
def test_all_words_tags_and_prefixes_are_found_in_any_order(table):
    whole = plain.DictionaryTable.shared()
    characters = firsts()
    random.Random(1).shuffle(characters)
    for character in characters:
        table.words_in(character)
    assert table.words_in("") == whole.frequencies
    assert {word: table.tag(word) for word in whole.frequencies} == {
        word: whole.tag(word) for word in whole.frequencies
    }
    assert table.total == whole.total


def test_each_character_loads_all_words_that_begin_with_it(table):
    whole: dict[str, dict[str, int]] = {}
    for word, frequency in plain.DictionaryTable.shared().frequencies.items():
        whole.setdefault(word[0], {})[word] = frequency
    for character in [*random.Random(2).sample(firsts(), 300), "一", "龢", "\u9fa5", "龤", "A", "z"]:
        words = table.words_in(character)
        assert {word: words[word] for word in words if word[0] == character} == whole.get(character, {})


def test_characters_that_begin_no_word_are_not_stored(table):
    before = len(table.words_in(""))
    table.words_in("".join(map(chr, (*range(0x80, 0x4E00), *range(0x9FD6, 0xD800), *range(0x10000, 0x12000)))))
    assert len(table.words_in("")) == before
    assert len(table._read) == 128


def test_an_unknown_file_is_read_completely(monkeypatch):
    monkeypatch.setattr(fast_dictionary_table, "DIGEST", "0" * 64)
    whole, table = plain.DictionaryTable.shared(), fast_dictionary_table.FastDictionaryTable(plain.content())
    assert (table.words_in(""), table.total) == (whole.frequencies, whole.total)
    assert table.words_in("".join(firsts())) == whole.frequencies


@pytest.mark.parametrize("count", [16, pytest.param(64, marks=pytest.mark.nightly)])
def test_threads_that_ask_at_once_find_all_words(unshared, count):
    characters = firsts()
    texts = ["".join(random.Random(seed).choices(characters, k=40)) for seed in range(count)]
    expected = [Segmenter(kernels="plain").cut(text) for text in texts]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(Segmenter(kernels="fast").cut, texts)) == expected


def test_user_words_extend_the_whole_table(unshared):
    segmenter = Segmenter(kernels="fast")
    segmenter.cut("混合检索")
    segmenter.add_word("混合检索框架")
    assert segmenter.cut("中华人民共和国的混合检索框架") == ["中华人民共和国", "的", "混合检索框架"]
    assert len(segmenter.dictionary.frequencies) > len(plain.DictionaryTable.shared().frequencies)

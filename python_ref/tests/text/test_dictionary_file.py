"""The gem's dictionary has the contents of jieba's (TXT-3)."""

import re
import struct

from conformance.generators.data_files import RUBY_DATA
from conformance.generators.tables.dictionary import DoubleArray, entries
from hybrid_search.text.dictionary_table import DictionaryTable
from hybrid_search.text.jieba import jieba


def test_the_table_equals_that_of_jieba() -> None:
    frequencies, total = jieba.Tokenizer.gen_pfdict(jieba.get_module_res(jieba.DEFAULT_DICT_NAME))
    table = DictionaryTable.shared()
    assert (table.frequencies, table.total) == (frequencies, total)
    assert [table.tag(word) for word in ("中国", "北京", "的", "没有这个词")] == ["ns", "ns", "uj", ""]


def test_a_small_trie_finds_only_its_words() -> None:
    words = ["中", "中国", "中国人", "国", "国人", "ab", "b"]
    trie = DoubleArray(words)
    slots = {word: trie.find(word) for word in [*words, "a"]}
    assert len(set(slots.values())) == len(slots)
    for missing in ("人", "中人", "abc", "\U0010ffff", "\0", "\0\0"):
        try:
            trie.find(missing)
        except KeyError:
            continue
        raise AssertionError(missing)


def test_the_file_contains_every_word() -> None:
    content = (RUBY_DATA / "dictionary.bin").read_bytes()
    slots, distinct, *sizes, total = struct.unpack_from("<8IQ", content, 8)
    sections = []
    offset = 48
    for size in sizes:
        sections.append(content[offset : offset + size])
        offset += size
    assert offset == len(content)
    base, check, numbers, frequencies = ([*map(ord, part.decode("utf-8", "surrogatepass"))] for part in sections[:4])
    tags, names = sections[4], sections[5].decode("utf-8").split("\n")[:-1]
    assert [*map(len, (base, check, numbers, frequencies, tags))] == [slots, slots, slots, distinct, slots]
    assert total == DictionaryTable.shared().total
    assert all(parent in (0, slots) for parent in check[:0xA000])
    assert base[0] == 0
    expected = {word: (frequency, tag) for word, frequency, tag in entries()}
    found = {}
    for word in expected:
        node = 0
        for character in word:
            slot = base[node] + ord(character)
            assert check[slot] == node, word
            node = slot
        found[word] = (frequencies[numbers[node]], names[tags[node]])
    assert found == expected
    assert sum(1 for number in numbers if number) == len(expected)


def test_no_word_crosses_the_border_of_a_block() -> None:
    for word in DictionaryTable.shared().frequencies:
        assert re.fullmatch(r"[\u4E00-\u9FD5a-zA-Z0-9+#&._%\-]*", word[1:]), word

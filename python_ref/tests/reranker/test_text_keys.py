"""Keys found in texts are those found token by token (QRY-9)."""

import itertools
import random
import sys

import pytest

from hybrid_search.characters import character_class, split_white
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.doc_store_adapter.stored_fields import StoredFields
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.query_builder.token_similarity import KeyTable
from hybrid_search.reranker.packed_tokens import Fingerprints
from hybrid_search.reranker.reranker import Reranker
from hybrid_search.reranker.text_keys import TextKeys

SYLLABLES = ("a", "b", "ab", "ba", "aab", "规", "则", "规则", "é", "abababab", "babababab", "规则规则规则", "a" * 17)


def simple(keys: list[str], content: str, title: str) -> int:
    tokens = list(dict.fromkeys(content.split())) + title.split() * 6
    return KeyTable(keys).found(tokens)


def drawn(source: random.Random, most: int) -> str:
    blanks = (" ", " ", " ", "  ")
    text = "".join(source.choice(SYLLABLES) + source.choice(blanks) for _ in range(source.randrange(most)))
    return source.choice(("", "", " ", "  ")) + text


@pytest.mark.parametrize("seed", range(40))
def test_what_is_decided_is_right(seed: int) -> None:
    source = random.Random(seed)
    tokens = [source.choice(SYLLABLES) for _ in range(source.randrange(1, 12))]
    pairs = [left + right for left, right in itertools.pairwise(tokens)]
    keys = [key for key in dict.fromkeys([*tokens, *pairs, "never", "two words", "\t"]) if len(key) <= 64]
    most = source.choice((3, 12, 60))
    documents = [(drawn(source, most), drawn(source, 5)) for _ in range(source.choice((1, 7, 300)))]
    found = TextKeys(keys).found([one.encode() for one, _ in documents], [other.encode() for _, other in documents])
    for (content, title), bits in zip(documents, found, strict=True):
        assert bits in (None, simple(keys, content, title)), (keys, content, title)


def test_nearly_all_is_decided() -> None:
    source = random.Random(7)
    words = [f"word{number}" for number in range(400)]
    documents = [(" ".join(source.choices(words, k=200)), " ".join(source.choices(words, k=4))) for _ in range(200)]
    keys = [*words[:12], *(left + right for left, right in itertools.pairwise(words[:12]))]
    found = TextKeys(keys).found([one.encode() for one, _ in documents], [other.encode() for _, other in documents])
    assert found.count(None) < 5
    assert any(found)


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("x a a x b", ""),  # without repeats a, b follow one another
        ("a c b", ""),
        ("b a", ""),
        ("x a", "b c"),  # the last new token of the content, then the title
        ("x a x", "b"),
        ("a x", "b"),
        ("x a", " b"),
        (" a", "  b "),
        ("", "a b"),
        ("", "b a"),  # a doubled title has its end before its beginning
        ("", "b"),
        ("a", ""),
        ("", ""),
        ("ab", "x"),
    ],
)
def test_neighbours(content: str, title: str) -> None:
    keys = ["ab", "x"]
    found = TextKeys(keys).found([content.encode()], [title.encode()])[0]
    assert found in (None, simple(keys, content, title))


@pytest.mark.parametrize("control", [*map(chr, range(32)), "\x7f"])
def test_controls(control: str) -> None:
    keys = ["ab", "x\x7fy", "x"]
    contents = [f"a{control}b", f"x{control}y", "a b"]
    found = TextKeys(keys).found([one.encode() for one in contents], [b"", b"", f"x{control}".encode()])
    assert None in found or control == "\x7f"
    assert [bits for bits in found if bits is not None] == [
        simple(keys, content, title)
        for bits, content, title in zip(found, contents, ["", "", f"x{control}"], strict=True)
        if bits is not None
    ]


def test_repeats_between_neighbours_are_looked_at_up_to_a_limit() -> None:
    keys = TextKeys(["ab"])
    assert keys.found([b"x a x b", b"x a y b", b"x y a" + b" x y" * 8 + b" b"], [b""] * 3) == [1, 0, 1]
    assert keys.found([b"x y a" + b" x y" * 9 + b" b", b"x y a" + b" x y" * 9 + b" z b"], [b""] * 2) == [None, 0]
    assert keys.found([b"x a x", b"x a y", b"x y a" + b" x y" * 9], [b"b"] * 3) == [1, 0, None]


def test_adjacent_first_tokens_are_decided() -> None:
    assert TextKeys(["ab", "c"]).found([b"x a b x"], [b""]) == [1]


def test_no_keys_and_no_documents() -> None:
    assert TextKeys([]).found([b"a b"], [b""]) == [0]
    assert TextKeys(["a"]).found([], []) == []
    assert not TextKeys(["a" * 65]).usable


def test_tokens_whose_fingerprints_are_equal_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    init = Fingerprints.__init__

    def weak(self: Fingerprints, *arguments: object) -> None:
        init(self, *arguments)  # type: ignore[arg-type]
        self.numbers = self.numbers & 0xF000000000000000

    monkeypatch.setattr(Fingerprints, "__init__", weak)
    assert not TextKeys([f"key{number}" for number in range(40)]).usable
    keys = TextKeys(["a"])
    assert keys.usable
    contents = [f"{chr(97 + number)} {chr(98 + number)}" for number in range(20)]
    found = keys.found([one.encode() for one in contents], [b""] * 20)
    assert found == [1, *[0] * 19]


def test_white_is_what_python_splits_at_and_nothing_printable_but_blanks() -> None:
    white = character_class("WHITE")
    for point in range(sys.maxunicode + 1):
        character = chr(point)
        is_white = any(start <= point <= end for start, end in white.ranges)
        assert character.isspace() == is_white
        assert not (is_white and character.isprintable() and character != " ")
    assert split_white(" a\u3000b\tc ") == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("fields", "plain"),
    [
        ({"content_ltks": "a b", "title_tks": "c"}, (b"a b", b"c")),
        ({}, (b"", b"")),
        ({"important_kwd": [], "question_tks": ""}, (b"", b"")),
        ({"content_ltks": "a", "important_kwd": ["k"]}, None),
        ({"content_ltks": "a", "question_tks": "q"}, None),
        ({"content_ltks": "a", "important_kwd": 0}, None),
        ({"content_ltks": "a", "important_kwd": ""}, None),  # one keyword, which is empty
        ({"content_ltks": "a\tb"}, (b"a\tb", b"")),
        ({"content_ltks": "é\tb"}, None),
        ({"content_ltks": "a\u3000b"}, None),
        ({"title_tks": "a\ud800"}, None),
        ({"content_ltks": None}, None),
        ({"content_ltks": ["a"]}, None),
    ],
)
def test_plain_texts(fields: dict[str, object], plain: tuple[bytes, bytes] | None) -> None:
    assert StoredFields.plain_texts(fields) == plain


def test_the_rerank_mixes_both_ways() -> None:
    fields = {
        "plain": {"content_ltks": "静态 分析 规则", "title_tks": "规则"},
        "repeats": {"content_ltks": "x 静态 x 分析"},
        "keywords": {"content_ltks": "x", "important_kwd": ["静态 分析", "静态"], "question_tks": "分析"},
        "tabs": {"content_ltks": "静态\t分析"},
        "broken": {"content_ltks": 3, "title_tks": "静态"},
    }
    builder = QueryBuilder()
    outcome = Reranker(builder).rerank_by_hybrid(SearchResult(5, list(fields), fields), "静态分析规则")
    tokens = [StoredFields.hybrid_tokens(name, one, StoredFields()) for name, one in fields.items()]
    assert list(outcome.term_similarity) == builder.token_similarity(builder.keywords("静态分析规则"), tokens)
    assert len(outcome.warnings) == 1

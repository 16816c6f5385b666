"""The fast form returns the tokens of documents that the plain form returns (TXT-4, TXT-5, TXT-10)."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybrid_search import DocumentBuilder, Index
from hybrid_search.accelerated import fast_analyzer
from hybrid_search.accelerated.fast_analyzer import FastAnalyzer
from hybrid_search.base.kernels import INCLUDED
from hybrid_search.errors import InvalidInputError
from hybrid_search.text.analyzer import Analyzer
from hybrid_search.text.segmenter import Segmenter
from hybrid_search.text.tokenizer import Tokenizer

ROOT = Path(__file__).resolve().parents[3]
TOKENIZER = Tokenizer()
FAST = FastAnalyzer(TOKENIZER)
PIECES = [
    "Running", "cells", "cells.", "don't", "state-of-the-art", "i.e", "3.14", "1,000", "1,000.5%", "6-2-1", "C++", "c#",
    "a/b.py", "user@host:8080", "v2", "AT&T", "_x_", "50%", "--", "+", "T恤", "机器学习", "中国人民", "，", "。", "β",
    "TGF-β", "5′-UTR", "Ａ１", "ﾊﾝ", "é", "naïve", "İ", "ﬁ", "\u0301", "１２－３", "3–4", "漢字", "x", "e", "1", "\0",
    "\u3000", "\u2028",
]  # fmt: skip
GAPS = ["", " ", "  ", "\n", "\t", "\r\n", "\u3000", "-", ".", "/", ",", "(", "\x1c", "\x85"]
texts = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(GAPS)), max_size=14).map(
    lambda pairs: "".join(piece + gap for piece, gap in pairs)
)


def analyzed(analyzer, text):
    tokens = analyzer.tokens(text)
    return list(tokens), list(analyzer.fine_grained(tokens)), analyzer.identifiers(text, tokens)


PLAINER = [Tokenizer(stemming=False), Tokenizer(Segmenter(kernels="plain"))]


@given(st.one_of(texts, st.text(st.characters(exclude_categories=["Cs"]), max_size=40)))
def test_texts_are_analyzed_as_in_the_plain_form(text):
    assert analyzed(FAST, text) == analyzed(Analyzer(TOKENIZER), text)


@settings(deadline=None)
@given(texts)
def test_texts_are_analyzed_alike_without_stems_and_with_the_plain_segmenter(text):
    for tokenizer in PLAINER:
        assert analyzed(FastAnalyzer(tokenizer), text) == analyzed(Analyzer(tokenizer), text)


@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.nightly)])
def test_real_documents_are_analyzed_as_in_the_plain_form(step):
    whole = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md"))[::step])
    for text in (whole, *whole.splitlines()):
        assert analyzed(FAST, text) == analyzed(Analyzer(TOKENIZER), text)


def test_an_added_word_changes_the_tokens():
    segmenter = Segmenter()
    tokenizer = Tokenizer(segmenter)
    fast = FastAnalyzer(tokenizer)
    text = "hybridsearching engines 网易杭研大厦"
    before = analyzed(fast, text)
    assert analyzed(fast, text) == before
    segmenter.add_word("hybrid", 1_000_000)
    segmenter.add_word("网易杭研大厦", 1_000_000)
    after = analyzed(fast, text)
    assert after != before
    assert after == analyzed(Analyzer(tokenizer), text)


def test_the_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(fast_analyzer, "CACHE_SIZE", 3)
    fast = FastAnalyzer(TOKENIZER)
    long = "a" * (fast_analyzer.CACHED_LENGTH + 1)
    for text in ("one two three four five", long, "a-1 b-1 c-1 d-1 e-1", long[:-1]):
        assert analyzed(fast, text) == analyzed(Analyzer(TOKENIZER), text)
        for results in (fast._known.words, fast._known.parts, fast._known.found):
            assert len(results) <= 3
            assert long not in results
    assert long[:-1] in fast._known.words


class _Reading(Segmenter):
    def cut(self, text, **options):
        return [text]


class _Upper(Tokenizer):
    def tokenize(self, text):
        return [text.upper()]


@pytest.mark.parametrize("tokenizer", [Tokenizer(_Reading()), _Upper()])
def test_custom_tokenizers_receive_whole_texts(tokenizer):
    assert FastAnalyzer(tokenizer).tokens("ab cd") == Analyzer(tokenizer).tokens("ab cd")
    assert len(FastAnalyzer(tokenizer).tokens("ab cd")) == 1


@pytest.mark.parametrize("text", [None, 3, b"x", "\ud800", "a \ud800"])
def test_a_value_that_is_not_text_is_refused_as_in_the_plain_form(text):
    for name in ("tokens", "identifiers"):
        messages = []
        for analyzer in (FAST, Analyzer(TOKENIZER)):
            with pytest.raises(InvalidInputError) as refused:
                getattr(analyzer, name)(text, *([[]] if name == "identifiers" else []))
            messages.append(str(refused.value))
        assert messages[0] == messages[1]


def test_the_time_for_a_long_text_without_blanks_grows_with_its_length():
    for text in ("ab" * 50_000, "a-" * 50_000, "β" * 50_000, "a1.β" * 20_000):
        assert analyzed(FAST, text) == analyzed(Analyzer(TOKENIZER), text)


@pytest.mark.parametrize("kernels", INCLUDED)
def test_an_index_of_plain_forms_caches_no_words(kernels):
    index = Index(embedding=None, kernels=kernels)
    index.add([{"id": "1", "content": "cells and genes"}])
    analyzer = index._writer._documents._fields._analyzer
    assert type(analyzer) is FastAnalyzer
    assert (analyzer._known is None) == (kernels == "plain")


def test_the_environment_chooses_the_plain_form(monkeypatch):
    monkeypatch.setenv("HYBRID_SEARCH_KERNELS", "plain")
    assert type(DocumentBuilder()._fields._analyzer) is Analyzer

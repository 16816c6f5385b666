"""The weights of terms are cached as long as nothing they depend on changes."""

from hybrid_search.accelerated import fast_term_weight
from hybrid_search.query_builder.term_weight import TermWeight
from hybrid_search.text.segmenter import Segmenter
from hybrid_search.text.tokenizer import Tokenizer


class Asked(Tokenizer):
    """Records the terms whose part of speech it was asked for."""

    def __init__(self):
        super().__init__()
        self.terms = []

    def tag(self, term):
        self.terms.append(term)
        return super().tag(term)


class AskedWithoutVersion(Asked):
    version = None


def test_a_term_is_weighed_once_and_as_in_the_plain_form():
    asked = Asked()
    fast, plain = fast_term_weight.FastTermWeight(asked), TermWeight()
    for terms in (["ab", "c", "ab"], ["c", "d"]):
        assert fast.weights(terms, preprocess=False) == plain.weights(terms, preprocess=False)
    assert asked.terms == ["ab", "c", "d"]


def test_new_words_clear_the_cached_weights():
    segmenter = Segmenter()
    weigher = fast_term_weight.FastTermWeight(Tokenizer(segmenter=segmenter))
    before = weigher.weights(["网易杭研大厦", "的"], preprocess=False)
    assert weigher.weights(["网易杭研大厦", "的"], preprocess=False) == before
    segmenter.add_word("网易杭研大厦", 100_000, "ns")
    after = weigher.weights(["网易杭研大厦", "的"], preprocess=False)
    assert after != before
    assert after == TermWeight(Tokenizer(segmenter=segmenter)).weights(["网易杭研大厦", "的"], preprocess=False)


def test_weights_of_tokenizers_without_a_version_are_not_cached():
    asked = AskedWithoutVersion()
    weigher = fast_term_weight.FastTermWeight(asked)
    weigher.weights(["ab", "ab"], preprocess=False)
    weigher.weights(["ab"], preprocess=False)
    assert asked.terms == ["ab"] * 3


def test_long_terms_and_excess_terms_are_not_cached(monkeypatch):
    monkeypatch.setattr(fast_term_weight, "MOST_KNOWN", 3)
    asked = Asked()
    weigher = fast_term_weight.FastTermWeight(asked)
    long = "x" * 65
    weigher.weights([long, "a", "b", "c"], preprocess=False)
    weigher.weights([long, "a"], preprocess=False)
    assert asked.terms == [long, "a", "b", "c", long, "a"]

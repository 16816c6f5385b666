"""What terms weigh is kept as long as nothing it depends on changes."""

from hybrid_search.query_builder import known_weights
from hybrid_search.query_builder.known_weights import KnownWeights
from hybrid_search.query_builder.term_weight import TermWeight
from hybrid_search.text.segmenter import Segmenter
from hybrid_search.text.tokenizer import Tokenizer


class Asked:
    def __init__(self):
        self.terms = []

    def __call__(self, term):
        self.terms.append(term)
        return float(len(term))


def test_a_term_is_weighed_once():
    known, asked = KnownWeights(Tokenizer()), Asked()
    assert known.of(["ab", "c", "ab"], asked) == [2.0, 1.0, 2.0]
    assert known.of(["c", "d"], asked) == [1.0, 1.0]
    assert asked.terms == ["ab", "c", "d"]


def test_new_words_make_it_forget():
    segmenter = Segmenter()
    weigher = TermWeight(Tokenizer(segmenter=segmenter))
    before = weigher.weights(["网易杭研大厦", "的"], preprocess=False)
    assert weigher.weights(["网易杭研大厦", "的"], preprocess=False) == before
    segmenter.add_word("网易杭研大厦", 100_000, "ns")
    after = weigher.weights(["网易杭研大厦", "的"], preprocess=False)
    assert after != before
    assert after == TermWeight(Tokenizer(segmenter=segmenter)).weights(["网易杭研大厦", "的"], preprocess=False)


def test_nothing_of_other_tokenizers_is_kept():
    class Other(Tokenizer):
        pass

    known, asked = KnownWeights(Other()), Asked()
    assert known.of(["ab", "ab"], asked) + known.of(["ab"], asked) == [2.0] * 3
    assert asked.terms == ["ab"] * 3


def test_neither_long_terms_nor_too_many_are_kept(monkeypatch):
    monkeypatch.setattr(known_weights, "MOST_KNOWN", 3)
    known, asked = KnownWeights(Tokenizer()), Asked()
    long = "x" * 65
    known.of([long, "a", "b", "c"], asked)
    known.of([long, "a"], asked)
    assert asked.terms == [long, "a", "b", "c", long, "a"]

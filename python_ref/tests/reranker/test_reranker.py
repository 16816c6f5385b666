import threading
import time

import numpy as np
import pytest

from conformance.implementations.python.operations.reranker import GivenKeywords
from hybrid_search.base import strict_json
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.errors import InvalidInputError, RerankError
from hybrid_search.reranker.rerank_model import MOST_LEFT_BEHIND, RerankModel
from hybrid_search.reranker.reranker import Reranker


@pytest.fixture
def result():
    fields = {name: {"content_ltks": name, "q_2_vec": [1.0, place]} for place, name in enumerate("abc")}
    return SearchResult(3, list(fields), fields, query_vector=[1.0, 2.0])


def test_a_callable_is_a_model_and_numpy_scores_are_scores(result):
    outcome = Reranker(GivenKeywords(["a"])).rerank_by_model(
        lambda _query, texts: np.linspace(0.0, 1.0, len(texts), dtype=np.float32), result, "q", tkweight=0, vtweight=1
    )
    assert outcome.similarity == (0.0, 0.5, 1.0)
    assert outcome.formula == "model"


def test_a_late_model_is_abandoned(result):
    release = threading.Event()
    started = time.monotonic()
    outcome = Reranker(GivenKeywords(["a"])).rerank_by_model(
        lambda _query, _texts: release.wait(20), result, "q", rerank_timeout=0.1
    )
    assert time.monotonic() - started < 10
    release.set()
    expected = Reranker(GivenKeywords(["a"])).rerank_by_hybrid(result, "q")
    assert outcome.similarity == expected.similarity
    assert outcome.warnings == ("ranked without the rerank model: the rerank model gave no answer within 0.1 seconds",)


def test_the_number_of_late_models_that_cannot_be_stopped_is_bounded():
    ends = threading.Event()
    late = RerankModel(lambda query, texts: ends.wait(30) and [1.0], fail_open=False, rerank_timeout=0.001)
    refused = "the rerank model was not called: 32 late calls are still under way"
    told = []
    try:
        # A call whose thread starts too late ends by itself; on a busy machine this needs a few more calls.
        while told.count(refused) < 3:
            with pytest.raises(RerankError) as problem:
                late.scores("q", ["a"])
            told.append(str(problem.value))
    finally:
        ends.set()
    assert told[-3:] == [refused] * 3
    assert len(told) >= MOST_LEFT_BEHIND + 3
    assert set(told[:-3]) == {"the rerank model gave no answer within 0.001 seconds"}
    while any(thread.name == "rerank model" for thread in threading.enumerate()):
        time.sleep(0.001)
    assert RerankModel(lambda query, texts: [0.5]).scores("q", ["a"]) == [0.5]


class EndsInTime:
    """A model that accepts a time limit."""

    def __init__(self, keeps_its_word):
        self.keeps_its_word = keeps_its_word
        self.told = []

    def similarity(self, query, texts):
        raise AssertionError("not limited")

    def limited_to(self, seconds):
        self.told.append(seconds)
        return self._scores

    def _scores(self, query, texts):
        if not self.keeps_its_word:
            time.sleep(0.5)
        return [0.25] * len(texts)


def test_a_model_that_supports_a_time_limit_receives_it():
    model = EndsInTime(keeps_its_word=True)
    assert RerankModel(model, rerank_timeout=7.0, rerank_batch_size=1).scores("q", ["a", "b"]) == [0.25, 0.25]
    assert model.told == [7.0]


def test_a_model_that_ignores_its_time_limit_is_abandoned():
    model = RerankModel(EndsInTime(keeps_its_word=False), fail_open=False, rerank_timeout=0.01)
    with pytest.raises(RerankError, match=r"gave no answer within 0\.01 seconds"):
        model.scores("q", ["a"])


def test_an_error_of_the_model_preserves_its_cause():
    def fail(_query, _texts):
        raise KeyError("x")

    with pytest.raises(RerankError) as caught:
        RerankModel(fail).scores("q", ["t"])
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize("value", [None, 5, {"ids": []}, object()])
def test_only_a_search_result_can_be_reranked(value):
    with pytest.raises(InvalidInputError, match="result must be a SearchResult"):
        Reranker(GivenKeywords([])).rerank_by_hybrid(value, "q")


def test_inputs_are_not_changed(result):
    before = {name: dict(fields) for name, fields in result.fields.items()}
    Reranker(GivenKeywords(["a"])).rerank_by_hybrid(result, "q", rank_feature={"x": 1.0})
    assert {name: dict(fields) for name, fields in result.fields.items()} == before


def test_a_search_result_cannot_be_changed(result):
    with pytest.raises(TypeError):
        result.fields["d"] = {}
    with pytest.raises(AttributeError):
        result.total = 5


def test_deeply_nested_json_is_refused_without_a_recursion_error():
    assert strict_json.parse_object('{"a":' + "[" * 100_000 + "]" * 100_000 + "}") is None
    assert strict_json.parse_object('{"a":' * 100_000) is None

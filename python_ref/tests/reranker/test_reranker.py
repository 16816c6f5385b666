import threading
import time

import numpy as np
import pytest

from conformance.implementations.python.operations.reranker import GivenKeywords
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.errors import InvalidInputError, RerankError
from hybrid_search.reranker.rerank_model import RerankModel
from hybrid_search.reranker.reranker import Reranker
from hybrid_search.strict_json import StrictJson


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


def test_a_late_model_is_left_behind(result):
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


def test_an_error_of_the_model_keeps_its_cause():
    def fail(_query, _texts):
        raise KeyError("x")

    with pytest.raises(RerankError) as caught:
        RerankModel(fail).scores("q", ["t"])
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize("value", [None, 5, {"ids": []}, object()])
def test_only_search_results_are_reranked(value):
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


def test_deep_json_is_refused_and_ends_no_recursion():
    assert StrictJson.parse_object('{"a":' + "[" * 100_000 + "]" * 100_000 + "}") is None
    assert StrictJson.parse_object('{"a":' * 100_000) is None

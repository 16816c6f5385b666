"""The switch between plain, fast and native kernels, and their common methods."""

import inspect
import random
import sys

import pytest

from hybrid_search.base import kernels
from hybrid_search.embedding.hashing import HashingEmbedder
from hybrid_search.errors import ConfigurationError, InvalidInputError
from hybrid_search.index import Index
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.reranker.reranker import Reranker
from hybrid_search.text.segmenter import Segmenter

WORDS = ["规则", "引擎", "rule", "6-2-1", "MISRA", "C++", "赋值", "运算符", "杭研", "table", "的", "expressions"]


@pytest.fixture
def without_native(monkeypatch):
    monkeypatch.setattr(kernels, "_native", lambda: None)


def test_fast_kernels_are_the_default_without_the_native_package(monkeypatch, without_native):
    monkeypatch.delenv(kernels.VARIABLE, raising=False)
    assert kernels.choice() == "fast"
    monkeypatch.setenv(kernels.VARIABLE, "")
    assert kernels.choice() == "fast"


def test_native_kernels_are_the_default_with_their_package(monkeypatch):
    monkeypatch.setattr(kernels, "_native", lambda: kernels)
    monkeypatch.delenv(kernels.VARIABLE, raising=False)
    assert kernels.choice() == kernels.choice("native") == "native"
    monkeypatch.setenv(kernels.VARIABLE, "fast")
    assert kernels.choice() == "fast"
    assert kernels.kernel("analyzer", "native") is kernels.kernel("analyzer", "fast")
    assert kernels.kernel("document_index", "native") is not kernels.kernel("document_index", "fast")


def test_native_kernels_are_refused_if_their_package_is_missing(monkeypatch, without_native):
    for build in (Segmenter, Index):
        with pytest.raises(ConfigurationError, match=r"'hybrid-search\[native\]'"):
            build(kernels="native")
    monkeypatch.setenv(kernels.VARIABLE, "native")
    with pytest.raises(ConfigurationError, match="hybrid-search-native"):
        Segmenter()


def test_a_native_package_with_another_interface_is_not_used(monkeypatch):
    class Other:
        INTERFACE = kernels.INTERFACE + 1

    kernels._native.cache_clear()
    monkeypatch.setitem(sys.modules, kernels.PACKAGE, Other)
    assert kernels._native() is None
    monkeypatch.undo()
    kernels._native.cache_clear()


def test_the_environment_chooses_unless_the_caller_does(monkeypatch):
    monkeypatch.setenv(kernels.VARIABLE, "plain")
    assert (kernels.choice(), kernels.choice("fast")) == ("plain", "fast")
    monkeypatch.setenv(kernels.VARIABLE, "fest")
    with pytest.raises(
        ConfigurationError,
        match=r'HYBRID_SEARCH_KERNELS: unknown kernels "fest"; did you mean "fast"\? Known: plain, fast, native',
    ):
        Segmenter()


@pytest.mark.parametrize("build", [Segmenter, Index, lambda kernels: Reranker(QueryBuilder(), kernels)])
def test_unknown_kernels_are_refused(build):
    with pytest.raises(InvalidInputError, match=r'kernels "plan"; did you mean "plain"\? Known: plain, fast, native'):
        build(kernels="plan")
    with pytest.raises(InvalidInputError, match=r"unknown kernels .*Known: plain, fast, native"):
        build(kernels=1)


@pytest.mark.parametrize("operation", kernels.OPERATIONS)
def test_a_fast_form_has_the_methods_of_the_plain_form(operation):
    plain, fast = (kernels.kernel(operation, name) for name in kernels.INCLUDED)
    assert plain is not fast
    methods = [name for name in vars(plain) if not name.startswith("_") and callable(getattr(plain, name))]
    assert methods
    for name in methods:
        taken = [inspect.signature(getattr(form, name)).parameters for form in (fast, plain)]
        assert taken[0] == taken[1], name


def test_an_index_returns_the_same_results_with_both_kernels():
    draw = random.Random(8)
    records = [
        {"id": f"{number:03}", "title": draw.choice(WORDS), "content": " ".join(draw.choices(WORDS, k=9))}
        for number in range(60)
    ]
    found = []
    for name in kernels.INCLUDED:
        index = Index(embedding=HashingEmbedder(dimension=32), kernels=name)
        index.add(records)
        results = [index.search(" ".join(draw.choices(WORDS, k=3)), limit=20) for draw in map(random.Random, range(12))]
        found.append([[(hit.id, hit.score) for hit in result.hits] for result in results])
    assert found[0] == found[1]
    assert any(found[0])

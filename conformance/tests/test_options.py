"""The options of a retrieval are stated once (conformance/generators/options.yml)."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from conformance.cases import choices, specification
from conformance.errors import BrokenError
from conformance.generators import options, written
from conformance.paths import FIXTURES
from conformance.tests.test_oracle import EXACT
from hybrid_search import Index, InvalidInputError, MemoryDocStore, QueryBuilder, Retriever, Tokenizer
from hybrid_search.fusion.fusion_methods import METHODS
from hybrid_search.reranker.partial_rerank import FUSIONS
from hybrid_search.retriever.profiles import CHOICES, PROFILES
from hybrid_search.retriever.request import DEFAULTS
from hybrid_search.search.search_options import ONCE, SEARCH_DEFAULTS


def test_every_place_that_states_the_options_agrees():
    assert written.differing(options.files(options.load())) == []


def test_a_differing_statement_is_found():
    said = options.load()
    kept = [option for option in said if option.name not in ("page", "limit", "ranking", "fusion")]
    kept += [replace(option, choices={"rrf": ""}) for option in said if option.name == "fusion"]
    page = options.Option("page", 2, 2, "another meaning (RET-6)", ("float", "Float"), ("float", "Float"), "retrieve")
    limit = options.Option("limit", 2, 2, "another meaning (CUR-1)", ("float", "Float"), None, "search")
    assert len(written.differing(options.files([*kept, page, limit]))) == len(options.TARGETS)


def test_a_fusion_method_without_its_files_is_found():
    methods = [option for option in options.load() if option.name == "fusion"]
    more = [replace(option, choices={**option.choices, "product": ""}) for option in methods]
    with pytest.raises(BrokenError, match=r"no file: python_ref/hybrid_search/fusion/product\.py, ruby/lib/"):
        list(options.files(more))


def test_every_choice_is_described_in_the_specification():
    clauses = specification.load()
    text = " ".join(clause.text for clause in clauses.values())
    assert [choice for option in options.load() for choice in option.choices if choice not in text] == []
    assert [method for method in METHODS if f"`{method}`" not in clauses["FUS-1"].text] == []


def test_every_fusion_method_is_checked_with_exact_fractions():
    assert EXACT.keys() == METHODS.keys()


def test_every_fusion_method_has_cases():
    text = "".join(path.read_text(encoding="utf-8") for path in (FIXTURES / "cases/fusion").glob("*.yml"))
    assert [method for method in METHODS if f'"method": "{method}"' not in text] == []


def test_the_options_equal_those_of_the_reference_in_order():
    for method, table in (("retrieve", DEFAULTS), ("search", {**SEARCH_DEFAULTS, "include": []})):
        said = options.of_method(options.load(), method)
        assert {option.name: option.default_of(method) for option in said} == table
        assert [option.name for option in said] == list(table)
    assert tuple(option.name for option in said if option.once) == ONCE


def test_every_option_has_cases():
    """Of a `search` or a `retrieve`, as a key of params or input."""
    folders = {"search": ("search", "index", "http"), "retrieve": ("retriever",), None: ("search", "retriever")}
    texts = {
        of: "".join(
            path.read_text(encoding="utf-8") for name in names for path in (FIXTURES / "cases" / name).glob("*.yml")
        )
        for of, names in folders.items()
    }
    without = [each.name for each in options.load() if not re.search(rf"\b{each.name}\"?:", texts[each.method])]
    assert without == [], "write a case in fixtures/cases/search or fixtures/cases/retriever"


def test_every_option_refuses_a_value_of_the_wrong_kind():
    index = Index()
    index.add([{"id": "1", "content": "word"}])
    retriever = Retriever(MemoryDocStore(), QueryBuilder(Tokenizer()))
    calls: dict[str, Callable[..., Any]] = {"search": index.search, "retrieve": retriever.retrieve}
    for method, call in calls.items():
        for option in options.of_method(options.load(), method):
            with pytest.raises(InvalidInputError, match=re.escape(option.name)):
                call("word", **{option.name: object()})


def test_every_option_names_the_clause_that_defines_it():
    assert {option.clause for option in options.load()} <= set(specification.load())
    nowhere = options.Option("depth", 1, 1, "how deep", ("int", "Integer"), None)
    with pytest.raises(BrokenError, match="what is said of depth must end with a clause in brackets"):
        _ = nowhere.clause


def test_a_file_without_its_markers_is_reported(monkeypatch):
    monkeypatch.setattr(options, "TARGETS", {"LICENSE": {"options": lambda _: []}})
    with pytest.raises(BrokenError, match="LICENSE must have options:begin and options:end once each"):
        list(options.files(options.load()))


def test_the_choices_equal_those_of_the_registries():
    stated = {option.name: tuple(option.choices) for option in options.load() if option.choices}
    assert stated == dict(CHOICES)
    assert stated["fusion"] == tuple(METHODS)
    assert stated["rerank_fusion"] == FUSIONS
    assert stated["profile"] == tuple(PROFILES)


def test_a_message_that_lists_choices_has_a_short_form():
    message = {"error": ["fusion must be one of weighted_sum, rrf, auto, min_max, not 1", 1.5]}
    short = {"error": ["fusion must be one of the choices of fusion, not 1", 1.5]}
    assert choices.shortened(message) == short
    fewer = "fusion must be one of weighted_sum, rrf, auto, not 1"
    assert choices.shortened(fewer) == short["error"][0]
    half = "fusion must be one of weighted_sum, rrf, not 1"
    assert choices.shortened(half) == half
    longer = "fusion must be one of weighted_sum, rrf, auto, min_max, product, not 1"
    assert choices.shortened(longer) == longer

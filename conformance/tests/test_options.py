"""What is said of the options of a retrieval is said once (conformance/making/options.yml)."""

import pytest

from conformance.cases import specification
from conformance.errors import BrokenError
from conformance.making import options, written
from hybrid_search.retriever._request import DEFAULTS


def test_everything_that_tells_the_options_tells_the_same():
    assert written.differing(options.files(options.load())) == []


def test_another_statement_is_found():
    said = options.load()
    other = [*said[:-1], options.Option("rerank_timeout", 60.0, "another meaning (RNK-7)", ("float", "Float"), None)]
    assert len(written.differing(options.files(other))) == len(options.TARGETS)


def test_the_options_are_those_of_the_reference_in_order():
    assert {option.name: option.default for option in options.load()} == DEFAULTS
    assert [option.name for option in options.load()] == list(DEFAULTS)


def test_every_option_names_the_clause_by_which_it_acts():
    assert {option.clause for option in options.load()} <= set(specification.load())
    nowhere = options.Option("depth", 1, "how deep", ("int", "Integer"), None)
    with pytest.raises(BrokenError, match="what is said of depth must end with a clause in brackets"):
        _ = nowhere.clause


def test_a_file_without_its_marks_is_told(monkeypatch):
    monkeypatch.setattr(options, "TARGETS", {"LICENSE": {"options": lambda _: []}})
    with pytest.raises(BrokenError, match="LICENSE must have options:begin and options:end once each"):
        list(options.files(options.load()))

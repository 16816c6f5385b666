"""Filters compared with a second implementation of their clause, and their cache (DOC-2)."""

import time
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hybrid_search import MemoryDocStore
from hybrid_search.doc_store_adapter.filters.filter_names import FilterNames
from hybrid_search.doc_store_adapter.filters.filter_parser import FilterParser
from hybrid_search.errors import InvalidInputError
from hybrid_search.retriever.field_words import FieldWords
from python_ref.tests.rounds import examples

VALUES = st.sampled_from([0, 1, 2, 1.0, 1.5, -1, "", "a", "b", "é", "𝄞", True, False])
NAMES = st.sampled_from(["kb_id", "metadata.a", "metadata.b.c", "tag_feas.x.y", "flag", "available_int", "id"])
STORED = st.one_of(VALUES, st.lists(VALUES, max_size=3))


@st.composite
def documents(draw):
    found = []
    for place in range(draw(st.integers(0, 8))):
        document: dict[str, Any] = {"id": f"d{place}", "kb_id": draw(st.sampled_from(["a", "b", ""]))}
        for name, value in (("flag", STORED), ("available_int", st.sampled_from([-1, 0, 1, 2]))):
            if draw(st.booleans()):
                document[name] = draw(value)
        inner = {key: draw(STORED) for key in ("a", "c") if draw(st.booleans())}
        document["metadata"] = {**inner, "b": draw(st.one_of(VALUES, st.just(inner)))}
        document["tag_feas"] = {"x.y": draw(st.integers(0, 2))}
        found.append(document)
    return found


@st.composite
def conditions(draw, deep=2):
    if deep and draw(st.integers(0, 2)) == 0:
        inner = conditions(deep=deep - 1)
        name = draw(st.sampled_from(["not", "any", "all", "must_not"]))
        if name == "must_not":
            return {name: {"exists": draw(st.lists(NAMES, max_size=2))}}
        return {name: draw(inner) if name == "not" else draw(st.lists(inner, max_size=3))}
    names = draw(st.lists(NAMES, max_size=3, unique=True))
    return {name: draw(_wanted(name)) for name in names}


def _wanted(name, deep=1):
    inner = _wanted(name, deep - 1) if deep else st.just(None) if name != "id" else st.just("d1")
    negated = st.fixed_dictionaries({"not": inner}, optional={"exists": st.booleans()})
    if name == "available_int":
        flags = st.sampled_from([0, 1, None])
        return st.one_of(flags, st.lists(flags, max_size=2), negated)
    values = st.sampled_from(["d0", "d1", "d9"]) if name == "id" else VALUES
    bounds = values.filter(lambda value: not isinstance(value, bool))
    either = values if name == "id" else st.one_of(values, st.none(), bounds.map(lambda value: {"gte": value}))
    operators = st.fixed_dictionaries(
        {},
        optional={
            "eq": values if name == "id" else st.one_of(values, st.none()),
            "in": st.lists(either, max_size=3),
            "not": inner,
            **dict.fromkeys(("gt", "gte", "lt", "lte"), bounds),
            "exists": st.booleans(),
        },
    ).filter(bool)
    return st.one_of(either, st.lists(st.one_of(either, negated), max_size=3), operators)


def value_of(document, name):
    if name.startswith("tag_feas."):
        return document["tag_feas"].get(name.removeprefix("tag_feas."))
    value: Any = document
    for step in name.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return value


def there(document, name):
    return value_of(document, name) not in (None, [])


def same(left, right):
    return isinstance(left, bool) == isinstance(right, bool) and left == right


def compared(operator, value, limit):
    if isinstance(value, (bool, dict)) or isinstance(value, str) != isinstance(limit, str):
        return False
    return {"gt": value > limit, "gte": value >= limit, "lt": value < limit, "lte": value <= limit}[operator]


def passes(document, filters):
    return all(holds(document, name, wanted) for name, wanted in filters.items())


def holds(document, name, wanted):
    if name == "not":
        return not passes(document, wanted)
    if name in ("any", "all"):
        return (any if name == "any" else all)([passes(document, one) for one in wanted])
    if name == "must_not":
        return not any(there(document, one) for one in wanted["exists"])
    if isinstance(wanted, list):
        return any(holds(document, name, one) for one in wanted)
    if wanted is None:
        return not there(document, name)
    if name == "available_int" and not isinstance(wanted, dict):
        return (1 if document.get(name, 1) >= 1 else 0) == wanted
    operators = dict(wanted) if isinstance(wanted, dict) else {"eq": wanted}
    if "not" in operators and holds(document, name, operators.pop("not")):
        return False
    if "exists" in operators and there(document, name) != operators.pop("exists"):
        return False
    if any(isinstance(one, dict) for one in operators.get("in", ())) and not holds(document, name, operators.pop("in")):
        return False
    bounded = any(operator in operators for operator in ("gt", "gte", "lt", "lte"))
    if not bounded and {"in", "eq"} & operators.keys() and not there(document, name):
        return None in operators.get("in", [None]) and operators.get("eq") is None
    tests = operators
    value = value_of(document, name)
    members = value if isinstance(value, list) else [value]
    return not tests or any(all(fulfils(member, *test) for test in tests.items()) for member in members)


def fulfils(member, operator, limit):
    if member is None or isinstance(member, dict):
        return False
    if operator == "eq":
        return limit is not None and same(member, limit)
    if operator == "in":
        return any(one is not None and same(member, one) for one in limit)
    return compared(operator, member, limit)


@settings(max_examples=examples(100, 300), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents(), conditions(), conditions())
def test_filters_match_as_their_clause_states(found, filters, others):
    store = MemoryDocStore()
    half = len(found) // 2
    for part, upto in ((found[:half], half), (found[half:], len(found))):
        store.insert(part)
        for one in (filters, others, filters):  # the cache of one store is not used for another
            expected = [document["id"] for document in found[:upto] if passes(document, one)]
            assert [identifier for identifier, _ in store.rank([], one)] == expected


@settings(max_examples=examples(60, 200), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents(), conditions())
def test_filters_written_as_data_match_the_same_documents(found, filters):
    store = MemoryDocStore()
    store.insert(found)
    written = FilterParser(FilterNames()).parse(filters).data()
    assert store.rank([], written) == store.rank([], filters)


@pytest.mark.parametrize(
    ("given", "list_of_them"),
    [
        ({"b", "a"}, ["a", "b"]),
        (frozenset([2, 1]), [1, 2]),
        (range(1, 4), [1, 2, 3]),
        (np.array([1.5, 2.0]), [1.5, 2.0]),
        (("a", None), ["a", None]),
    ],
)
def test_sets_and_other_collections_are_alternatives(given, list_of_them):
    for wrapped, plain in (
        (given, list_of_them),
        ({"in": given}, {"in": list_of_them}),
        ({"not": given}, {"not": list_of_them}),
    ):
        found = FilterParser(FieldWords()).parse({"metadata.x": wrapped}).data()
        assert found == FilterParser(FieldWords()).parse({"metadata.x": plain}).data()


def test_a_range_of_too_many_numbers_is_refused_without_expanding_it():
    with pytest.raises(InvalidInputError, match="65536 values in lists"):
        FilterParser(FilterNames()).parse({"page_int": range(10**12)})


@pytest.mark.parametrize(
    "filters",
    [
        {"page_int": list(range(65_537))},
        {"page_int": {"in": list(range(65_537)), "gt": 3}},
        {"id": [str(number) for number in range(65_537)]},
        {"available_int": [1] * 65_537},
        {"any": [{"page_int": list(range(32_768))}, {"not": {"kb_id": ["k"] * 32_769}}]},
    ],
)
def test_more_than_the_maximum_of_values_in_all_lists_is_refused(filters):
    with pytest.raises(InvalidInputError) as caught:
        FilterParser(FilterNames()).parse(filters)
    assert str(caught.value) == "filters must not hold more than 65536 values in lists"


def test_the_maximum_of_values_in_all_lists_is_accepted():
    wanted = {"any": [{"page_int": list(range(32_768))}, {"not": {"page_int": {"in": list(range(32_768))}}}]}
    FilterParser(FilterNames()).parse(wanted)


def test_integers_with_the_same_hash_cost_no_more_than_others():
    def seconds(numbers):
        store = MemoryDocStore()
        store.insert([{"id": "1", "page_int": numbers[:100]}])
        started = time.process_time()
        result = store.search(filters={"page_int": numbers}, agg_fields=["page_int"])
        taken = time.process_time() - started
        assert result.total == 1
        assert {type(value) for value, _ in result.aggs["page_int"]} == {int}
        assert dict(result.aggs["page_int"]) == dict.fromkeys(numbers[:100], 1)
        return taken

    usual = max(seconds([k * (2**61 - 2) for k in range(1, 8001)]) for _ in range(3))
    assert seconds([k * (2**61 - 1) for k in range(1, 8001)]) < 10 * usual + 0.2

"""Drawing finds faults, minimizes them, replays them, and writes them as cases (CNF-17)."""

import dataclasses
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from conformance import yaml_files
from conformance.cases import fixtures
from conformance.fuzz import command, drawing, limits, promote, scripts, search, shaping, values, walks
from conformance.fuzz.drawing import Drawn
from conformance.fuzz.panel import SCRIPTED, Panel
from conformance.fuzz.search import Finding
from conformance.fuzz.shapes import Shapes, kind, path_of, root, walk
from conformance.generators import case_files
from conformance.implementations import listing
from conformance.implementations.listing import Implementation
from conformance.known_bad.fault import AT
from conformance.paths import CASES, ROOT
from conformance.tests.conftest import committed

SEED = 11


def broken(name: str) -> Implementation:
    """The reference with a fault (known_bad.yml)."""
    serve = [sys.executable, "-m", "conformance.known_bad.serve", name]
    return Implementation(name, tuple(serve), ROOT, 20.0, 20.0, environment=(("PYTHONPATH", "python_ref"),))


@cache
def shapes_of(operation: str) -> dict[str, Shapes]:
    module = operation.partition(".")[0]
    cases = [case for case in fixtures.load(modules=(module,)).cases if case.operation == operation]
    return {operation: Shapes(cases)}


def search_in(panel: Panel, operation: str, block: int) -> tuple[Finding | None, list[Drawn]]:
    drawn: list[Drawn] = []
    return search.block(panel, shapes_of(operation), {}, SEED, block, drawn.append), drawn


def compared(second: Implementation) -> Iterator[Panel]:
    """The reference and another one, which are started once for several tests."""
    (reference,) = listing.load(["reference"])
    with Panel([reference, second], 20.0) as panel:
        yield panel


@pytest.fixture(scope="module")
def agreeing() -> Iterator[Panel]:
    yield from compared(listing.load(["reference"])[0])


@pytest.fixture(scope="module")
def differing() -> Iterator[Panel]:
    yield from compared(broken("one_ulp"))


@pytest.fixture(scope="module")
def finding(differing: Panel) -> Finding:
    found, _ = search_in(differing, "fusion.rrf", 0)
    assert found is not None
    return found


def test_a_difference_is_found_and_minimized(finding: Finding) -> None:
    assert finding.drawn.operation == "fusion.rrf"
    assert ", 1 ULP" in finding.lines[0]
    ids = [value for _, value in walk(finding.drawn.input) if kind(value) == "text"]
    assert len(ids) <= 8
    assert finding.drawn.changes <= 1


def test_a_finding_is_replayed_from_its_seed_and_block(finding: Finding, differing: Panel) -> None:
    again, _ = search_in(differing, "fusion.rrf", finding.block)
    assert again == finding


def test_a_finding_becomes_a_case_once_and_the_reference_can_run_it(finding: Finding, tmp_path: Path) -> None:
    assert promote.promote(finding, tmp_path) == "fusion.rrf.fuzz.001"
    assert promote.promote(finding, tmp_path) is None
    read = case_files.read(tmp_path / "fusion" / "rrf.fuzz.yml")
    assert read.fixture == "fusion/rrf.fuzz.jsonl"
    (case,) = read.cases
    assert case.origin == {"kind": "fuzz", "seed": SEED, "index": finding.block}
    assert case.flags == ("fuzz",)
    assert case.clauses == finding.drawn.base.clauses


def test_equal_implementations_have_no_findings_even_for_odd_inputs(agreeing: Panel) -> None:
    found, drawn = search_in(agreeing, "text.tokenize", 3)
    assert found is None
    assert len(drawn) == search.BLOCK
    assert max(one.changes for one in drawn) > 1


def test_an_error_of_the_implementation_alone_counts_unless_a_script_has_no_rows(
    agreeing: Panel, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken_off = {"error": {"class": "internal:KeyError", "message": ""}}

    def lines(operation: str, *answers: dict[str, object]) -> list[str] | None:
        left = iter(answers)
        monkeypatch.setattr(agreeing, "_ask", lambda *_: next(left))
        return agreeing.difference(operation, {}, {})

    assert lines("fusion.rrf", broken_off, broken_off) is None
    assert lines("fusion.rrf", broken_off, {"value": []}) == ["reference: internal:KeyError: ", "reference: []"]
    for operation in SCRIPTED:
        assert lines(operation, broken_off, {"value": []}) is None
        assert lines(operation, {"value": []}, broken_off) is None
        assert lines(operation, {"value": [1]}, {"value": []}) is not None


def test_drawn_cases_have_the_shape_of_the_operation(agreeing: Panel) -> None:
    _, drawn = search_in(agreeing, "fusion.weighted_sum", 1)
    shape = shapes_of("fusion.weighted_sum")["fusion.weighted_sum"]
    seen = {tuple(sorted(case.input)) for case in shape.cases}
    kinds = {(path_of(place), kind(value)) for case in shape.cases for place, value in walk(root(case))}
    for one in drawn:
        assert tuple(sorted(one.input)) in seen
        for place, value in walk({"params": one.params, "input": one.input}):
            assert (path_of(place), kind(value)) in kinds, place


def drawn_of(panel: Panel, operation: str, blocks: int) -> list[Drawn]:
    drawn: list[Drawn] = []
    shapes = shapes_of(operation)
    for block in range(blocks):
        assert search.block(panel, shapes, {}, SEED, block, drawn.append) is None
    return drawn


def test_scripts_are_drawn_as_sequences_of_calls_of_one_object(agreeing: Panel) -> None:
    drawn = drawn_of(agreeing, "embedding.cache", 2)
    methods = {
        step[0] for case in shapes_of("embedding.cache")["embedding.cache"].cases for step in case.input["steps"]
    }
    sequences = [one for one in drawn if one.kind == drawing.SEQUENCE]
    assert len(sequences) >= 20
    assert max(len(one.input["steps"]) for one in sequences) > 6
    for one in drawn:
        assert len(one.input["steps"]) <= scripts.LONGEST
        assert {step[0] for step in one.input["steps"]} <= methods
    assert any(one.input["steps"] != one.base.input["steps"] for one in sequences)


def test_steps_are_packed_by_method_and_unpacked_unchanged() -> None:
    given = {"steps": [["query", "a"], ["clear"], [None, "add", [1], {}], {"insert": [1]}, [1, 2]], "other": 1}
    assert scripts.packed(given)["steps"][:3] == [
        {"query": {"1": "a"}},
        {"clear": {}},
        {"add": {"0": None, "2": [1], "3": {}}},
    ]
    assert scripts.unpacked(scripts.packed(given)) == given
    assert scripts.packed([1]) == [1]


def test_lists_grow_to_the_lengths_of_limits_with_distinct_names(agreeing: Panel) -> None:
    grown = [one for one in drawn_of(agreeing, "fusion.rrf", 4) if one.kind == drawing.SIZE]
    apart = []
    for one in grown:
        long = [value for _, value in walk(one.input) if kind(value) == "list" and len(value) >= limits.SIZES[0]]
        assert {len(value) for value in long} & {*limits.SIZES, *limits.LARGE}
        rows = [[item[0] for item in value] for value in long if all(kind(item) == "list" and item for item in value)]
        apart += [
            names for names in rows if all(isinstance(name, str) for name in names) and len({*names}) == len(names)
        ]
    assert apart


@pytest.mark.nightly
def test_thresholds_are_expected_scores_or_next_to_one(agreeing: Panel) -> None:
    hit = [one for one in drawn_of(agreeing, "doc_store.dense_leg", 4) if one.kind == drawing.THRESHOLD]
    assert hit
    for one in hit:
        expected = {value["bits"] for _, value in walk(one.base.expect["value"]) if kind(value) == "float"}
        near = {values.nudged({"bits": bits}, steps)["bits"] for bits in expected for steps in (0, 1, -1)}
        found = [value["bits"] for place, value in walk(one.input) if place and place[-1] == "similarity"]
        assert near & set(found)


def test_every_excluded_place_exists() -> None:
    excluded = yaml_files.load(shaping.EXCLUDED)
    cases: dict[str, list[fixtures.Case]] = {}
    for case in committed().cases:
        cases.setdefault(case.operation, []).append(case)
    for operation, patterns in excluded.items():
        places = {place for case in cases[operation] for place, _ in walk(root(case))}
        for pattern in patterns:
            shape = Shapes([], [pattern])
            assert not all(map(shape.changeable, places)), f"{operation}: {pattern} matches nothing"


@pytest.mark.parametrize(
    ("given", "status"),
    [
        (["--cases", "50", "--seed", "1", "--operation", "ordering.*"], 0),
        (["--replay", "1:0", "--operation", "fusion.parse_weights"], 0),
    ],
)
def test_the_command_writes_its_report(
    given: list[str], status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main([*given, "--reports", str(tmp_path)]) == status
    assert "0 differences from reference in " in capsys.readouterr().out
    assert (tmp_path / "fuzz.json").is_file()


def test_an_empty_selection_is_an_error() -> None:
    from conformance.commands import main as cli

    assert cli.main(["fuzz", "--operation", "no.such"]) == 2
    assert cli.main(["fuzz", "--replay", "x"]) == 2


def test_a_claimed_operation_reported_as_unsupported_is_a_difference() -> None:
    (reference,) = listing.load(["reference"])
    case = next(case for case in fixtures.load(modules=("fusion",)).cases if case.operation == "fusion.rrf")
    lying = broken("unsupported")
    lying = dataclasses.replace(lying, environment=(*lying.environment, (AT, case.fingerprint)))
    with Panel([reference, lying], 20.0) as panel:
        lines = panel.difference(case.operation, case.params, case.input)
        assert lines is not None
        assert "does not support" in lines[1]
        assert panel.compared == {"unsupported": 1}


def test_the_last_bit_of_an_exponential_depends_on_the_c_library() -> None:
    reference, javascript = listing.load(["reference", "javascript"])
    strict = dataclasses.replace(javascript, name="strict", ulp_when_drawn=())
    given = {"scores": [{"bits": "3fccd597e1bfb140", "decimal": "0.22526834986582323"}]}
    with Panel([reference, javascript, strict], 20.0) as panel:
        lines = panel.difference("fusion.normalize", {"normalizer": "sigmoid"}, given)
    assert lines is not None
    assert lines[0] == "strict is not as reference: value at 0, 1 ULP"


def test_operations_that_are_not_claimed_are_not_run() -> None:
    reference, javascript = listing.load(["reference", "javascript"])
    with Panel([reference, javascript], 20.0) as panel:
        assert panel.difference("segmenter.cut", {}, {"text": "x"}) is None
        assert panel.compared == {"javascript": 0}


def test_drawn_walks_follow_from_their_seeds() -> None:
    content = case_files.load_yaml(CASES / "search" / "script.drawn.yml")
    for case in content["cases"]:
        params, given = walks.drawn(walks.seeded(case["origin"]["seed"]))
        assert (case["params"], case["input"]) == (params, given), case["id"]

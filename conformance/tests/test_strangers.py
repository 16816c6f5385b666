"""Mistakes that a port might make: reports first show where they are (CNF-14)."""

import dataclasses
import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from conformance.cases.fixtures import Case
from conformance.implementations import listing
from conformance.judging import runner, suspects
from conformance.judging.results import Result
from conformance.judging.suspects import Suspicion
from conformance.paths import ROOT
from conformance.reports import html, log, places, terminal, whereabouts
from conformance.reports.log import Log
from conformance.tests.conftest import committed

FAULTS = ROOT / "conformance/known_bad/strangers.rb"
MODULES = ("embedding", "fusion", "numeric", "post_processor", "reranker", "text")
SLOW_MODULES = ("retriever", "search", "tables", "retrieval_service", "index_files", "kept", "beir_collection")
FIRST_SCREEN = 40
"""Lines of a terminal."""

Found = tuple[list[Result], Suspicion]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """The cases of some modules, and of the whole tables only the wrong one."""
    return [case for case in committed().cases if case.module in MODULES or case.operation == "tables.idf"]


def asked(cases: list[Case], fault: str) -> Found:
    port = listing.load(["ruby"])[0]
    broken = dataclasses.replace(
        port,
        command=("ruby", "-r", str(FAULTS), *port.command[-1:]),
        environment=(*port.environment, ("STRANGERS_FAULT", fault)),
    )
    results = runner.run([broken], cases, runner.Options(shuffle=False))[0].results
    return results, suspects.find(results, cases)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("fault", "place", "function", "file"),
    [
        ("integer division", "post_processor.cosines at weigh", "inverse_frequencies", "post_processor/keyword_cosine"),
        ("stale cache", "embedding.cache at call passage", "encode", "embedding/cache"),
        ("table off by one", "tables.idf at value", "idf", "text/idf_table"),
        ("one division after the other", "numeric.cosine at value", "cosine_of", "base/numeric"),
    ],
)
def test_the_first_reported_place_is_the_place_of_the_mistake(
    cases: list[Case], fault: str, place: str, function: str, file: str, tmp_path: Path
) -> None:
    results, suspicion = asked(cases, fault)
    assert places.of_cases(results, suspicion.mistakes[0].cases)[0].name == place
    first = whereabouts.functions(suspicion.mistakes[0], suspicion.right, ["ruby"])[0]
    assert function in first.partition(" in ")[0].split(", ")
    assert f" ruby/lib/hybrid_search/{file}.rb:" in first
    assert first.partition("the reference: ")[2].startswith("python_ref/hybrid_search/")
    told = shown(results, suspicion)
    page = html.build(told).partition('class="places"')[2]
    assert page.index(f"{file}.rb:") < page.index(place)
    lines = screen(told, tmp_path)
    assert lines[1].startswith("1. look first at ")
    assert f"{file}.rb:" in lines[1]
    assert any(line.startswith(f"   {place} (ruby): ") for line in lines[:FIRST_SCREEN])


def shown(results: list[Result], suspicion: Suspicion) -> Log:
    return Log(start={"implementations": ["ruby"]}, results=results, suspicion=suspicion, end={"exit": 1})


def screen(told: Log, folder: Path) -> list[str]:
    """Return the lines that the terminal shows below the table."""
    with (folder / "shown").open("w", encoding="utf-8") as file:
        terminal.show(told, terminal.new_console(file=file))
    lines = (folder / "shown").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line[:1] not in ("|", "+")]


TRIPLES = {
    "sum from the right + ranks from 0 + first stage ignored": ("sum_left", "fusion/rrf.rb", "_scored"),
    "sample deviation + stale cache + tags without norm": ("_z_score", "embedding/cache.rb", "_tag_score"),
    "sum from the right + ties in input order + tags without norm": ("sum_left", "base/ordering.rb", "_tag_score"),
}
"""Three mistakes at once → what the first screen must name for each of them."""


@pytest.mark.nightly
@pytest.mark.parametrize("faults", TRIPLES)
def test_the_first_screen_leads_to_each_of_three_mistakes(faults: str, tmp_path: Path) -> None:
    results, suspicion = asked([case for case in committed().cases if case.module not in SLOW_MODULES], faults)
    lines = screen(shown(results, suspicion), tmp_path)[:FIRST_SCREEN]
    looked = [line for line in lines if " look first at " in line]
    for named in TRIPLES[faults]:
        assert any(named in line for line in looked), lines


def wrong(case: str) -> Result:
    operation = case.rpartition(".")[0].rpartition(".")[0]
    return Result(case, operation.partition(".")[0], operation, "ruby", "fail", counts=True, stage="value")


SUM, RRF = ("numeric.py", "sum", 1), ("fusion/rrf.py", "fuse", 1)
PAGE, RERANK = ("page.py", "page", 1), ("rerank.py", "rerank", 1)


def test_mistakes_are_ordered_by_the_failures_that_they_explain() -> None:
    failing = [wrong(f"numeric.sum.a.{n:03}") for n in range(3)] + [wrong(f"fusion.rrf.a.{n:03}") for n in range(5)]
    failing += [wrong("reranker.model.a.001"), wrong("reranker.model.a.002")]
    passes = {"numeric": {SUM}, "fusion": {RRF, PAGE}, "reranker": {RERANK, PAGE}}
    reached = {one.case: passes[one.module] for one in failing}
    mistakes = suspects.explain(failing, reached, [{PAGE}, {SUM, PAGE}, {PAGE}])
    assert [(one.suspects[0].file, len(one.cases)) for one in mistakes] == [
        ("fusion/rrf.py", 5),
        ("numeric.py", 3),
        ("rerank.py", 2),
    ]


def test_places_of_one_mistake_show_a_value_of_each_operation(tmp_path: Path) -> None:
    names = ["numeric.sum.a.001", "fusion.rrf.a.001", "retriever.retrieve.a.001"]
    failing = [
        dataclasses.replace(wrong(name), details=(f"[0]: expected {n}, got {n}.5",)) for n, name in enumerate(names)
    ]
    mistake = suspects.Mistake((suspects.Suspect("base/numeric.py", "sum_left", 7, 3, 1, 0.8),), tuple(names), 3)
    lines = screen(shown(failing, Suspicion((mistake,), 3, 9, {})), tmp_path)
    for n, name in enumerate(names):
        assert any(f"{name}: [0]: expected {n}, got {n}.5" in line for line in lines)


def sample(right: Iterable[str], wrong: Iterable[str]) -> list[Result]:
    one = Result("", "fusion", "fusion.rrf", "ruby", "pass", counts=False)
    passed = [dataclasses.replace(one, case=case, operation=case.rpartition(".")[0]) for case in right]
    failed = [dataclasses.replace(one, case=case, status="fail", counts=True, stage="fuse") for case in wrong]
    return passed + failed


def test_nothing_is_suspected_without_failures_or_with_few_passes(cases: list[Case]) -> None:
    names = [case.id for case in cases if case.operation == "fusion.rrf"]
    assert suspects.find(sample(names, []), cases) == Suspicion()
    assert suspects.find(sample(names[: suspects.LEAST_RIGHT - 1], names[-1:]), cases) == Suspicion()


def test_the_log_stores_the_suspects() -> None:
    mistake = suspects.Mistake((suspects.Suspect("fusion/fusion.py", "Fusion.rrf", 7, 2, 1, 0.8),), ("a.b.c.001",), 3)
    suspicion = Suspicion((mistake,), 2, 9, {"a at b": 3})
    events: list[log.Event] = [{"type": "suspects", **json.loads(json.dumps(dataclasses.asdict(suspicion)))}]
    assert log.parse(events).suspicion == suspicion


def test_code_that_no_port_has_is_named_only_in_the_reference() -> None:
    mistake = suspects.Mistake((suspects.Suspect("no/_such.py", "Such.thing", 7, 2, 1, 0.8),), ("a.b.c.001",), 2)
    told = "thing in python_ref/hybrid_search/no/_such.py:7; through it pass 2 of 2 wrong cases and 1 of 9 right ones"
    assert whereabouts.functions(mistake, 9, ["ruby"]) == [told]

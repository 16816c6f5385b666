"""Mistakes that somebody might make in a port: the first thing that reports say is where they are (CNF-14)."""

import dataclasses
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

Found = tuple[list[Result], Suspicion]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """Those of some modules, and of the whole tables the one that is wrong."""
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
def test_the_first_place_is_that_of_the_mistake(
    cases: list[Case], fault: str, place: str, function: str, file: str, tmp_path: Path
) -> None:
    results, suspicion = asked(cases, fault)
    assert places.gather(results, suspicion.depths)[0].name == place
    first = whereabouts.functions(suspicion, ["ruby"])[0]
    assert function in first.partition(" in ")[0].split(", ")
    assert f" ruby/lib/hybrid_search/{file}.rb:" in first
    assert first.partition("the reference: ")[2].startswith("python_ref/hybrid_search/")
    told = Log(start={"implementations": ["ruby"]}, results=results, suspicion=suspicion, end={"exit": 1})
    page = html.build(told).partition('class="places"')[2]
    assert page.index(f"{file}.rb:") < page.index(place)
    with (tmp_path / "shown").open("w", encoding="utf-8") as shown:
        terminal.show(told, terminal.new_console(file=shown))
    lines = [
        line for line in (tmp_path / "shown").read_text(encoding="utf-8").splitlines() if line[:1] not in ("|", "+")
    ]
    assert lines[0].startswith("look first at ")
    assert f"{file}.rb:" in lines[0]
    assert place in lines[len(whereabouts.functions(suspicion, ["ruby"])) + 1]


def sample(right: Iterable[str], wrong: Iterable[str]) -> list[Result]:
    one = Result("", "fusion", "fusion.rrf", "ruby", "pass", counts=False)
    passed = [dataclasses.replace(one, case=case, operation=case.rpartition(".")[0]) for case in right]
    failed = [dataclasses.replace(one, case=case, status="fail", counts=True, stage="fuse") for case in wrong]
    return passed + failed


def test_nothing_is_suspected_where_nothing_is_wrong_or_little_is_right(cases: list[Case]) -> None:
    names = [case.id for case in cases if case.operation == "fusion.rrf"]
    assert suspects.find(sample(names, []), cases) == Suspicion()
    assert suspects.find(sample(names[: suspects.LEAST_RIGHT - 1], names[-1:]), cases) == Suspicion()


def test_the_log_keeps_what_is_suspected() -> None:
    suspicion = Suspicion((suspects.Suspect("fusion/fusion.py", "Fusion.rrf", 7, 2, 1, 0.8),), 2, 9, {"a at b": 3})
    events: list[log.Event] = [{"type": "suspects", **dataclasses.asdict(suspicion)}]
    assert log.parse(events).suspicion == suspicion


def test_what_is_in_no_port_is_named_in_the_reference_alone() -> None:
    suspicion = Suspicion((suspects.Suspect("no/_such.py", "Such.thing", 7, 2, 1, 0.8),), 2, 9, {})
    told = "thing in python_ref/hybrid_search/no/_such.py:7; through it pass 2 of 2 wrong cases and 1 of 9 right ones"
    assert whereabouts.functions(suspicion, ["ruby"]) == [told]

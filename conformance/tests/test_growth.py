"""No cost grows faster than its bound, and the measurement detects one that does."""

import json

import pytest

from conformance.growth import command
from conformance.growth.measuring import Growth
from conformance.growth.patterns import PATTERNS
from conformance.growth.survey import confirmed, expected, judged, survey
from conformance.growth.workers import COMMANDS, Worker

SIZE = 128


def growth(short: float, long: float, power: int = 1) -> Growth:
    return Growth("python", "tokenize", "stop words", 1024, short, long, power)


def test_a_pattern_has_the_requested_length() -> None:
    assert len(PATTERNS) >= 60
    for pattern in PATTERNS.values():
        assert [len(pattern(size)) for size in (4, 7, 32, 999)] == [4, 7, 32, 999]


def test_patterns_differ() -> None:
    assert len({pattern(200) for pattern in PATTERNS.values()}) == len(PATTERNS)


def test_growth_above_the_bound_counts_as_too_fast() -> None:
    assert not growth(0.01, 0.12).is_suspect
    assert growth(0.01, 0.2).is_suspect
    assert not growth(0.01, 0.6, power=2).is_suspect
    assert growth(0.01, 1.5, power=2).is_suspect
    assert not growth(0.00001, 0.0009).is_suspect


def test_the_cost_of_a_longer_text_is_estimated_from_two_measurements() -> None:
    assert expected(growth(0.01, 0.08), 2048) == pytest.approx(0.16)
    assert expected(growth(0.01, 0.64), 2048) == pytest.approx(2.56)
    assert expected(growth(0.01, 0.64, power=2), 4 * 1024) == pytest.approx(0.64)


@pytest.mark.nightly
@pytest.mark.parametrize("language", list(COMMANDS))
def test_a_quadratic_cost_is_found_and_a_linear_one_is_not(language: str) -> None:
    with Worker(language) as worker:
        assert judged(worker, "quadratic", "one rare character", 512).is_suspect
        assert not judged(worker, "linear", "one rare character", 4096).is_suspect


def test_both_languages_time_the_same_operations() -> None:
    names = []
    for language in COMMANDS:
        with Worker(language) as worker:
            names.append(worker.operations())
    assert sorted(names[0]) == sorted(names[1])


@pytest.mark.nightly
def test_the_cost_of_no_pattern_grows_too_fast() -> None:
    found = survey(list(COMMANDS), lambda _: True, list(PATTERNS), SIZE)
    assert confirmed(found, SIZE) == []


@pytest.mark.nightly
def test_the_command_prints_every_measurement(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--size", "64", "--pattern", "one*", "--operation", "tok*", "--format"]
    assert command.main([*arguments, "json"]) == command.FINE
    shown = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {one["operation"] for one in shown} >= {"tokenize", "token_similarity_both"}
    assert {one["language"] for one in shown} == set(COMMANDS)
    assert command.main([*arguments, "table"]) == command.FINE
    assert "0 grow too fast" in capsys.readouterr().out


def test_unknown_patterns_and_sizes_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--pattern", "none such"]) == command.BROKEN
    assert command.main(["--size", "3"]) == command.BROKEN
    assert "--size must be at least 64" in capsys.readouterr().err

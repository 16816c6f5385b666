"""Every limit of the library has cases on both sides of it, or is listed with the reason (CNF-2)."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conformance import yaml_files
from conformance.cases import fixtures
from conformance.cases.fixtures import Case
from conformance.conditions import limits
from conformance.paths import CONFORMANCE, ROOT
from conformance.wire.values import canonical

LISTED = yaml_files.load(CONFORMANCE / "limits.yml")
ACCELERATED = {name for name in LISTED["compared"] if name.startswith("accelerated/")}
SESSIONS = "command_lines."
"""The prefix of the ids of cases that play whole sessions of the command line, which takes seconds."""
RUBY = ROOT / "ruby" / "lib" / "hybrid_search"
MOST_WITHOUT = 50
"""The number of limits without cases on both sides. It may only fall."""


@cache
def cases() -> dict[str, Case]:
    return {case.id: case for case in fixtures.load().cases}


def test_every_limit_of_the_source_is_listed_once() -> None:
    groups = ["compared", "shown", "counted"]
    listed = [name for group in groups for name in LISTED[group]]
    listed += [name for names in LISTED["without"].values() for name in names]
    assert len(listed) == len(set(listed))
    source = limits.in_source()
    assert set(source) - set(listed) == set(), "add cases with n and n + 1, and list them in conformance/limits.yml"
    assert set(listed) - set(source) == set(), "there is no such limit any more"
    assert sum(len(names) for names in LISTED["without"].values()) <= MOST_WITHOUT


def test_every_number_in_a_comparison_has_a_name_or_a_reason() -> None:
    listed = [one for ones in LISTED["unnamed"].values() for one in ones]
    assert len(listed) == len(set(listed))
    source = limits.unnamed() | limits.unnamed_in_ruby(RUBY)
    assert source - set(listed) == set(), "name the number as a constant, or list it in conformance/limits.yml"
    assert set(listed) - source == set(), "there is no such number any more"


@pytest.mark.parametrize("code", ["a[:9]", "a[b - 40 :]", "a > 9", "0 <= a <= 1 << 16", "min(a, 10)", "range(1, 99)"])
def test_numbers_without_a_name_are_found(tmp_path: Path, code: str) -> None:
    (tmp_path / "a.py").write_text(f"MOST = 9\nx = {code}\n", encoding="utf-8")
    assert len(limits.unnamed(tmp_path)) == 1


@pytest.mark.parametrize("code", ["a[0, 9]", "a[...40]", "a > 9", "a.first(10)", "a.clamp(1, 99)", "[a, 30].min"])
def test_numbers_without_a_name_are_found_in_ruby(tmp_path: Path, code: str) -> None:
    (tmp_path / "a.rb").write_text(f"MOST = 9\nx = {code}\n", encoding="utf-8")
    assert len(limits.unnamed_in_ruby(tmp_path)) == 1


@pytest.mark.parametrize("code", ["a[:8]", "a > 8", "a > MOST", "f(10)", "a == 9.5"])
def test_small_and_named_numbers_are_not_found(tmp_path: Path, code: str) -> None:
    for name in ("a.py", "a.rb"):
        (tmp_path / name).write_text(f"x = {code}\n", encoding="utf-8")
    assert limits.unnamed(tmp_path) | limits.unnamed_in_ruby(tmp_path) == set()


def plays_sessions(cases: list[str]) -> bool:
    return any(identifier.startswith(SESSIONS) for identifier in cases)


@pytest.mark.parametrize("sessions", [False, pytest.param(True, marks=pytest.mark.nightly)])
def test_compared_limits_meet_numbers_on_both_sides(sessions: bool) -> None:
    plain = {name: named for name, named in LISTED["compared"].items() if name not in ACCELERATED}
    chosen = {name: named for name, named in plain.items() if plays_sessions(named) == sessions}
    assert chosen
    assert lacking(chosen) == []


def test_limits_of_fast_forms_meet_numbers_on_both_sides() -> None:
    named = {name: LISTED["compared"][name] for name in sorted(ACCELERATED)}
    code = "import json, sys\nfrom conformance.tests import test_limits\n"
    code += "print(json.dumps(test_limits.lacking(json.load(sys.stdin))))"
    path = os.pathsep.join((str(ROOT / "python_ref"), str(ROOT)))
    environment = {**os.environ, "HYBRID_SEARCH_KERNELS": "fast", "PYTHONPATH": path}
    command = [sys.executable, "-c", code]
    told = subprocess.run(
        command, input=json.dumps(named), stdout=subprocess.PIPE, text=True, env=environment, check=True
    )
    assert json.loads(told.stdout) == []


def lacking(named: dict[str, list[str]]) -> list[str]:
    """Return the limits whose named cases do not meet the numbers on both sides."""
    found: dict[str, set[str]] = {name: set() for name in named}
    with limits.watched(named) as watched:
        for identifier in sorted({one for names in named.values() for one in names}):
            limits.answer(cases()[identifier])
            for name, limit in watched.items():
                if identifier in named[name]:
                    found[name] |= limit.sides
                limit.sides.clear()
    pairs = ({limits.AT, limits.ABOVE}, {limits.BELOW, limits.AT})
    return [name for name, sides in found.items() if not any(pair <= sides for pair in pairs)]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.nightly] if plays_sessions(LISTED["shown"][name]) else [])
        for name in sorted(LISTED["shown"])
    ],
)
def test_visible_limits_change_a_result_when_they_are_off_by_one(name: str) -> None:
    lower, higher = (cases()[identifier] for identifier in LISTED["shown"][name])
    for by, case in ((-1, lower), (1, higher)):
        expected = limits.answer(case)
        with limits.placed({name: limits.value_of(name) + by}):
            assert canonical(limits.answer(case)) != canonical(expected), f"{case.id}: {by:+}"


@pytest.mark.parametrize("name", sorted(LISTED["counted"]))
def test_block_sizes_occur_as_counts_in_cases(name: str) -> None:
    found: set[int] = set()
    for identifier in LISTED["counted"][name]:
        found |= limits.counts(cases()[identifier].input)
    value = limits.value_of(name)
    assert {value, value + 1} <= found


def test_limits_that_results_depend_on_are_the_same_in_both_languages() -> None:
    different: list[Any] = []
    for full, value in limits.in_source().items():
        module, _, name = full.rpartition(".")
        path = RUBY / f"{module}.rb"
        if module.startswith("accelerated/") or not path.is_file():
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            head, _, number = line.strip().partition(" = ")
            if head == name and number.replace("_", "").isdigit() and int(number) != value:
                different.append((full, value, number))
    assert different == []

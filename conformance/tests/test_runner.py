"""Each bad behaviour of an implementation gets its own verdict, and the run continues (CNF-9, CNF-11, CNF-12)."""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cases import fixtures
from conformance.implementations.listing import Implementation
from conformance.judging import runner
from conformance.judging.known import Known
from conformance.judging.results import Result
from conformance.reports import outcome
from conformance.tests.conftest import make_case, write_fixtures
from conformance.wire import descendants, protocol

Scripted = Callable[..., Implementation]


def statuses(implementation: Implementation, fixture_file: Path, entries: list[Known] | None = None) -> list[Result]:
    cases = fixtures.load(fixture_file.parents[1]).cases
    return runner.run([implementation], cases, runner.Options(seed=7), entries)[0].results


@pytest.mark.parametrize(
    ("behaviour", "status", "stage"),
    [
        ("pass", "pass", None),
        ("if third: reply['value'] = []", "fail", "value"),
        ("if third: reply['value'] = []; reply.get('trace', [0]).pop()", "fail", "fuse"),
        ("if third and message['want_trace']: del reply['trace'][1]", "fail", "fuse"),
        (
            "if third: reply['value'][0][1] = {'bits': '3fe8000000000001', 'decimal': '0.7500000000000001'}",
            "fail",
            "fuse",
        ),
        ("if third: reply['value'][1], reply['value'][2] = reply['value'][2], reply['value'][1]", "fail", "fuse"),
        ("if third and message['want_trace']: reply['trace'][0]['value'] = ['other']", "fail", "tokenise"),
        ("if third: time.sleep(30)", "timeout", None),
        ("if third: os._exit(3)", "crash", None),
        ("if third: sys.stdout.write('{\"seq\":'); sys.stdout.flush(); os._exit(0)", "crash", None),
        ("if third: print('noise')", "protocol", None),
        ("if third: reply['seq'] += 1", "protocol", None),
        ("if third: reply['value'] = 0.5", "protocol", None),
        ("if third: reply['extra'] = 1", "protocol", None),
        ("if third: reply = {'seq': message['seq'], 'unsupported': 'echo'}", "unsupported", None),
        (
            "if third: reply = {'seq': message['seq'], 'error': {'class': 'internal:KeyError', 'message': 'x'}}",
            "error",
            "error",
        ),
        (
            "if third: del reply['value']; reply['error'] = {'class': 'InvalidInputError', 'message': 'x'}",
            "error",
            "error",
        ),
        ("if third and count != 3: reply['value'] = []", "unstable", None),
    ],
)
def test_every_behaviour_gets_its_verdict(
    behaviour: str, status: str, stage: str | None, scripted: Scripted, fixture_file: Path
) -> None:
    results = statuses(scripted(behaviour), fixture_file)
    assert [result.status for result in results[:2]] == ["pass", "pass"]
    assert (results[2].status, results[2].stage) == (status, stage)
    assert results[2].counts == (status != "pass")


def test_output_after_an_answer_is_a_protocol_error(scripted: Scripted, fixture_file: Path) -> None:
    noisy = scripted("if message['input']['tokens'] == ['first']: say(reply)")
    cases = fixtures.load(fixture_file.parents[1]).cases
    results = runner.run([noisy], cases, runner.Options(shuffle=False))[0].results
    assert [result.status for result in results] == ["pass", "protocol", "pass"]


def test_a_distance_is_reported_in_ulp(scripted: Scripted, fixture_file: Path) -> None:
    behaviour = (
        "reply = json.loads(json.dumps(reply).replace('3fe8000000000000', '3fe8000000000003')"
        ".replace('0.75', '0.7500000000000003'))"
    )
    result = statuses(scripted(behaviour), fixture_file)[0]
    assert (result.status, result.ulp) == ("fail", 3)
    cases = fixtures.load(fixture_file.parents[1]).cases
    tolerant = runner.run([scripted(behaviour)], cases, runner.Options(tolerance=3))[0].results[0]
    assert (tolerant.status, tolerant.ulp) == ("pass", 3)


def test_an_implementation_that_does_not_start_crashes_every_case(fixture_file: Path, tmp_path: Path) -> None:
    missing = Implementation("none", (str(tmp_path / "no-such-program"),), tmp_path, 1.0, 1.0)
    assert {result.status for result in statuses(missing, fixture_file)} == {"crash"}


def test_unsupported_is_allowed_where_the_capabilities_omit_the_operation(
    scripted: Scripted, fixture_file: Path
) -> None:
    behaviour = "reply = {'seq': message['seq'], 'unsupported': 'echo'}"
    without = statuses(scripted(behaviour, capabilities=()), fixture_file)
    assert {(result.status, result.counts) for result in without} == {("unsupported", False)}


def test_a_case_that_is_not_run_is_not_a_failure_and_states_why(scripted: Scripted, fixture_file: Path) -> None:
    apart = replace(scripted("if third: reply['value'] = []"), unasked=(("echo.*.003", "it is too long"),))
    results = statuses(apart, fixture_file)
    assert [(result.status, result.counts) for result in results][1:3] == [("pass", False), ("unsupported", False)]
    assert results[2].message == "is not asked: it is too long"


def entry(case: str, kind: str) -> Known:
    return Known(case, "echo", kind, "FUS-2", "a reason", "somebody", "2026-01-31")


def test_known_differences_must_not_become_stale(scripted: Scripted, fixture_file: Path) -> None:
    failing = scripted("if third: reply['value'] = []")
    known = statuses(failing, fixture_file, [entry("echo.value.small.003", "fail")])
    assert [(result.status, result.counts) for result in known][2] == ("known", False)
    other_kind = statuses(failing, fixture_file, [entry("echo.value.small.003", "crash")])[2]
    assert (other_kind.status, other_kind.counts) == ("fail", True)
    fixed = statuses(scripted(), fixture_file, [entry("echo.*", "fail")])
    assert {(result.status, result.counts) for result in fixed} == {("fixed", True)}


def test_a_hello_with_unlisted_capabilities_is_a_protocol_error(scripted: Scripted, fixture_file: Path) -> None:
    results = statuses(scripted(capabilities=("echo",)), fixture_file)
    assert {result.status for result in results} == {"protocol"}
    assert "says in its hello" in results[0].message


@pytest.mark.parametrize(
    ("named", "status"), [("echo.value", "unsupported"), ("echo", "unsupported"), ("fusion", "protocol")]
)
def test_unsupported_must_name_the_requested_operation(
    named: str, status: str, scripted: Scripted, fixture_file: Path
) -> None:
    behaviour = f"if third: reply = {{'seq': message['seq'], 'unsupported': {named!r}}}"
    result = statuses(scripted(behaviour), fixture_file)[2]
    assert (result.status, result.counts) == (status, True)


def test_after_five_cases_without_an_answer_the_rest_are_skipped(scripted: Scripted, tmp_path: Path) -> None:
    cases = fixtures.load(write_fixtures(tmp_path / "f", [make_case(n, [str(n)], n) for n in range(1, 9)]).parents[1])
    one = runner.run([scripted("time.sleep(60)", timeout=0.2)], cases.cases, runner.Options())[0]
    assert {result.status for result in one.results} == {"timeout"}
    assert [result.message.startswith("not tried") for result in one.results] == [False] * 5 + [True] * 3
    assert one.starts == 5


def test_a_different_failure_in_another_order_is_unstable(scripted: Scripted, fixture_file: Path) -> None:
    behaviour = "if third: reply['value'] = [] if message['want_trace'] else [count]"
    result = statuses(scripted(behaviour), fixture_file)[2]
    assert result.status == "unstable"
    assert result.details[0].startswith("in file order: fail: ")


def test_a_missing_answer_in_another_order_is_a_time_out(scripted: Scripted, fixture_file: Path) -> None:
    result = statuses(scripted("if third and not message['want_trace']: time.sleep(30)"), fixture_file)[2]
    assert result.status == "timeout"
    assert "in another order of cases" in result.message


def test_slow_implementations_may_skip_the_second_pass(scripted: Scripted, fixture_file: Path) -> None:
    cases = fixtures.load(fixture_file.parents[1]).cases
    chosen = [scripted(name="quick"), scripted(name="slow", slow=True)]
    starts = [one.starts for one in runner.run(chosen, cases, runner.Options(shuffle_slow=False))]
    assert starts == [2, 1]
    assert [one.starts for one in runner.run(chosen, cases, runner.Options())] == [2, 2]


def test_slow_cases_may_skip_the_second_pass(scripted: Scripted, fixture_file: Path) -> None:
    cases = [replace(case, flags=("corpus",)) for case in fixtures.load(fixture_file.parents[1]).cases]
    changing = scripted("if not message['want_trace']: reply['value'] = 'other'")
    for options, status in ((runner.Options(shuffle_slow=False), "pass"), (runner.Options(), "unstable")):
        results = runner.run([changing], cases, options)[0].results
        assert {result.status for result in results} == {status}


def test_slow_implementations_may_run_a_sample_of_the_short_cases(scripted: Scripted, fixture_file: Path) -> None:
    short, *others = fixtures.load(fixture_file.parents[1]).cases
    cases = [short, *(replace(case, flags=("corpus",)) for case in others)]
    options = runner.Options(slow_sample=2)
    assert len(options.asked(chosen_slow := scripted(name="other", slow=True), [short, *others])) == 2
    assert options.asked(chosen_slow, [short, *others]) == options.asked(chosen_slow, [short, *others])
    chosen = [scripted(name="quick"), scripted(name="slow", slow=True), scripted(name="reference", slow=True)]
    runs = runner.run(chosen, cases, options)
    assert [[result.case for result in run.results] for run in runs] == [
        [case.id for case in cases], [short.id], [case.id for case in cases]
    ]  # fmt: skip


def test_unsupported_operations_may_run_a_single_case(scripted: Scripted, fixture_file: Path) -> None:
    cases = fixtures.load(fixture_file.parents[1]).cases
    other = scripted("reply = {'seq': message['seq'], 'unsupported': 'echo'}", capabilities=())
    for sample, count in ((2, len(cases) - 1), (1, 0)):
        results = runner.run([other], cases, runner.Options(slow_sample=sample))[0].results
        assert [(result.status, result.counts) for result in results] == [("unsupported", False)] * len(cases)
        assert [result.message.startswith("is not asked") for result in results].count(True) == count
    wrong = scripted("", capabilities=())
    results = runner.run([wrong], cases, runner.Options(slow_sample=2))[0].results
    assert [result.status == "unsupported" for result in results] == [False, True, True]


def test_a_sample_of_the_cases_is_drawn_for_the_second_pass(scripted: Scripted, fixture_file: Path) -> None:
    cases = fixtures.load(fixture_file.parents[1]).cases
    changing = scripted("if not message['want_trace']: reply['value'] = 'other'")
    for sample, count in ((1, 3), (2, 2), (3, 1), (9, 1)):
        results = runner.run([changing], cases, runner.Options(shuffle_sample=sample))[0].results
        assert [result.status for result in results].count("unstable") == count
    assert runner.Options(shuffle_sample=2).shuffled(cases) == runner.Options(shuffle_sample=2).shuffled(cases)


def test_equal_lines_are_judged_once_and_others_separately(
    scripted: Scripted, fixture_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[bytes] = []
    whole = protocol.from_line
    monkeypatch.setattr(protocol, "from_line", lambda line: read.append(line) or whole(line))
    cases = fixtures.load(fixture_file.parents[1]).cases
    wrong = scripted("if third: reply['value'] = []", name="wrong")
    one, other, third = runner.run([scripted(), scripted(name="other"), wrong], cases, runner.Options())
    for run in (one, other):
        assert {result.status for result in run.results} == {"pass"}
    assert [result.status for result in third.results].count("fail") == 1
    answers = [line for line in read if line.startswith(b'{"seq"')]
    assert len(answers) < 3 * 2 * len(cases)


def test_the_time_of_a_run_is_limited(scripted: Scripted, fixture_file: Path) -> None:
    cases = fixtures.load(fixture_file.parents[1]).cases
    slow = scripted("time.sleep(0.4)", timeout=5.0)
    results = runner.run([slow], cases, runner.Options(budget=0.5))[0].results
    assert [result.status for result in results][-1] == "timeout"
    assert "--budget" in results[-1].message
    assert all(result.counts for result in results if result.status == "timeout")


SLEEPER = "subprocess.Popen(['sleep', '3600'], {streams})"


@pytest.mark.parametrize(
    ("streams", "told"),
    [
        ("", "holds its stdout open"),
        ("stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL", "goes on"),
        ("stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True", "goes on"),
    ],
)
def test_a_process_left_behind_is_reported_and_ended(
    streams: str, told: str, scripted: Scripted, fixture_file: Path
) -> None:
    leaves = scripted(f"import subprocess\nif third: {SLEEPER.format(streams=streams)}")
    before = set(sleepers())
    results = statuses(leaves, fixture_file)
    assert (results[2].status, told in results[2].message) == ("protocol", True)
    assert set(sleepers()) <= before


@pytest.mark.skipif(not descendants.MEMORY.is_dir(), reason="there is no file system in memory")
def test_folders_in_memory_that_a_process_leaves_are_removed(scripted: Scripted, fixture_file: Path) -> None:
    made = f"os.path.join({str(descendants.MEMORY)!r}, os.environ[{descendants.MARK!r}] + 'left')"
    leaves = scripted(f"import os\nif third:\n        os.mkdir({made})\n        os._exit(1)")
    results = statuses(leaves, fixture_file)
    assert results[2].status == "crash"
    assert list(descendants.MEMORY.glob("*left")) == []


def sleepers() -> list[Path]:
    """The processes that sleep for an hour."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if path.read_bytes() == b"sleep\x003600\x00":
                found.append(path)
    return found


def test_a_run_with_only_unsupported_cases_compares_nothing(scripted: Scripted, fixture_file: Path) -> None:
    cases = fixtures.load(fixture_file.parents[1]).cases
    without = scripted("reply = {'seq': message['seq'], 'unsupported': 'echo'}", capabilities=())
    one = runner.run([without], cases, runner.Options())
    assert outcome.exit_status([], one) == outcome.NOTHING_COMPARED
    both = runner.run([without, scripted(name="other")], cases, runner.Options())
    assert outcome.exit_status([], both) == outcome.CONFORMANT

"""Command lines of `hybrid-search`: both programs print the same JSON and errors with the same statuses (CUR-5)."""

import json
import re
from pathlib import Path

import pytest

from conformance.cases import choices
from conformance.command_lines import session
from conformance.command_lines.session import PYTHON, RUBY, Session
from conformance.tests.conftest import committed

pytestmark = pytest.mark.programs

SESSIONS = session.load()
MIXED = [each for each in SESSIONS if each.mixed]


def shown(value: object) -> str:
    return value.name if isinstance(value, Session) else "+".join(value) if isinstance(value, tuple) else repr(value)


@pytest.mark.parametrize(
    ("each", "programs"),
    [
        *((each, programs) for each in MIXED for programs in ((PYTHON, RUBY), (RUBY, PYTHON))),
    ],
    ids=shown,
)
def test_a_session_prints_its_expected_output(each: Session, programs: tuple[str, ...], tmp_path: Path) -> None:
    told = session.run(each, tmp_path, programs)
    for wanted, found in zip(session.golden()[each.name], told, strict=True):
        assert found == wanted


def test_the_cases_of_command_lines_match_the_expected_output() -> None:
    """`bin/conformance` runs each program separately, by the operation `command_lines.session`."""
    expected = {
        case.input["session"]: case.expect["value"] for case in committed().cases if case.module == "command_lines"
    }
    assert expected == choices.shortened({"value": session.golden()})["value"]


def test_errors_are_one_line_with_the_exit_status_of_their_kind() -> None:
    told = [step for steps in session.golden().values() for step in steps]
    without_index = 3  # `locate` did what it could
    assert {step["status"] for step in told} == {0, 1, 2, without_index}
    failed = [step for step in told if step["status"] not in (0, without_index)]
    for step in failed:
        assert step["stderr"].endswith("\n")
        progress = "--progress lines" in step["run"]
        said = [line for line in step["stderr"].splitlines() if not (progress and line.startswith("{"))]
        assert said[0].startswith(("hybrid-search", "code_index: "))
        assert "unexpectedly" not in step["stderr"]
        if not step["run"].startswith("get "):  # which reports each document that is missing, and prints the others
            assert len(said) == 1
            assert step["stdout"] == ""


def test_every_flag_occurs_in_a_session() -> None:
    from hybrid_search.cli.command import commands

    tried = " ".join(step.shown for each in SESSIONS for step in each.steps)
    names = {
        f"--{name}" for command in commands().values() for flag in command.flags for name in (flag.name, *flag.also)
    }
    assert {name for name in names if f"{name} " not in tried and f"{name}=" not in tried} <= {
        "--help",
        "--embed-model",
        "--watch",  # has no end: test_watch.py
    }


def test_a_stream_is_a_meta_line_then_hits_then_a_done_line() -> None:
    streams = [
        [json.loads(line) for line in step["stdout"].splitlines()]
        for steps in session.golden().values()
        for step in steps
        if "--stream" in step["run"] and not step["status"] and "\n" in step["stdout"]
    ]
    assert len(streams) >= 8
    for lines in streams:
        assert [line["type"] for line in lines] == ["meta", *["hit"] * (len(lines) - 2), "done"]
        meta, *hits, done = lines
        assert set(meta) - {"facets", "explain"} == {
            *("type", "question", "total", "total_is_lower_bound", "page", "pages", "limit"),
            *("index_changed", "warnings"),
        }
        assert done["returned"] == len(hits) <= meta["limit"]
        assert (done["next_cursor"] is None) == (meta["page"] >= meta["pages"])
        assert set(done) == {"type", "returned", "index_changed", "next_cursor"}


@pytest.mark.parametrize("limit", [257, 300, 599, 600, 601])
def test_streams_read_page_by_page_equal_pages_by_number_and_by_cursor(limit: int, tmp_path: Path) -> None:
    """Pages of more documents than one read returns begin and end like pages from a single read."""
    records = "".join(json.dumps({"id": f"{number:03d}", "content": "word"}) + "\n" for number in range(600))

    def answer(*arguments: str, stdin: str = "") -> str:
        told = session.ask_here(tmp_path, session.Asked(arguments, stdin.encode(), {}))
        assert told["status"] == 0, told["stderr"]
        return str(told["stdout"])

    answer("index", "--index", "p.hsx", "--embed", "none", stdin=records)
    shared = ("search", "--match-all", "--index", "p.hsx", "--limit", str(limit))
    cursor: tuple[str, ...] = ()
    for number in range(1, 4):
        by_number = answer(*shared, "--page", str(number), "--stream", "jsonl")
        page = json.loads(answer(*shared, "--page", str(number), "--format", "json"))
        meta, *hits, done = [json.loads(line) for line in by_number.splitlines()]
        assert [hit | {"type": "hit"} for hit in page.pop("hits")] == hits
        assert page.pop("next_cursor") == done["next_cursor"]
        assert {"type": "meta", "question": "", **page} == meta
        if cursor or number == 1:
            assert answer(*shared, *cursor, "--stream", "jsonl") == by_number
        cursor = () if done["next_cursor"] is None else ("--cursor", done["next_cursor"])


def test_no_text_of_the_program_mentions_clauses_or_classes() -> None:
    from hybrid_search.cli.command import commands

    for command in commands().values():
        for flag in command.flags if command.name != "locate" else ():
            assert not re.search(r"\([A-Z]+-\d|`Index`|`Retriever`", flag.says), (command.name, flag.name)


def test_query_is_an_alias_of_search() -> None:
    told = {step["run"]: step["stdout"] for steps in session.golden().values() for step in steps}
    assert told['query "rule 6-2-1" --index h.hsx --limit 1'] == told['search "rule 6-2-1" --index h.hsx --limit 1']


def test_topk_is_an_old_alias_of_limit() -> None:
    told = {step["run"]: step["stdout"] for steps in session.golden().values() for step in steps}
    pages = [
        told[f'search "rule 6-2-1" --index h.hsx --profile ragflow {flags}']
        for flags in ("--limit 1", "--topK 1", "--top-k=1")
    ]
    assert len(set(pages)) == 1
    assert pages[0] == told['search "rule 6-2-1" --index h.hsx --profile ragflow --limit 5 --topK 1']


@pytest.mark.parametrize("program", session.PROGRAMS)
def test_help_describes_every_command_and_flag(program: str, tmp_path: Path) -> None:
    from hybrid_search.cli.command import commands

    def told(*arguments: str) -> str:
        answer = runner.ask(session.Asked(arguments, b"", session.SETTING))
        assert (answer["status"], answer["stderr"]) == (0, "")
        lines = answer["stdout"].splitlines()
        assert [line for line in lines if len(line) > 120 and not line.startswith("  hybrid-search")] == []
        return " ".join(answer["stdout"].split())

    with session.Runner(program, tmp_path) as runner:
        for name, command in commands().items():
            assert f"{name} {command.says}" in told("--help")
            text = told(command.name, "--help")
            assert told(command.name, "-h") == text
            assert all(told(also, "--help") == text for also in command.also)
            texts = [*command.examples, *(flag.says for flag in command.flags)]
            texts += [command.argument.says] if command.argument else []
            solid = "".join(text.split())  # a line may end after a hyphen
            assert [each for each in texts if "".join(each.split()) not in solid] == []
            assert [flag.name for flag in command.flags if f"--{flag.name}" not in text] == []
        assert "default: 10; --topK, --top-k: deprecated names for it" in told("search", "--help")

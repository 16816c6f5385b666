"""Command lines of `hybrid-search`: both programs answer with the same bytes (CUR-5)."""

import json
from pathlib import Path

import pytest

from conformance.command_lines import session
from conformance.command_lines.session import PYTHON, RUBY, Session

pytestmark = pytest.mark.programs

SESSIONS = session.load()
MIXED = [each for each in SESSIONS if each.mixed]


def shown(value: object) -> str:
    return value.name if isinstance(value, Session) else "+".join(value) if isinstance(value, tuple) else repr(value)


@pytest.mark.parametrize(
    ("each", "programs"),
    [
        *((each, (program,)) for each in SESSIONS for program in (PYTHON, RUBY)),
        *((each, programs) for each in MIXED for programs in ((PYTHON, RUBY), (RUBY, PYTHON))),
    ],
    ids=shown,
)
def test_what_a_session_prints_is_what_is_written_down(
    each: Session, programs: tuple[str, ...], tmp_path: Path
) -> None:
    told = session.run(each, tmp_path, programs)
    for wanted, found in zip(session.golden()[each.name], told, strict=True):
        assert found == wanted


def test_errors_are_one_line_and_have_the_exit_status_of_their_kind() -> None:
    told = [step for steps in session.golden().values() for step in steps]
    without_index = 3  # `locate` did what it could
    assert {step["status"] for step in told} == {0, 1, 2, without_index}
    failed = [step for step in told if step["status"] not in (0, without_index)]
    for step in failed:
        assert step["stderr"].endswith("\n")
        assert step["stderr"].count("\n") == 1
        assert step["stderr"].startswith("hybrid-search")
        assert step["stdout"] == ""
        assert "unexpectedly" not in step["stderr"]


def test_every_flag_is_tried() -> None:
    from hybrid_search.cli._command import commands

    tried = " ".join(step.shown for each in SESSIONS for step in each.steps)
    names = {
        f"--{name}" for command in commands().values() for flag in command.flags for name in (flag.name, *flag.also)
    }
    assert {name for name in names if f"{name} " not in tried and f"{name}=" not in tried} <= {
        "--help",
        "--embed-model",
    }


def test_a_stream_is_meta_then_results_then_done() -> None:
    streams = [
        [json.loads(line) for line in step["stdout"].splitlines()]
        for steps in session.golden().values()
        for step in steps
        if "--stream" in step["run"] and not step["status"]
    ]
    assert len(streams) >= 4
    for lines in streams:
        assert [line["type"] for line in lines] == ["meta", *["result"] * (len(lines) - 2), "done"]
        meta, *results, done = lines
        assert [line["number"] for line in results] == list(range(meta["position"] + 1, done["position"] + 1))
        assert done["returned"] == len(results) <= meta["limit"]
        assert set(done) == {"type", "returned", "position", "capped", "index_changed", "next_cursor"}


def test_topk_is_an_old_name_of_limit() -> None:
    told = {step["run"]: step["stdout"] for step in session.golden()["handbook"]}
    pages = [
        told[f'query "rule 6-2-1" --index h.hsx --profile ragflow {flags}']
        for flags in ("--limit 1", "--topK 1", "--top-k=1")
    ]
    assert len(set(pages)) == 1
    assert pages[0] == told['query "rule 6-2-1" --index h.hsx --profile ragflow --limit 5 --topK 1']
    assert "--topK, --top-k: deprecated names for it" in session.golden()["usage"][8]["stdout"].replace("\n      ", " ")

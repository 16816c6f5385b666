"""The live comparison: digests stage by stage, the first wrong one fetched and named, paging laws, exit statuses."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from conformance.commands.arguments import parser
from conformance.errors import BrokenError
from conformance.implementations.listing import Implementation
from conformance.live import command, folders
from conformance.reports import outcome

Scripted = Callable[..., Implementation]

ANSWERS = """
given = message["input"]
stages = {"tokenise": ["a"], "text leg rank": [["d1", {"bits": "3ff0000000000000", "decimal": "1.0"}]]}
walk = {"page_size": 5, "shown": 3, "distinct": 3, "passing": 3}
loaded = {"name": "small", "model": None, "documents": 2, "queries": 2, "digest": "00"}
%s
if message["op"] == "collection.load":
    value = loaded
elif message["op"] == "collection.query":
    value = {"stages": [[name, json.dumps(stages[name])] for name in stages], "walks": [walk]}
elif message["op"] == "collection.stage":
    value = stages[given["stage"]]
elif message["op"] == "collection.documents":
    value = [loaded["digest"], "11"]
else:
    value = {"id": given["id"], "content_ltks": loaded["digest"]}
reply = {"seq": message["seq"], "value": value}
"""
OTHER_SCORE = '["d1", {"bits": "3ff0000000000001", "decimal": "1.0000000000000002"}]'


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    folder = tmp_path / "small"
    folder.mkdir()
    rows = [{"_id": "d1", "title": "", "text": "one"}, {"_id": "d2", "title": "", "text": "two"}]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "one"}\n{"_id": "q2", "text": "a\\u2028b"}\n')
    return folder


def compare(scripted: Scripted, folder: Path, tmp_path: Path, change: str, *arguments: str) -> tuple[int, str]:
    reference = scripted(ANSWERS % "pass", name="python", timeout=20.0)
    port = scripted(ANSWERS % change, name="port", timeout=20.0)
    reports = ["--reports", str(tmp_path / "reports")]
    options = parser().parse_args(["--data", str(folder), *reports, *arguments])
    output = StringIO()
    status = command.run(options, [reference, port], Console(file=output, width=200))
    return status, output.getvalue()


def test_equal_implementations_are_conformant(scripted: Scripted, collection: Path, tmp_path: Path) -> None:
    status, output = compare(scripted, collection, tmp_path, "pass")
    assert status == outcome.CONFORMANT
    assert "3 cases" in output
    summary = json.loads((tmp_path / "reports" / "summary.json").read_text())
    assert summary["implementations"]["port"]["statuses"] == {"pass": 3}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            f"if given.get('query') == 1: stages['text leg rank'] = [{OTHER_SCORE}]",
            ["query q2", "text leg rank", "1 ULP"],
        ),
        ("stages['tokenise'] = ['b']", ["query q1", "first wrong stage: tokenise", "--query q1"]),
        ("walk['shown'] = 4", ["first wrong stage: page", "shown more than once"]),
        ("walk['passing'] = 4", ["4 candidates pass, 3 are shown"]),
        ("loaded['digest'] = '01'", ["1 stored documents differ, first d1", "content_ltks"]),
        ("os._exit(1)", ["the port could not load it", "ended with exit status 1"]),
        ("if message['op'] == 'collection.query': os._exit(1)", ["crash", "ended with exit status 1"]),
    ],
)
def test_a_difference_names_query_and_stage(
    change: str, told: list[str], scripted: Scripted, collection: Path, tmp_path: Path
) -> None:
    status, output = compare(scripted, collection, tmp_path, change)
    assert status == outcome.NOT_CONFORMANT
    for part in told:
        assert part in output


def test_a_sample_takes_every_kth_query(scripted: Scripted, collection: Path, tmp_path: Path) -> None:
    assert "2 cases" in compare(scripted, collection.parent, tmp_path, "pass", "--sample", "2")[1]
    assert "2 cases" in compare(scripted, collection.parent, tmp_path, "pass", "--query", "q2")[1]


def test_large_collections_may_be_skipped(scripted: Scripted, collection: Path, tmp_path: Path) -> None:
    assert compare(scripted, collection.parent, tmp_path, "pass", "--most-documents", "2")[0] == 0
    with pytest.raises(BrokenError, match="no collection"):
        compare(scripted, collection.parent, tmp_path, "pass", "--most-documents", "1")
    (tmp_path / "queries-only").mkdir()
    (tmp_path / "queries-only" / "queries.jsonl").write_text('{"_id": "q1", "text": "one"}\n')
    found, skipped = folders.find(tmp_path, [], 1)
    assert [folder.name for folder in found] == ["queries-only"]
    assert "small: skipped, it has 2 documents (--most-documents 1)" in skipped


def test_folders_that_cannot_be_compared_are_reported(collection: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "queries-only").mkdir()
    (tmp_path / "queries-only" / "queries.jsonl").write_text('{"_id": "q1", "text": "one"}\n')
    found, skipped = folders.find(tmp_path, [])
    assert {folder.name: folder.note.partition(":")[0] for folder in found} == {
        "queries-only": "no corpus.jsonl",
        "small": "no embeddings",
    }
    assert skipped == ["other: skipped, it has no queries.jsonl"]
    for wrong in (tmp_path / "missing", tmp_path / "other"):
        with pytest.raises(BrokenError):
            folders.find(wrong, [])

"""The index of a repository: its files, its blocks, and what a second run computes again (CNV-6, CNV-7)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hybrid_search import BlockIndex
from hybrid_search.code_index import source_walk
from hybrid_search.code_index.block_cutter import BlockCutter
from hybrid_search.code_index.program import main
from hybrid_search.code_index.source_blocks import MOST_LINES
from hybrid_search.code_index.source_walk import SourceWalk

SOURCE = b"""import os


@deco
class A:
    \"\"\"doc\"\"\"

    def go(self):
        def inner():
            return 1

        return inner

    y = 2


async def f():
    pass
z = 3
"""


def spans(path: str, content: bytes) -> list[tuple[int, int]]:
    return [(block["start_line"], block["end_line"]) for block in BlockCutter().cut(path, content).blocks]


def write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def test_a_python_file_is_cut_at_functions_and_methods():
    assert spans("a.py", SOURCE) == [(0, 0), (3, 5), (7, 11), (13, 13), (16, 17), (18, 18)]
    names = [
        [each["qualified_name"] for each in block.get("definitions", [])]
        for block in BlockCutter().cut("a.py", SOURCE).blocks
    ]
    assert names == [[], ["A"], ["A", "A.go", "A.go.inner"], ["A"], ["f"], []]
    first = BlockCutter().cut("a.py", SOURCE).blocks[1]["definitions"][0]
    assert first == {"qualified_name": "A", "kind": "class", "start_line": 3, "end_line": 13}


def test_files_that_are_not_python_are_cut_into_windows():
    text = "".join(f"line {n}\n" for n in range(MOST_LINES + 2)).encode()
    assert spans("a.txt", text) == [(0, MOST_LINES - 1), (MOST_LINES, MOST_LINES + 1)]
    assert spans("a.txt", text[: text.index(b"line 60")]) == [(0, MOST_LINES - 1)]
    assert spans("broken.py", b"def f(:\n    x\n") == [(0, 1)]
    assert spans("a.rb", b"\n\n  \nx\ny\n\n") == [(3, 4)]
    assert spans("empty.py", b"") == []


def test_long_functions_are_cut_into_windows():
    body = "def f():\n" + "    x = 1\n" * (2 * MOST_LINES)
    assert spans("a.py", body.encode()) == [(0, 59), (60, 119), (120, 120)]


def test_lines_are_counted_as_in_snippets():
    assert spans("a.py", b"x = 1\r\n\r\ndef f():\r    pass\n") == [(0, 0), (2, 3)]


def test_ignored_files_are_skipped(tmp_path):
    files = {
        ".gitignore": "*.md\nbuild/\n/top.py\n!keep.md\n",
        "a.py": "x", "b.md": "x", "keep.md": "x", "top.py": "x", "sub/top.py": "x", "build/c.py": "x",
        "sub/.gitignore": "d.py\n!e.md\n", "sub/d.py": "x", "sub/e.md": "x", "d.py": "x", ".git/f.py": "x",
        "picture.bin": "x",
    }  # fmt: skip
    write(tmp_path, files)
    (tmp_path / "zero.py").write_bytes(b"a\0b")
    (tmp_path / "link.py").symlink_to("a.py")
    (tmp_path / "loop").symlink_to(".")
    found = list(SourceWalk(str(tmp_path)))
    assert found == ["a.py", "d.py", "keep.md", "sub/e.md", "sub/top.py"]


def test_files_are_ignored_as_by_git(tmp_path):
    write(
        tmp_path,
        {".gitignore": "/x/*\n!/x/y.py\n**/z.py\n", "x/y.py": "a", "x/w.py": "a", "q/z.py": "a", "q/r.py": "a"},
    )
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    command = ["git", "ls-files", "--others", "--exclude-standard", "*.py"]
    told = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout.split()
    assert list(SourceWalk(str(tmp_path))) == sorted(told)


def test_data_files_are_skipped(tmp_path, monkeypatch):
    monkeypatch.setattr(source_walk, "MOST_BYTES", 4)
    write(tmp_path, {"a.py": "x=10", "b.py": "x=100"})
    assert list(SourceWalk(str(tmp_path))) == ["a.py"]


def run(folder: Path, capsysbinary: pytest.CaptureFixture[bytes], *flags: str) -> dict[str, int]:
    status = main([str(folder / "repo"), "--index-dir", str(folder / "index"), "--format", "json", *flags])
    told = capsysbinary.readouterr()
    assert status == 0, told.err
    counts: dict[str, int] = json.loads(told.out)
    return counts


def test_only_changed_files_are_embedded_again(tmp_path, capsysbinary):
    write(tmp_path / "repo", {"a.py": "def a(): pass\n", "b.py": "def b(): pass\n", "c.txt": "words\n"})
    assert run(tmp_path, capsysbinary) == {"files": 3, "embedded": 3, "kept": 0, "blocks": 3}
    first = BlockIndex.open(str(tmp_path / "index"))
    assert first.repo_name == "repo"
    assert run(tmp_path, capsysbinary) == {"files": 3, "embedded": 0, "kept": 3, "blocks": 3}
    write(tmp_path / "repo", {"b.py": "def b(): pass\n\n\ndef more(): pass\n", "aa.py": "x = 1\n"})
    (tmp_path / "repo/c.txt").unlink()
    assert run(tmp_path, capsysbinary) == {"files": 3, "embedded": 2, "kept": 1, "blocks": 4}
    renewed = BlockIndex.open(str(tmp_path / "index"))
    assert [(block.file_path, block.start_line) for block in renewed.blocks] == [
        ("a.py", 0), ("aa.py", 0), ("b.py", 0), ("b.py", 3),
    ]  # fmt: skip
    assert renewed.rows.row(0) == first.rows.row(0)
    assert run(tmp_path, capsysbinary, "--dimension", "8")["embedded"] == 3
    anew = {path.name: path.read_bytes() for path in (tmp_path / "index").iterdir()}
    for path in (tmp_path / "index").iterdir():
        path.unlink()
    run(tmp_path, capsysbinary, "--dimension", "8")
    assert anew == {path.name: path.read_bytes() for path in (tmp_path / "index").iterdir()}


def test_errors_are_one_line(tmp_path):
    command = [sys.executable, "-m", "hybrid_search.code_index", "nowhere", "--index-dir", str(tmp_path / "index")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "No such file" in done.stderr


def test_a_folder_without_source_files_is_an_error(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert main([str(tmp_path / "empty"), "--index-dir", str(tmp_path / "index")]) == 2
    assert capsys.readouterr().err.endswith("has no source files: nothing was written\n")
    assert not (tmp_path / "index").exists()

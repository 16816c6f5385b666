"""The files of a repository that are read, and those that never are (CNV-5)."""

import os
from pathlib import Path

import pytest

from hybrid_search import BlockIndex, ConvergentRetriever
from hybrid_search.convergence import source_files
from hybrid_search.convergence.source_files import SourceFiles


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of repositories with one, `repo`, that contains `a.py` and `sub/b.py`; and files next to it."""
    (tmp_path / "repo/sub").mkdir(parents=True)
    (tmp_path / "repo2").mkdir()
    (tmp_path / "repo/a.py").write_text("code\n", encoding="utf-8")
    (tmp_path / "repo/sub/b.py").write_text("more\n", encoding="utf-8")
    for secret in ("secret.txt", "repo2/secret.txt"):
        (tmp_path / secret).write_text("secret\n", encoding="utf-8")
    return tmp_path


def lines(root: Path, path: str, repository: str = "repo") -> list[str] | None:
    return SourceFiles(str(root), repository).lines(path)


def test_a_file_of_the_repository_is_read(root):
    assert lines(root, "a.py") == ["code"]
    assert lines(root, "sub/b.py") == ["more"]
    assert lines(root, "b.py", "repo/sub") == ["more"]


@pytest.mark.parametrize(
    "path", ["../secret.txt", "sub/../a.py", "..", "sub/..", ".", "", "sub", "../repo2/secret.txt"]
)
def test_paths_that_lead_out_of_the_repository_are_not_read(root, path):
    assert lines(root, path) is None


def test_absolute_paths_are_not_read(root):
    assert lines(root, str(root / "repo/a.py")) is None
    assert lines(root, "a.py", str(root / "repo")) is None


@pytest.mark.parametrize("repository", ["..", ".", "", "repo/..", "none", "repo\0"])
def test_a_repository_must_be_under_the_root(root, repository):
    assert lines(root, "a.py", repository) is None


def test_links_are_judged_by_their_target(root):
    (root / "repo/inside.py").symlink_to("sub/b.py")
    (root / "repo/file.py").symlink_to("../secret.txt")
    (root / "repo/beside").symlink_to("../repo2")
    (root / "repo/loop.py").symlink_to("loop.py")
    (root / "repo/nowhere.py").symlink_to("none.py")
    (root / "out").symlink_to(root.parent)
    assert lines(root, "inside.py") == ["more"]
    for path in ("file.py", "beside/secret.txt", "loop.py", "nowhere.py"):
        assert lines(root, path) is None
    assert lines(root, f"{root.name}/repo/a.py", "out") is None


def test_devices_and_pipes_are_not_read(root):
    assert lines(Path("/"), "zero", "dev") is None
    os.mkfifo(root / "repo/pipe.py")
    assert lines(root, "pipe.py") is None


def test_binary_files_and_huge_lines_are_read_as_text(root):
    (root / "repo/a.bin").write_bytes(b"\0\xff\x01\r\nx\x80")
    assert lines(root, "a.bin") == ["\0\ufffd\x01", "x\ufffd"]
    (root / "repo/long.js").write_bytes(b"x" * 1_000_000)
    assert lines(root, "long.js") == ["x" * 1_000_000]


def test_files_above_the_limit_are_not_read(root, monkeypatch):
    monkeypatch.setattr(source_files, "MOST_BYTES", 4)
    (root / "repo/fits.py").write_bytes(b"x=1\n")
    (root / "repo/large.py").write_bytes(b"x=12\n")
    assert lines(root, "fits.py") == ["x=1"]
    assert lines(root, "large.py") is None


def test_a_file_that_becomes_a_link_between_check_and_read_is_not_read(root, monkeypatch):
    source = root / "repo/a.py"
    really_open = os.open

    def swap_first(path, flags, *rest, **options):
        if path == str(source):
            source.unlink()
            source.symlink_to(root / "secret.txt")
        return really_open(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", swap_first)
    assert lines(root, "a.py") is None


def test_a_folder_that_becomes_a_link_between_check_and_read_is_not_read(root, monkeypatch):
    (root / "repo2/b.py").write_text("secret\n", encoding="utf-8")
    really_open = os.open

    def swap_first(path, flags, *rest, **options):
        (root / "repo/sub").rename(root / "repo/was")
        (root / "repo/sub").symlink_to(root / "repo2")
        return really_open(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", swap_first)
    assert lines(root, "sub/b.py") is None


def test_a_file_that_is_replaced_by_another_is_not_read(root, monkeypatch):
    really_open = os.open

    def swap_after(path, flags, *rest, **options):
        descriptor = really_open(path, flags, *rest, **options)
        (root / "repo/new.py").write_text("new\n", encoding="utf-8")
        (root / "repo/new.py").replace(root / "repo/a.py")
        return descriptor

    monkeypatch.setattr(os, "open", swap_after)
    assert lines(root, "a.py") is None


def test_a_file_that_changes_or_disappears_is_read_in_its_current_state(root):
    asked: list[list[str]] = []

    def model(_query, texts):
        asked.append(list(texts))
        return [0.5] * len(texts)

    blocks = [{"file_path": "a.py", "start_line": 1, "end_line": 1}]
    index = BlockIndex(blocks, [[1.0, 0.0]], "repo")
    retriever = ConvergentRetriever(index, model, str(root), enable_rerank=True)

    def status(content: str | None) -> str:
        (root / "repo/a.py").unlink(missing_ok=True)
        if content is not None:
            (root / "repo/a.py").write_text(content, encoding="utf-8")
        return retriever.locate("q", [1.0, 0.0]).rerank_status

    assert [status(content) for content in ("a\nb\n", "a\nc\n", "a\n", None)] == ["applied"] * 2 + ["skipped"] * 2
    assert asked == [[f"File: a.py\nLines: 2-2\nCode:\n{line}"] for line in "bc"]

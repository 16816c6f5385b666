"""The linter of the project's English finds idioms where they are, and only there."""

import subprocess
from pathlib import Path

import pytest

from conformance import yaml_files
from conformance.errors import BrokenError
from conformance.prose import command, texts


def listed(**more: object) -> dict[str, object]:
    """Return a list of idioms for a folder of its own."""
    stated = {
        "idioms": [{"pattern": r"\btold\b", "write": "reported"}, {"pattern": r"\bleft out\b", "write": "omitted"}],
        "reads": {"markdown": ["*.md"], "python": ["*.py"], "ruby": ["*.rb"], "yaml": ["*.yml"], "script": ["bin/*"]},
        "generated": {"files": ["made.md"], "blocks": ["table"]},
        "pinned": [],
        "not_yet": {},
    }
    return {**stated, **more}


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")


def places(found: list[command.Finding]) -> list[str]:
    return [f"{one.path}:{one.line}: {one.words}" for one in found]


def test_pages_are_read_without_code_links_and_generated_blocks(tmp_path: Path) -> None:
    page = (
        "What is told.\n\n`told` [x](told.md) https://told.example\n```text\ntold\n```\n"
        "<!-- table:begin -->\n| told |\n<!-- table:end -->\n"
        "<!-- other:begin -->\n| told |\n<!-- other:end -->\nIt is left\nout.\n"
    )
    write(tmp_path, a_md=page, made_md="told\n")
    assert places(command.findings(listed(), tmp_path)) == ["a.md:1: told", "a.md:11: told", "a.md:13: left out"]


def test_docstrings_comments_values_and_headers_of_scripts_are_read(tmp_path: Path) -> None:
    python = (
        '"""Told."""\n\nX = "told"\n"""What is\ntold.\n\n>>> told\n"""\n\n\ndef f():\n    # told\n    return "told"\n'
    )
    write(
        tmp_path,
        a_py=python,
        b_rb='# Told.\n#     told = 1\nx = "told" # told\n',
        c_yml="told: this is told\nx: told\n",
    )
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/x").write_text("#!/bin/sh\n# What is told.\n\n# told\n", encoding="utf-8")
    assert places(command.findings(listed(), tmp_path)) == [
        "a.py:1: Told",
        "a.py:5: told",
        "b.rb:1: Told",
        "bin/x:2: told",
        "c.yml:1: told",
    ]


def test_pinned_texts_pass_as_long_as_they_exist(tmp_path: Path) -> None:
    write(tmp_path, a_md="what is told once\n")
    assert command.findings(listed(pinned=["is told once"]), tmp_path) == []
    with pytest.raises(BrokenError, match="no file contains the pinned is told twice"):
        command.findings(listed(pinned=["is told twice"]), tmp_path)


def test_folders_that_are_not_clean_yet_have_a_maximum_of_findings() -> None:
    found = [command.Finding("a/b.md", 1, "told", "reported"), command.Finding("c.md", 2, "told", "reported")]
    assert list(command.judged(found, {"a": 1})) == ['c.md:2: "told"; write: reported']
    assert [line.partition(",")[0] for line in command.judged(found[:1], {"a": 0})] == ["a has 1 findings"]
    assert [line.partition(":")[0] for line in command.judged([], {"a": 1})] == ["a is clean"]


def test_long_titles_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def git(*words: str) -> None:
        name = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        subprocess.run(["git", "-C", str(tmp_path), *name, *words], check=True, capture_output=True)

    git("init", "--quiet")
    git("commit", "--quiet", "--allow-empty", "-m", "x" * 80)
    assert list(command.long_titles(tmp_path)) == []
    assert "titles of commits are not checked" in capsys.readouterr().out
    git("tag", "v1")
    for length in (72, 73):
        git("commit", "--quiet", "--allow-empty", "-m", "x" * length)
    assert [line.partition(" characters")[0] for line in command.long_titles(tmp_path)] == [
        "the title of a commit has 73"
    ]


def test_every_idiom_has_a_replacement_and_every_kind_is_known() -> None:
    stated = yaml_files.load(command.LIST)
    assert all(one["pattern"] and one["write"] for one in stated["idioms"])
    assert stated["reads"].keys() == texts.KINDS.keys()

"""Version and address are stated once, in `release.yml`."""

import shutil
from pathlib import Path

import pytest

from conformance.errors import BrokenError
from conformance.generators import release, written
from conformance.paths import ROOT


def test_the_committed_files_state_the_version_and_the_address() -> None:
    assert written.differing(release.files(release.load())) == []


def test_a_new_version_and_owner_reach_every_place(tmp_path: Path) -> None:
    for name in {*release.VERSIONS, *release.ADDRESSES}:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    stated = {"version": "12.3.45", "owner": "some-one", "repository": "hybrid_search"}
    made = {path.relative_to(tmp_path).as_posix(): text for path, text in release.files(stated, tmp_path)}
    assert [name for name in release.VERSIONS if b"12.3.45" not in made[name]] == []
    assert [name for name in release.ADDRESSES if b"some-one/hybrid_search" not in made[name]] == []
    owner = release.load()["owner"].encode()
    assert [name for name, text in made.items() if owner + b"/hybrid_search" in text] == []
    assert [name for name, text in made.items() if b"OWNER" in text] == [], "what explains the placeholder stays behind"


@pytest.mark.parametrize(
    "line", ["version: 1.2", "version: v1.2.3", "version: 01.2.3", "owner: a/b", "owner: ''", "other: 1"]
)
def test_invalid_values_are_refused(tmp_path: Path, line: str) -> None:
    stated = {"version": "1.2.3", "owner": "a", "repository": "b"}
    key, _, value = line.partition(": ")
    text = "\n".join(f"{name}: {text}" for name, text in {**stated, key: value}.items())
    (tmp_path / "release.yml").write_text(text, encoding="utf-8")
    with pytest.raises(BrokenError, match=r"^release\.yml"):
        release.load(tmp_path / "release.yml")


def test_a_file_without_a_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    with pytest.raises(BrokenError, match=r"pyproject\.toml must state the version once, not 0 times"):
        list(release.files(release.load(), tmp_path))

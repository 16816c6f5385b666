"""Differences select gates and commands: those that `bin/test --changed` runs."""

import subprocess
from pathlib import Path

import pytest

from conformance.commands import changed
from conformance.commands import git as repository
from conformance.errors import BrokenError
from conformance.paths import ROOT


def commands(*paths: str) -> dict[str, str]:
    return dict(changed.gates(changed.concerned(paths)))


def test_a_file_of_the_reference_selects_its_tests_cases_and_linters() -> None:
    found = commands("python_ref/hybrid_search/fusion/fusion.py")
    assert set(found) == {"fixtures", "conformance", "pytest", "rspec", "mypy", "ruff", "ruff-format", "prose"}
    assert "python_ref/tests/fusion" in found["pytest"]
    assert "python_ref/tests/test_architecture.py" in found["pytest"]
    assert "conformance/tests/test_oracle.py" in found["pytest"]
    assert "ruby/spec/fusion" in found["rspec"]
    assert "--module fusion " in found["conformance"]
    assert "--implementation ruby" in found["conformance"]


def test_a_file_of_the_port_selects_the_checks_of_ruby() -> None:
    found = commands("ruby/lib/hybrid_search/fusion/fusion.rb")
    assert {"rubocop", "ruby-warnings", "rbs", "rspec", "conformance"} <= set(found)
    assert "mypy" not in found
    assert "ruby/lib/hybrid_search/fusion/fusion.rb" in found["rubocop"]


def test_a_file_that_all_others_use_selects_everything() -> None:
    found = commands("python_ref/hybrid_search/base/numeric.py", "ruby/lib/hybrid_search/base/numeric.rb")
    assert found["pytest"].endswith("python_ref/tests conformance")
    assert found["rspec"] == "rake spec"
    assert "--module" not in found["conformance"]


def test_an_integration_selects_the_gate_that_installs_its_package() -> None:
    found = commands("python_ref/hybrid_search/integrations/haystack.py")
    assert found["frameworks"] == "bin/frameworks newest"
    assert "python_ref/tests/integrations" in found["pytest"]
    assert "rspec" in found
    assert "frameworks" not in commands("python_ref/hybrid_search/fusion/fusion.py")


def test_the_tutorial_runs_when_it_or_the_integration_changes() -> None:
    for path in ("docs/rails-tutorial.md", "ruby/lib/hybrid_search/rails/searchable.rb"):
        assert commands(path)["tutorial"].endswith("-m programs conformance/tests/test_rails_tutorial.py")
    assert "tutorial" not in commands("docs/stores.md")


def test_cases_select_their_module() -> None:
    found = commands("fixtures/cases/fusion/fusion.rrf.lists.yml")
    assert found["fixtures"] == "bin/conformance make fixtures --check --only fusion"
    assert "--module fusion" in found["conformance"]
    assert "test_case_files.py" in found["pytest"]


def test_a_page_selects_only_the_checks_of_documents() -> None:
    assert set(commands("docs/stores.md")) == {"pytest", "prose", "site"}
    assert "test_documents.py" in commands("README.md")["pytest"]


def test_scripts_tests_and_specs_select_themselves() -> None:
    assert "test_commands.py" in commands("bin/setup")["pytest"]
    assert "shellcheck" in commands(".ci/run")
    found = commands("conformance/tests/test_walks.py", "ruby/spec/text/stemmer_spec.rb")
    assert "conformance/tests/test_walks.py" in found["programs"]
    assert found["rspec"] == "RSPEC_FILES=ruby/spec/text/stemmer_spec.rb rake spec"


def test_deleted_files_are_not_named() -> None:
    assert commands("conformance/tests/test_gone.py", "docs/examples/python/gone.py") != {}
    assert "gone" not in str(commands("conformance/tests/test_gone.py", "ruby/spec/gone_spec.rb"))


def test_no_difference_selects_nothing() -> None:
    assert commands() == {}


def test_almost_every_file_of_the_repository_selects_a_gate() -> None:
    """Only licences and settings of other programs are read by no gate except the linter of English."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    folders = {path for path in listed.splitlines() if "/" in path and not path.startswith((".github/", "fixtures/"))}
    assert len(folders) > 1000
    assert changed.concerned(["docs/new.py"]).python == {"docs/new.py"}
    assert changed.concerned(["docs/new.rb"]).ruby == {"docs/new.rb"}
    others = [path for path in sorted(folders) if not path.endswith((".py", ".rb"))]
    assert len(others) > 500
    assert [path for path in others if changed.concerned([path]) == changed.Concerned(prose=True)] == []


def test_an_unknown_commit_is_an_error() -> None:
    with pytest.raises(BrokenError, match="git merge-base"):
        repository.differing("no-such-commit")


def test_new_files_count_as_differences(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def git(*words: str) -> None:
        named = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *named, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    for name in ("kept.py", "changed.py"):
        (tmp_path / name).write_text("1\n")
    git("add", ".")
    git("commit", "-qm", "first")
    git("checkout", "-qb", "branch")
    (tmp_path / "changed.py").write_text("2\n")
    (tmp_path / "new.py").write_text("3\n")
    monkeypatch.setattr(repository, "ROOT", tmp_path)
    assert repository.differing("main") == ["changed.py", "new.py"]

"""The commands in bin/: from any folder, twice, and with missing programs."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest


def call(path: Path, *arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **environment}
    command = [str(path), *arguments]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def test_setup_has_nothing_to_do_the_second_time(repository, tmp_path):
    if not (repository / ".venv/.setup-stamp").exists():
        pytest.skip("this checkout was not set up with bin/setup")
    call(repository / "bin/setup", cwd=tmp_path, HOME=str(tmp_path))
    begun = time.monotonic()
    done = call(repository / "bin/setup", cwd=tmp_path, HOME=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "setup: nothing to do\n", "")
    assert time.monotonic() - begun < 10
    assert list(tmp_path.iterdir()) == []


def test_setup_names_missing_programs_that_it_cannot_install(repository, tmp_path):
    for name in ("bash", "cat", "cut", "dirname", "id", "sha256sum", "python3"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    done = call(repository / "bin/setup", cwd=tmp_path, PATH=str(tmp_path))
    assert done.returncode == 1
    assert "missing" in done.stderr
    assert {"ruby", "ruby-rspec", "rubocop", "rake", "yard"} <= set(done.stderr.split())


def test_setup_refuses_unknown_options(repository, tmp_path):
    done = call(repository / "bin/setup", "--lsit", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "unknown option --lsit" in done.stderr


@pytest.mark.parametrize(("argument", "told"), [("--fats", "unknown option --fats"), ("ruby", "no gate ruby")])
def test_the_test_command_refuses_unknown_gates_and_options(repository, tmp_path, argument, told):
    done = call(repository / "bin/test", argument, cwd=tmp_path)
    assert done.returncode == 2
    assert told in done.stderr


def test_the_test_command_lists_its_gates(repository, tmp_path):
    gates = call(repository / "bin/test", "--list", cwd=tmp_path).stdout.split()
    assert {"ruff", "mypy", "shellcheck", "rubocop", "rbs", "rspec", "pytest", "fixtures", "packages"} <= set(gates)

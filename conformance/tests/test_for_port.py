"""Judging a port needs the package and its extra `judge`, and no other installed package."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from conformance.paths import ROOT

ALONE = """
import importlib.abc, re, runpy, sys
from importlib.metadata import distribution, packages_distributions, PackageNotFoundError

def needed(requirements, found):
    for requirement in requirements:
        name = re.split(r"[^\\w.-]", requirement)[0]
        if "extra ==" in requirement or name in found:
            continue
        try:
            found[name] = needed(distribution(name).requires or (), found)
        except PackageNotFoundError:
            pass  # of another Python or system
    return found

asked, arguments = eval(sys.argv[1]), sys.argv[2:]
allowed = {re.sub(r"[-_.]+", "-", name).lower() for name in needed(asked, {})}
packages = packages_distributions()

class Refusing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        owners = {re.sub(r"[-_.]+", "-", owner).lower() for owner in packages.get(name, ())} - {"hybrid-search"}
        if owners and not owners & allowed:
            raise ImportError(f"judging a port imports {name}, which bin/setup --for-port does not install")

sys.meta_path.insert(0, Refusing())
sys.argv = ["conformance", *arguments]
runpy.run_module("conformance", run_name="__main__")
"""
LIST = """
mine:
  command: ["{python}", "-m", "conformance.implementations.python.main"]
  timeout: 60
"""


def requirements() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [*project["dependencies"], *project["optional-dependencies"]["judge"]]


def judge(asked: list[str], *arguments: str) -> tuple[int, str]:
    command = [sys.executable, "-c", ALONE, repr(asked), *arguments]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HYPOTHESIS_NO_PLUGINS": "1"},  # plugins of other packages
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("command", ["run", "fuzz"])
def test_judging_needs_only_its_listed_packages(tmp_path: Path, command: str) -> None:
    (tmp_path / "list.yml").write_text(LIST, encoding="utf-8")
    ours = ("--implementations-from", str(tmp_path / "list.yml"), "--reports", str(tmp_path / "reports"))
    arguments = {
        "run": (*ours, "--module", "ordering", "--no-shuffle"),
        "fuzz": ("fuzz", "--help"),
    }[command]
    status, output = judge(requirements(), *arguments)
    assert status == 0, output


def test_a_missing_package_is_noticed() -> None:
    fewer = [name for name in requirements() if not name.startswith("pyyaml")]
    status, output = judge(fewer, "--list", "--module", "ordering")
    assert status != 0
    assert "does not install" in output

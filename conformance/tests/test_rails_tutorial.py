"""docs/rails-tutorial.md from its first to its last block, in a new application."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conformance.tests import rails_example

pytestmark = [pytest.mark.programs, pytest.mark.nightly]

ROOT = rails_example.ROOT
PAGE = ROOT / "docs/rails-tutorial.md"
STEP = re.compile(
    r"(?P<text>(?:(?!```).)*?)(?:<!-- not run: [^\n]* -->\n)?```(?P<language>\w+)\n(?P<code>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
FILE = re.compile(r"(?P<end>end of )?`(?P<path>[\w./]+\.\w+|Gemfile)`:\s*\Z")

# Debian's packages are not gems that Bundler knows: the last entry of the Gemfile is loaded without it.
BUNDLER = """
require "pathname"

module Bundler
  def self.require(*)
    File.readlines("Gemfile").grep(/^gem "/).each do |line|
      Object.instance_method(:require).bind_call(self, line[/require: "([^"]+)"/, 1] || line[/gem "([^"]+)"/, 1])
    end
  end
end
"""
RAILS = """#!/bin/sh
if [ "$1" = new ]; then exec {rails} "$@" --skip-bundle --skip-git --skip-listen --skip-bootsnap --quiet; fi
exec ruby bin/rails "$@"
"""
RAKE = '#!/bin/sh\nexec ruby bin/rake "$@"\n'


def program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def steps() -> list[tuple[str, str, str]]:
    """Language, code, and the name of the file that a block is for, or nothing."""
    found = []
    for step in STEP.finditer(PAGE.read_text(encoding="utf-8")):
        named = FILE.search(step["text"])
        place = f"{'>>' if named['end'] else '>'}{named['path']}" if named else ""
        found.append((step["language"], step["code"], place))
    return found


def test_the_tutorial_runs_from_beginning_to_end(tmp_path: Path) -> None:
    if reason := rails_example.missing() or (None if shutil.which("rails") else "rails is not installed"):
        pytest.skip(reason)
    (tmp_path / "bundler").mkdir()
    (tmp_path / "bundler/setup.rb").write_text(BUNDLER)
    (tmp_path / "programs").mkdir()
    program(tmp_path / "programs/rails", RAILS.format(rails=shutil.which("rails")))
    program(tmp_path / "programs/rake", RAKE)
    program(tmp_path / "programs/bundle", "#!/bin/sh\n")
    environment = {
        **os.environ,
        "PATH": f"{tmp_path / 'programs'}:{os.environ['PATH']}",
        "RUBYLIB": f"{tmp_path}:{ROOT / 'ruby/lib'}",
        "RUBYOPT": "-W0 -rlogger",
        "LANG": "C.UTF-8",
    }
    folder = tmp_path
    run = written = compared = 0
    printed: str | None = None
    for language, code, place in steps():
        if place:
            path = folder / place.lstrip(">")
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a" if place.startswith(">>") else "w", encoding="utf-8") as file:
                file.write(code)
            written += 1
        elif language == "sh":
            done = subprocess.run(
                ["timeout", "300", "bash", "-eu", "-o", "pipefail", "-c", code],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
            assert (done.returncode, done.stderr) == (0, ""), f"{code}\n{done.stdout}\n{done.stderr}"
            printed = done.stdout
            run += 1
            if "rails new library" in code:
                folder = tmp_path / "library"
        else:
            assert language == "text", code
            assert printed == code
            compared += 1
    assert (run, written, compared) == (6, 9, 4)

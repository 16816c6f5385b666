"""Files that are watched (FIL-7), by real programs of both languages on real files."""

import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from conformance.paths import ROOT

from .programs import PROGRAMS, SECONDS, answer, each_program, run

pytestmark = pytest.mark.programs
IN_RUBY = """
require "hybrid_search"
require "json"
index = HybridSearch::Index.new
stops = false
seen = index.watch_files(ARGV[0], stop: -> { stops }) do |added|
  puts JSON.generate(added.to_h.slice("added", "updated", "removed", "unchanged").transform_values(&:to_i))
  $stdout.flush
  stops = added.removed.positive?
end
puts index.count
"""
IN_PYTHON = """
import json, sys
from hybrid_search import Index
index = Index()
stops = False
for added in index.watch_files(sys.argv[1], stop=lambda: stops):
    counts = {"added": added.added, "updated": added.updated, "removed": added.removed, "unchanged": added.unchanged}
    print(json.dumps(counts, separators=(",", ":")), flush=True)
    stops = added.removed > 0
print(index.count())
"""
IN_CODE = {
    "python": [PROGRAMS["python"][0], "-c", IN_PYTHON],
    "ruby": ["ruby", "-I", str(ROOT / "ruby/lib"), "-e", IN_RUBY],
}


def needs_a_watcher(program: str) -> None:
    if program == "python":
        pytest.importorskip("watchfiles", reason="the package watchfiles is not installed")
    elif subprocess.run(["ruby", "-e", "require 'listen'"], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("the gem listen is not installed")


class Watching:
    """A process, and the lines that it prints, as they arrive."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the process, if it has not ended."""
        self.process.kill()
        self.process.wait()
        self._thread.join(SECONDS)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the first line that meets a condition; earlier ones may show an interim state."""
        while True:
            line: dict[str, Any] = json.loads(self._lines.get(timeout=SECONDS / 4))
            if wanted(line):
                return line

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)


@contextmanager
def started(command: list[str], folder: Path) -> Iterator[Watching]:
    with (folder / "errors.log").open("wb") as errors:
        watching = Watching(subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=errors))
        try:
            yield watching
        finally:
            watching.close()


@each_program
def test_changes_are_stored_as_they_happen(program, tmp_path):
    needs_a_watcher(program)
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "wine.md").write_text("# Wine\n\nRed wine is stored in the dark.\n")
    index = ["--index", "docs/cellar.hsx"]
    with started([*PROGRAMS[program], "index", "docs", *index, "--watch"], tmp_path) as watching:
        watching.until(lambda counts: counts["documents"] == 1)
        (docs / "new").mkdir()
        (docs / "new" / "beer.md").write_text("# Beer\n\nBeer is brewed from barley.\n")
        watching.until(lambda counts: counts["documents"] == 2)
        (docs / "rules.json").write_text('[{"id": "7", "content": "ci')
        assert watching.until(lambda counts: counts["rejected"] == 1)["documents"] == 2
        temporary = docs / ".rules.json.tmp"
        temporary.write_text('[{"id": "7", "content": "cider"}]')
        os.replace(temporary, docs / "rules.json")
        watching.until(lambda counts: counts["documents"] == 3)
        (docs / "wine.md").write_text("# Wine\n\nWhite wine is stored in the fridge.\n")
        assert watching.until(lambda counts: counts["updated"] == 1)["documents"] == 3
        (docs / "new" / "beer.md").unlink()
        assert watching.until(lambda counts: counts["removed"] == 1)["documents"] == 2
        found = answer(program, "search", "fridge", "--limit", "1", *index, cwd=tmp_path)
        assert found["hits"][0]["id"] == "docs/wine.md#1"
        watching.process.send_signal(signal.SIGTERM if program == "python" else signal.SIGINT)
        assert watching.process.wait(SECONDS) == 0
    assert "docs/rules.json: passed over: is not valid JSON" in (tmp_path / "errors.log").read_text()
    answer(program, "check", "docs/cellar.hsx", cwd=tmp_path)


@each_program
def test_a_program_watches_a_file_until_it_stops(program, tmp_path):
    needs_a_watcher(program)
    path = tmp_path / "notes.txt"
    path.write_text("Wine.")
    (tmp_path / "other.txt").write_text("Nothing that is watched.")
    with started([*IN_CODE[program], "notes.txt"], tmp_path) as watching:
        assert watching.until(lambda counts: True) == {"added": 1, "updated": 0, "removed": 0, "unchanged": 0}
        time.sleep(0.1)
        (tmp_path / "other.txt").write_text("Still nothing.")
        path.write_text("Beer.")
        watching.until(lambda counts: counts["updated"] == 1)
        path.unlink()
        watching.until(lambda counts: counts["removed"] == 1)
        assert watching.until(lambda count: True) == 0
        assert watching.process.wait(SECONDS) == 0


@each_program
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["docs", "--rebuild"], b"--watch and --rebuild exclude each other"),
        ([], b"--watch needs files or folders"),
        (["-"], b"--watch needs files or folders"),
        (["missing"], b'"missing" is neither a file nor a folder'),
    ],
)
def test_watching_an_unsuitable_source_is_refused(program, arguments, says, tmp_path):
    done = run(program, "index", *arguments, "--watch", "--index", "x.hsx", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert says in done.stderr
    assert not (tmp_path / "x.hsx").exists()

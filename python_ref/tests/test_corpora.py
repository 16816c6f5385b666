"""The corpora of the project pass their check, which finds damage."""

import shutil
import subprocess
import sys

import pytest


def check(repository, *folders):
    """Return the output of the check of corpora, and its exit code."""
    command = [sys.executable, str(repository / "fixtures/corpora/check.py"), *map(str, folders)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.stdout, done.returncode


def test_every_corpus_passes_its_check(repository):
    output, code = check(repository)
    assert code == 0, output
    assert output.count(" 0 faults") == 6


@pytest.mark.parametrize(
    ("file", "old", "new", "fault"),
    [
        ("qrels.tsv", "query-id", "query", "qrels header"),
        ("corpus.jsonl", '"title"', '"heading"', "keys"),
        ("e5-small-q4/ids.json", '"corpus"', '"documents"', "is not in file order"),
    ],
)
def test_a_damaged_corpus_is_reported(repository, tmp_path, file, old, new, fault):
    folder = tmp_path / "manuals"
    shutil.copytree(repository / "fixtures/corpora/manuals", folder)
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    output, code = check(repository, folder)
    assert code == 1
    assert fault in output

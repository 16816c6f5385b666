"""`hybrid-search copy`: from store to store, killed and resumed, with equal records and results (CUR-5)."""

import json
import subprocess
import uuid
from itertools import pairwise
from pathlib import Path

import pytest

from conformance.engines.testing import oceanbase_url, opensearch_url, postgres_url
from conformance.tests.programs import PROGRAMS, answer, each_program, exported, index, run
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_doc_store import OceanBaseDocStore
from hybrid_search.doc_store_adapter.postgres.postgres_doc_store import PostgresDocStore
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from python_ref.tests.doc_store_adapter.opensearch_indexes import Indexes

__all__ = ["index", "oceanbase_url", "opensearch_url", "postgres_url"]

COUNT = 300
QUESTIONS = ("assignment rule 3", "规则 17")


def answers(path: Path) -> list[object]:
    return [answer("python", "search", question, "--index", str(path))["hits"] for question in QUESTIONS]


@each_program
def test_a_killed_copy_is_resumed(program: str, index: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.hsx"
    command = [*PROGRAMS[program], "copy", str(index), str(target), "--batch-size", "8", "--progress", "lines"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        for _ in range(5):
            stored = json.loads(process.stderr.readline())
        process.kill()
    with SqliteDocStore(str(target), read_only=True) as store:
        already = store.count()
    assert already >= stored["documents"]
    done = answer(program, "copy", str(index), str(target))
    assert done["documents"] == COUNT
    assert done["unchanged"] == already
    assert done["copied"] == COUNT - already
    assert exported(target) == exported(index)
    assert answers(target) == answers(index)


@each_program
def test_other_documents_in_the_target_are_reported(program: str, index: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.hsx"
    with SqliteDocStore(str(target)) as store:
        store.insert([{"id": "other"}])
    done = run(program, "copy", str(index), str(target))
    assert done.returncode != 0
    assert b'documents that the source does not have (1, the first is "other")' in done.stderr


@pytest.mark.engines
@each_program
def test_records_and_results_are_the_same_in_all_stores(
    program: str, index: Path, tmp_path: Path, postgres_url: str, opensearch_url: str
) -> None:
    if subprocess.run(["ruby", "-e", "require 'pg'"], capture_output=True).returncode:
        pytest.skip("the gem pg is not installed")
    indexes = Indexes(opensearch_url)
    name = indexes.name()
    cluster = opensearch_url.split(",")[0]
    places = [str(index), f"{postgres_url}#{name}", f"{cluster}#{name}", str(tmp_path / "copy.hsx")]
    try:
        counts = [answer(program, "copy", *pair) for pair in pairwise(places)]
    finally:
        PostgresDocStore(postgres_url, name).drop()
        indexes.remove()
    assert [one["copied"] for one in counts] == [COUNT] * 3
    assert len({one["digest"] for one in counts}) == 1
    assert exported(Path(places[-1])) == exported(index)
    assert answers(Path(places[-1])) == answers(index)


@pytest.mark.engines
@pytest.mark.parametrize("program", ["python", pytest.param("ruby", marks=pytest.mark.nightly)])
def test_records_and_results_are_the_same_after_oceanbase(
    program: str, index: Path, tmp_path: Path, oceanbase_url: str
) -> None:
    if subprocess.run(["ruby", "-e", "require 'mysql2'"], capture_output=True).returncode:
        pytest.skip("the gem mysql2 is not installed")
    name = f"t{uuid.uuid4().hex}"
    places = [str(index), f"{oceanbase_url}#{name}", str(tmp_path / "copy.hsx")]
    try:
        counts = [answer(program, "copy", *pair) for pair in pairwise(places)]
    finally:
        OceanBaseDocStore(oceanbase_url, name).drop()
    assert [one["copied"] for one in counts] == [COUNT] * 2
    assert len({one["digest"] for one in counts}) == 1
    assert exported(Path(places[-1])) == exported(index)
    assert answers(Path(places[-1])) == answers(index)

"""`locate` with a rerank model that works, fails in every way, or is missing (CNV-5, RNK-7)."""

import contextlib
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.tests.model_server import STATE, Handler, Server
from conformance.tests.test_locate import ENVIRONMENT, PROGRAMS, TEXTS, locate, written_index, written_instances

ANSWERS: dict[str, dict[str, Any]] = {
    "refuses": {"status": 400, "raw": "{}"},
    "is late": {"delay": 3.0},
    "gives NaN": {"raw": '[{"index": 0, "score": NaN}]'},
    "gives too few scores": {"raw": '[{"index": 0, "score": 0.5}]'},
    "gives no JSON": {"raw": "scores"},
}
"""The failures of a service, as steps of `model_server`."""

MODEL = '''
"""Stands for sentence-transformers: a cross-encoder whose name says how it fails."""
import time


class CrossEncoder:
    def __init__(self, name, **options):
        if name == "load":
            raise OSError("no such model")
        self.name = name

    def tokenizer(self, text, **options):
        return {"offset_mapping": [(place, place + 1) for place in range(len(text))]}

    def predict(self, pairs, **options):
        if self.name == "call":
            raise RuntimeError("out of memory")
        if self.name == "late":
            time.sleep(5)
        scores = [float(-len(text)) for _, text in pairs]
        return {"nan": [float("nan")] * len(pairs), "few": scores[1:]}.get(self.name, scores)
'''
FAILURES = {
    "call": "the cross-encoder failed: out of memory",
    "late": "the rerank model gave no answer within 2.0 seconds",
    "nan": "the rerank model gave an unusable score",
    "few": "the rerank model gave",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An index, a question for each failure, and the source of its blocks."""
    written_index(tmp_path)
    written_instances(tmp_path, len(ANSWERS))
    (tmp_path / "repos/repo").mkdir(parents=True)
    for number in range(4):
        source = f"def part{number}():\n    return {TEXTS[number]!r}\n"
        (tmp_path / f"repos/repo/f{number}.py").write_text(source, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/locate/tei/rerank"
        server.shutdown()


def flags(url: str, *more: str) -> list[str]:
    asked = ["--enable-rerank", "--repos-root", "repos", "--rerank-url", url, "--rerank-shape", "tei"]
    return [*asked, "--rerank-timeout", "2", *more]


def found(folder: Path) -> bytes:
    return (folder / "loc_outputs.jsonl").read_bytes()


def test_both_programs_return_the_same_results_with_a_model(folder, service):
    assert locate("python", folder).returncode == 0
    plain = found(folder)
    told = []
    for program in PROGRAMS:
        STATE.steps["locate"] = []
        done = locate(program, folder, *flags(service, "--convergence-mode", "prf", "--rerank-top-k", "3"))
        assert json.loads(done.stdout)["rerank"] == {"attempted": 5, "applied": 5, "failed": 0}
        told.append((done.stdout, done.stderr, found(folder)))
    assert told[0] == told[1]
    assert told[0][2] != plain


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_failing_service_leaves_the_order_of_the_first_stage(program, folder, service):
    assert locate(program, folder).returncode == 0
    plain = found(folder)
    STATE.steps["locate"] = list(ANSWERS.values())
    done = locate(program, folder, *flags(service))
    assert done.returncode == 0
    assert json.loads(done.stdout)["rerank"] == {"attempted": 5, "applied": 0, "failed": 5}
    warnings = done.stderr.splitlines()
    assert [line.split(": ")[1:3] for line in warnings] == [
        [f"i{n}", "ranked without the rerank model"] for n in range(5)
    ]
    assert found(folder) == plain


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("failure", ANSWERS)
def test_a_required_service_that_fails_ends_the_run(program, failure, folder, service):
    STATE.steps["locate"] = [ANSWERS[failure]]
    done = locate(program, folder, *flags(service, "--rerank-fail-open", "false"))
    assert (done.returncode, done.stdout, found(folder)) == (1, "", b"")
    assert done.stderr.startswith("hybrid-search locate: the rerank ")
    assert done.stderr.count("\n") == 1


def with_a_cross_encoder(folder: Path, name: str, *more: str) -> subprocess.CompletedProcess[str]:
    """A run of the program in Python with the stand-in for sentence-transformers."""
    (folder / "library").mkdir(exist_ok=True)
    (folder / "library/sentence_transformers.py").write_text(MODEL, encoding="utf-8")
    asked = ["--enable-rerank", "--repos-root", "repos", "--rerank-model", name, "--rerank-timeout", "2"]
    environment = {**ENVIRONMENT, "PYTHONPATH": os.pathsep.join([str(folder / "library"), ENVIRONMENT["PYTHONPATH"]])}
    command = [*PROGRAMS["python"], "locate", "--index-dir", "index", "in.jsonl", "--no-times", *asked, *more]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failing_cross_encoder_is_skipped_or_ends_the_run(failure, folder):
    written_instances(folder, 1)
    assert locate("python", folder).returncode == 0
    plain = found(folder)
    done = with_a_cross_encoder(folder, failure)
    assert done.returncode == 0
    assert f"i0: ranked without the rerank model: {FAILURES[failure]}" in done.stderr
    assert found(folder) == plain
    closed = with_a_cross_encoder(folder, failure, "--rerank-fail-open", "false")
    assert (closed.returncode, closed.stdout, found(folder)) == (1, "", b"")
    assert closed.stderr.startswith(f"hybrid-search locate: {FAILURES[failure]}")


def test_an_unloadable_cross_encoder_warns_once_or_ends_the_run(folder):
    assert locate("python", folder).returncode == 0
    plain = found(folder)
    for more in ((), ("--rerank_fail_open",)):
        done = with_a_cross_encoder(folder, "load", *more)
        assert (done.returncode, found(folder)) == (0, plain)
        assert json.loads(done.stdout)["rerank"] == {"attempted": 0, "applied": 0, "failed": 0}
        assert done.stderr == (
            "hybrid-search locate: ranked without the rerank model: the cross-encoder cannot be loaded: no such model\n"
        )
    for flag in (["--no-rerank_fail_open"], ["--rerank-fail-open", "false"]):
        closed = with_a_cross_encoder(folder, "load", *flag)
        assert (closed.returncode, closed.stdout, found(folder)) == (1, "", plain)
        assert closed.stderr == "hybrid-search locate: the cross-encoder cannot be loaded: no such model\n"


def test_a_cross_encoder_ranks_the_files_that_it_read(folder):
    written_instances(folder, 1)
    done = with_a_cross_encoder(folder, "short texts first", "--file-score-agg", "max")
    assert (done.returncode, done.stderr) == (0, "")
    by_length = sorted((len(TEXTS[number]), f"f{number}.py") for number in range(4))
    assert json.loads(found(folder))["found_files"] == [file for _, file in by_length]


def test_a_missing_library_is_reported(folder):
    with contextlib.suppress(ImportError):
        import sentence_transformers  # noqa: F401

        pytest.skip("sentence-transformers is installed")
    asked = ["--enable-rerank", "--repos-root", "repos"]
    done = locate("python", folder, *asked)
    assert done.returncode == 0
    assert done.stderr.count("CrossEncoderModel needs sentence-transformers: pip install 'hybrid-search[cross-enc") == 1
    closed = locate("python", folder, *asked, "--rerank-fail-open", "false")
    assert closed.returncode == 1
    alone = locate("ruby", folder, *asked)
    assert (alone.returncode, "needs --rerank-url" in alone.stderr) == (2, True)

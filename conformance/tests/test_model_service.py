"""The service of models for experiments: its responses, and that `locate` and the indexer can use it (CNV-5)."""

import json
import threading
from collections.abc import Iterator

import pytest

from conformance.quality import model_service
from conformance.quality.model_service import ModelService, RememberedVectors
from conformance.tests.test_locate import PROGRAMS, locate, written_instances
from hybrid_search import BlockIndex, Embedding, HashingEmbedder, HttpReranker, OpenAiEmbedder, RerankError
from hybrid_search.base import numeric
from hybrid_search.code_index.program import main

TEXTS = ["def open_file(path)", "class Cursor: next page", ""]
EMBEDDER = HashingEmbedder(32)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with ModelService(0, Embedding(EMBEDDER)) as service:
        threading.Thread(target=service.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{service.server_port}"
        service.shutdown()


def test_vectors_equal_those_of_the_model(address):
    assert OpenAiEmbedder(f"{address}/v1", "m").encode(TEXTS[:2]) == EMBEDDER.encode(TEXTS[:2])


def test_common_words_raise_the_score(address):
    scores = HttpReranker(f"{address}/rerank/terms", shape="tei").similarity("open a file", TEXTS)
    assert scores[0] > 0.1 > scores[1] > 0.0
    assert scores[2] < 1e-6


def test_cosines_follow_from_the_vectors(address):
    scores = HttpReranker(f"{address}/rerank/cosine", shape="tei").similarity("open a file", TEXTS[:2])
    asked = EMBEDDER.encode_queries("open a file")
    assert scores == [numeric.cosine(asked, vector) for vector in EMBEDDER.encode(TEXTS[:2])]


def test_a_vector_is_computed_once(monkeypatch):
    made = []

    def encode(texts):
        made.append(list(texts))
        return EMBEDDER.encode(texts)

    monkeypatch.setattr(model_service, "REMEMBERED", 3)
    vectors = RememberedVectors(Embedding(encode))
    for texts in (["a", "b", "a"], ["b", "c"], ["c", "d"], ["a"]):
        assert [list(vector) for vector in vectors.encode(texts)] == EMBEDDER.encode(texts)
    assert made == [["a", "b"], ["c"], ["c", "d"], ["a"]]


def test_a_request_that_is_not_served_is_reported(address):
    with pytest.raises(RerankError, match="404"):
        HttpReranker(f"{address}/rerank/other", shape="tei").similarity("q", TEXTS)


def test_both_programs_search_an_index_whose_vectors_come_from_a_service(address, tmp_path):
    (tmp_path / "repos/repo").mkdir(parents=True)
    for number, text in enumerate(["def open_file(path): pass", "def next_page(cursor): pass"]):
        (tmp_path / f"repos/repo/f{number}.py").write_text(f"{text}\n", encoding="utf-8")
    written_instances(tmp_path, 2)
    given = [str(tmp_path / "repos/repo"), "--index-dir", str(tmp_path / "index"), "--embed", "openai"]
    assert main([*given, "--embed-url", f"{address}/v1", "--embed-model", "m", "--format", "json"]) == 0
    assert BlockIndex.open(str(tmp_path / "index")).dimension == 32
    flags = ["--enable-rerank", "--repos-root", "repos", "--rerank-shape", "tei", "--rerank-url"]
    told = []
    for program in PROGRAMS:
        done = locate(program, tmp_path, *flags, f"{address}/rerank/terms")
        assert (done.returncode, done.stderr) == (0, "")
        told.append((tmp_path / "loc_outputs.jsonl").read_text(encoding="utf-8"))
    assert told[0] == told[1]
    assert [json.loads(line)["found_files"][0] for line in told[0].splitlines()] == ["f0.py", "f1.py"]

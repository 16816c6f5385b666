"""What type checkers see of the library: a sound program passes, every mistake in an unsound one is reported."""

import re
import sys
from pathlib import Path

import pytest
from mypy import api

HEAD = """
from hybrid_search import (
    Chunk, DocumentBuilder, Embedding, EmbeddingCache, Fusion, HashingEmbedder, Index, KeywordCache, KeywordExtractor,
    MemoryDocStore, PartialRerank, PostProcessor, QueryBuilder, Reranker, RetrievalService, Retriever, Segmenter,
    Synonyms, TermWeight, Tokenizer,
)
"""
SOUND = (
    HEAD
    + """
import numpy as np
from numpy.typing import NDArray


class Encoder:
    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        return np.ones((len(texts), 2), np.float32)


class Scorer:
    def similarity(self, query: str, texts: list[str]) -> list[float]:
        return [float(len(query)) for _ in texts]


class Characters:
    def tokenize(self, text: str) -> list[str]:
        return list(text)

    def fine_grained(self, token: str) -> list[str]:
        return [token]

    def frequency(self, term: str) -> int:
        return 0

    def tag(self, term: str) -> str:
        return ""

    def normalize(self, text: str) -> str:
        return text


def encode(texts: list[str]) -> list[list[float]]:
    return [[1.0, 0.0] for _ in texts]


index = Index(embedding=Encoder(), tokenizer=Characters(), store=MemoryDocStore(bm25="lucene"), page_size=5)
index.add([{"id": "1", "content": "a"}], batch_size=1, progress=lambda done, total: None)
chunks: list[Chunk] = list(index.search("a", topk=5, rerank_model=Scorer(), filters={"doc_id": ["1"]}).chunks)
for page in Index(embedding=encode).each_page("a", rerank_model=lambda query, texts: [0.0 for _ in texts]):
    print(page.total, [chunk.similarity for chunk in page.chunks])
Index(embedding=EmbeddingCache(HashingEmbedder(dimension=8), capacity=2))
PartialRerank(Scorer(), rerank_top_k=3)
PostProcessor("reranking_model", reranking_model=Scorer())
QueryBuilder(synonyms=Synonyms({"a": ["b"]}), term_weight=TermWeight(document_frequencies={"a": 1}))
fused: list[tuple[str, float]] = Fusion.rrf([[("a", 1.0)]], k=10)
"""
)
WRONG = (
    'Index(embeding=HashingEmbedder())',
    'Index().add([], batchsize=10)',
    'Index().search("a", topK=5)',
    'Index().search("a", page="1")',
    'Index().search(5)',
    'Index(embedding=5)',
    'Index(tokenizer="str")',
    'Index(store={})',
    'Index().search("a", rerank_model=5)',
    'Retriever(MemoryDocStore(), QueryBuilder(), kernel="fast")',
    'Embedding(HashingEmbedder(), dimensions=3)',
    'EmbeddingCache(HashingEmbedder(), size=3)',
    'HashingEmbedder(dim=3)',
    'PartialRerank(lambda query, texts: texts)',
    'PartialRerank(lambda query, texts: [0.0], top_k=3)',
    'PostProcessor("weighted_score", weight="1,1")',
    'Reranker(QueryBuilder(), kernel="fast")',
    'RetrievalService(MemoryDocStore(), candidate=3)',
    'Fusion.rrf([], rrf_k=3)',
    'Fusion.weighted_sum([], [], normaliser="max")',
    'KeywordExtractor(identifier=True)',
    'KeywordCache().extract("a", topk=3)',
    'Tokenizer(stem=False)',
    'Segmenter(kernels=1)',
    'DocumentBuilder(titleweight=0.5)',
    'Synonyms({"a": 1})',
    'print(Index().search("a").results)',
    'print(Chunk.similarty)',
)  # fmt: skip


def checked(folder: Path, text: str) -> tuple[str, int]:
    """What mypy says of a program outside the repository, and its exit status."""
    program = folder / "program.py"
    program.write_text(text, encoding="utf-8")
    cache = Path(__file__).resolve().parents[2] / ".mypy_cache"
    options = ["--strict", "--no-error-summary", "--config-file", "", "--cache-dir", str(cache / "programs")]
    out, err, status = api.run([*options, "--python-executable", sys.executable, str(program)])
    assert err == ""
    return out, status


def test_a_sound_program_passes(tmp_path):
    assert checked(tmp_path, SOUND) == ("", 0)


def test_every_mistake_is_reported(tmp_path):
    out, status = checked(tmp_path, HEAD + "\n".join(WRONG) + "\n")
    assert status == 1
    first = HEAD.count("\n") + 1
    reported = {int(line) for line in re.findall(r"program\.py:(\d+): error", out)}
    missed = [text for place, text in enumerate(WRONG, start=first) if place not in reported]
    assert missed == []
    assert reported == set(range(first, first + len(WRONG)))


@pytest.mark.parametrize("name", ["embedding", "tokenizer", "store", "rerank_model"])
def test_a_wrong_object_is_told_by_the_name_of_its_option(tmp_path, name):
    call = f'Index().search("a", {name}=5)' if name == "rerank_model" else f"Index({name}=5)"
    out, _ = checked(tmp_path, HEAD + call)
    assert f'"{name}"' in out

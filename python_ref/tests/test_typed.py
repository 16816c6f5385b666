"""Type checkers accept a correct program, and report every mistake in an incorrect one."""

import inspect
import re
import sys
import typing
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mypy import api

import hybrid_search
from hybrid_search import adapter_kit
from hybrid_search.readers.file_import import AddedFiles
from hybrid_search.records.text_workers import TextWorkers

HEAD = """
from hybrid_search import (
    Chunk, DocumentBuilder, Embedding, EmbeddingCache, Fusion, HashingEmbedder, Hit, Index, KeywordCache,
    KeywordExtractor, MemoryDocStore, Page, PartialRerank, PostProcessor, QueryBuilder, Reranker, RetrievalService,
    Retriever, Segmenter, Synonyms, TermWeight, Tokenizer,
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


index = Index(embedding=Encoder(), tokenizer=Characters(), store=MemoryDocStore(bm25="lucene"), limit=5)
index.add([{"id": "1", "content": "a"}], batch_size=1, progress=lambda done, total: None)
hits: list[Hit] = list(index.search("a", candidates=5, rerank_model=Scorer(), filters={"doc_id": ["1"]}))
for hit in Index(embedding=encode).each("a", rerank_model=lambda query, texts: [0.0 for _ in texts]):
    print(hit.id, hit.scores.bm25, hit.metadata)
page: Page = index.search("a", vector=[1.0, 0.0], page="2", profile="ragflow")
print(page.total, page[0].id, page[:2], page.next_cursor)
Index(embedding=EmbeddingCache(HashingEmbedder(dimension=8), capacity=2))
PartialRerank(Scorer(), rerank_top_k=3)
PostProcessor("reranking_model", reranking_model=Scorer())
QueryBuilder(synonyms=Synonyms({"a": ["b"]}), term_weight=TermWeight(document_frequencies={"a": 1}))
record = {"id": 1, "content": "a", "metadata": {"year": 2024}, "keywords": ["a"]}
index.add(iter([record]))
wanted = {"metadata.year": {"gte": 2019}, "doc_id": ["1"], "available": True}
order = [("metadata.year", "desc")]
index.search("a", filters=wanted, order_by=order)
MemoryDocStore().search(filters=wanted, order_by=[["id", "asc"]])
fused: list[tuple[str, float]] = Fusion.rrf([[("a", 1.0)]], k=10)
"""
)
WRONG = (
    'Index(embeding=HashingEmbedder())',
    'Index().add([], batchsize=10)',
    'Index().search("a", topK=5)',
    'Index().search("a", page=[1])',
    'Index().search("a", profile="best")',
    'Index().search(5)',
    'Index(embedding=5)',
    'Index(tokenizer="str")',
    'Index().add(["a"])',
    'Index().search("a", filters=["a"])',
    'Index().search("a", order_by=[1])',
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
    'print(Index().search("a")[0].chunk_id)',
    'print(Chunk.similarty)',
)  # fmt: skip


def checked(folder: Path, text: str) -> tuple[str, int]:
    """Return the output of mypy for a program outside the repository, and its exit status."""
    program = folder / "program.py"
    program.write_text(text, encoding="utf-8")
    cache = Path(__file__).resolve().parents[2] / ".mypy_cache"
    options = ["--strict", "--no-error-summary", "--config-file", "", "--cache-dir", str(cache / "programs")]
    out, err, status = api.run([*options, "--python-executable", sys.executable, str(program)])
    assert err == ""
    return out, status


def test_a_correct_program_passes(tmp_path):
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
def test_a_wrong_object_is_reported_by_the_name_of_its_option(tmp_path, name):
    call = f'Index().search("a", {name}=5)' if name == "rerank_model" else f"Index({name}=5)"
    out, _ = checked(tmp_path, HEAD + call)
    assert f'"{name}"' in out


ANY = {
    "AsyncIndex.__init__: embedding": "awaitable or not: both kinds are told apart when it is given",
    "AsyncIndex.__init__: rerank_model": "likewise",
    "AsyncIndex.__init__: options": "those of Index",
    "AsyncIndex.open: options": "those of the constructor",
    "AsyncIndex.from_beir: options": "likewise",
    "AsyncIndex.tags_of_question: options": "those of `Index.tags_of_question`",
    "AsyncIndex.tags_of_record: options": "likewise",
    "Page.count: value": "any object may be compared with a hit",
    "Chunk.__init__: positions": "numbers, or lists of them to any depth, as the record gave them",
    "Hit.__init__: positions": "likewise",
    "DocStoreAdapter.rank: match_exprs": "expressions of the adapter kit, which loads after the store's base",
    "DocStoreAdapter.search: match_exprs": "likewise",
    "MemoryDocStore.rank: match_exprs": "likewise",
    "MemoryDocStore.search: match_exprs": "likewise",
    "OceanBaseDocStore.rank: match_exprs": "likewise",
    "OceanBaseDocStore.search: match_exprs": "likewise",
    "OpenSearchDocStore.rank: match_exprs": "likewise",
    "OpenSearchDocStore.search: match_exprs": "likewise",
    "OpenSearchDocStore.open: options": "those of the constructor",
    "OpenSearchDocStore.ragflow_index: options": "those of the constructor",
    "SqliteDocStore.rank: match_exprs": "likewise",
    "SqliteDocStore.search: match_exprs": "likewise",
    "SqliteDocStore.open: options": "those of the constructor",
    "PostgresDocStore.__init__: connection": "a text, or an object of psycopg, which need not be installed",
    "PostgresDocStore.rank: match_exprs": "as for DocStoreAdapter",
    "PostgresDocStore.search: match_exprs": "likewise",
    "Index.open: options": "likewise",
    "Index.from_beir: options": "likewise",
    "Document.build: value": "a document or its dump, checked when it comes",
    "Document.build_many: values": "likewise",
    "HttpReranker.read: answer": "JSON of a service, checked when it comes",
    "OpenAiEmbedder.read: answer": "likewise",
    "PostProcessor.from_configuration: options": "those of the constructor",
    "QueryBuilder.accept_question: question": "checks whatever came as a question",
    "RetrievalConfiguration.parse: value": "Dify's object, its JSON text or none, checked when it comes",
    "RetrievalService.retrieve: settings": "Dify's settings, in any of its spellings",
}
"""Public parameters that are `Any`, or `Sequence[Any]`, and why."""


def bare(kind: object) -> bool:
    """Whether a parameter accepts any type, or a list of any type."""
    return kind is typing.Any or (
        typing.get_origin(kind) in {list, tuple, *SEQUENCES} and any(bare(part) for part in typing.get_args(kind))
    )


SEQUENCES = (typing.get_origin(typing.Sequence[int]), typing.get_origin(typing.Iterable[int]))


def public_functions() -> Iterator[tuple[str, Callable[..., object]]]:
    """Yield what users call: the constructors and public methods of the classes that the package exports."""
    for name in hybrid_search.__all__:
        shown = getattr(hybrid_search, name)
        if inspect.isclass(shown) and not issubclass(shown, Exception):
            for method in sorted(dir(shown)):
                found = getattr(shown, method)
                if (method == "__init__" or not method.startswith("_")) and inspect.isroutine(found):
                    yield f"{name}.{method}", found


def test_no_parameter_accepts_any_type():
    names = {name: getattr(room, name) for room in (hybrid_search, adapter_kit) for name in room.__all__}
    names["AddedFiles"] = AddedFiles  # loaded when files are read
    names["TextWorkers"] = TextWorkers  # loaded when records are added
    found = set()
    for name, function in public_functions():
        if not hasattr(function, "__code__") and not hasattr(function, "__func__"):
            continue
        for parameter, kind in typing.get_type_hints(function, localns=names).items():
            if parameter != "return" and bare(kind):
                found.add(f"{name}: {parameter}")
    assert found == set(ANY)


LIMITS = {"limit", "facet_limit", "keyword_limit"}
"""Our own names for the maximum number of results."""

THEIRS = {"topk": "RAGFlow's", "top_n": "Dify's", "top_k": "Dify's", "rerank_top_k": "that of convergence"}
"""Names in other formats for the same."""


def test_maximum_numbers_are_named_limit():
    names = {name for _, function in public_functions() for name in _parameters(function)}
    alike = {name for name in names if re.search(r"top|limit|most|how_many|(^|_)(n|num|number|count)$", name)}
    assert alike <= LIMITS | set(THEIRS) | {"count", "number", "stop", "stop_words", "numbers"}
    assert names >= {"limit", "keyword_limit"}


def _parameters(function: Callable[..., object]) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except ValueError:
        return []

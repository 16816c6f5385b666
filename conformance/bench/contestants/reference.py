"""The Python library as it is measured."""

import dataclasses
import gc
import itertools
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from conformance.bench.contestants import memory
from conformance.bench.contestants.helpers import digest, each_timed, keywords_digest, lines
from conformance.bench.timing import timed
from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.index import Index
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.query_builder.expressions import MatchDenseExpr, MatchTextExpr
from hybrid_search.query_builder.tree import AnyOf, Term
from hybrid_search.reranker.outcome import RerankOutcome
from hybrid_search.reranker.reranker import Reranker
from hybrid_search.text.dictionary import Dictionary
from hybrid_search.text.keyword_extractor import KeywordExtractor
from hybrid_search.text.segmenter import Segmenter
from hybrid_search.text.stop_words import jieba_words

TOP = 10
BATCH = 1000


class Segmentation:
    """`Segmenter.cut`, with HMM."""

    def load(self, path: str) -> None:
        """Read the lines and load the dictionary."""
        self._lines = lines(path)
        self._segmenter = Segmenter()

    def run(self) -> dict[str, Any]:
        """Cut all lines."""
        cut, taken = timed(lambda: [self._segmenter.cut(line) for line in self._lines])
        return {"cpu": taken.cpu, "wall": taken.wall, "digest": digest("\x01".join(tokens) for tokens in cut)}


class DictionaryLoad:
    """`Dictionary`, once in a process."""

    def run(self) -> dict[str, Any]:
        """Load it, as far as it takes to know a word."""
        gc.collect()
        before = memory.resident()
        dictionary = None

        def load() -> int:
            nonlocal dictionary
            dictionary = Dictionary()
            return dictionary.frequency("中国")

        frequency, taken = timed(load)
        gc.collect()
        used = memory.resident() - before
        return {"cpu": taken.cpu, "wall": taken.wall, "memory": used, "frequency": frequency}


class FindKeywords:
    """`KeywordExtractor.extract`, the best 20."""

    def load(self, path: str) -> None:
        """Read the lines and load the dictionary and the frequencies."""
        self._lines = lines(path)
        self._extractors = {
            False: KeywordExtractor(identifiers=False, stop_words=jieba_words()),
            True: KeywordExtractor(),
        }
        for extractor in self._extractors.values():
            extractor.extract("热身")

    def run(self, identifiers: bool = False) -> dict[str, Any]:
        """Find the keywords of all lines."""
        extractor = self._extractors[identifiers]
        found, taken = timed(lambda: [extractor.extract(line, limit=20) for line in self._lines])
        answers = ((one.words, one.weights, one.parts) for one in found)
        return {"cpu": taken.cpu, "wall": taken.wall, "digest": keywords_digest(answers)}


class TextLeg:
    """`MemoryDocStore.text_leg` for a bag of terms over one field."""

    def load(self, documents: str) -> None:
        """Store the documents (lists of token numbers)."""
        self._store = MemoryDocStore()
        texts = (" ".join(f"t{token}" for token in tokens) for tokens in lines(documents))
        records = ({"id": f"{number:07}", "body_ltks": text} for number, text in enumerate(texts))
        while batch := list(itertools.islice(records, BATCH)):
            self._store.insert(batch)

    def take(self, queries: str) -> None:
        """Read the queries to answer (lists of token numbers)."""
        self._queries = [
            MatchTextExpr((("body_ltks", 1.0),), AnyOf(tuple(Term(f"t{token}") for token in query)), TOP)
            for query in lines(queries)
        ]

    def run(self) -> dict[str, Any]:
        """Answer all queries, one after the other."""
        return each_timed(self._queries, self._store.text_leg)[1]

    def answers(self) -> list[list[tuple[int, str]]]:
        """For every query the best documents and the bits of their scores."""
        found = [self._store.text_leg(query) for query in self._queries]
        return [[(int(identifier), numeric.to_bits(score)) for identifier, score in one] for one in found]


class HybridRerank:
    """`Reranker.rerank_by_hybrid`."""

    def load(self, pool: str, questions: str) -> None:
        """Store the candidates, and find all of them for every question."""
        store = MemoryDocStore()
        candidates = lines(pool)
        store.insert(candidates)
        self._questions = [
            (question["text"], self._found(store, question["vector"], len(candidates))) for question in lines(questions)
        ]
        self._reranker = Reranker(QueryBuilder())

    def run(self, repeats: int, prepared: bool) -> dict[str, Any]:
        """Rerank for every question, with or without what the store prepared; the time is that of one question."""
        questions = [
            (text, found if prepared else dataclasses.replace(found, prepared={}, dense_scores=None))
            for text, found in self._questions
        ]
        outcomes, taken = timed(lambda: [self._last_of(repeats, found, text) for text, found in questions])
        answers = [
            {identifier: numeric.to_bits(one) for identifier, one in zip(outcome.ids, outcome.similarity, strict=True)}
            for outcome in outcomes
        ]
        count = repeats * len(questions)
        return {"cpu": taken.cpu / count, "wall": taken.wall / count, "answers": answers}

    def _last_of(self, repeats: int, found: SearchResult, text: str) -> RerankOutcome:
        """The last outcome of so many; to keep all would be work for the garbage collector that nobody else has."""
        for _ in range(repeats):
            outcome = self._reranker.rerank_by_hybrid(found, text)
        return outcome

    @staticmethod
    def _found(store: MemoryDocStore, vector: list[float], count: int) -> SearchResult:
        nearest = MatchDenseExpr(f"q_{len(vector)}_vec", tuple(vector), topn=count)
        return store.search(match_exprs=[nearest], limit=count)


class Store:
    """`Index`: adding documents and searching, end to end."""

    def load(self, passages: str, passage_vectors: str, queries: str, query_vectors: str, dimension: int) -> None:
        """Read the passages and queries with their vectors; nothing is added yet."""
        self._passages = lines(passages)
        self._vectors = np.memmap(passage_vectors, "<f4", "r").reshape(-1, dimension)
        self._queries = lines(queries)
        known = np.fromfile(query_vectors, "<f4").reshape(-1, dimension).astype(float)
        vectors = {query: vector.tolist() for query, vector in zip(self._queries, known, strict=True)}
        warm_up = [1.0] * dimension

        def embed(asked: list[str]) -> list[list[float]]:
            return [vectors.get(text, warm_up) for text in asked]

        self._embed = embed
        self._index = Index(embedding=embed, profile="ragflow")
        self._index.search("warm up")
        gc.collect()

    def add(self, first: int, last: int) -> dict[str, Any]:
        """Add the passages from `first` to before `last`."""
        vectors = self._vectors[first:last].astype(float).tolist()
        self._batch = [
            {**passage, "vector": vector} for passage, vector in zip(self._passages[first:last], vectors, strict=True)
        ]
        _, taken = timed(lambda: self._index.add(self._batch))
        return {"cpu": taken.cpu, "wall": taken.wall, "peak": memory.peak()}

    def crowd(self, readers: int, writers: int, batch: int, seconds: float) -> dict[str, Any]:
        """Search in some threads and write in others: what each search took by the clock, batches written.

        Raises:
            RuntimeError: a search met part of a batch.
        """
        until = time.monotonic() + seconds

        def read(place: int) -> list[float]:
            taken: list[float] = []
            while time.monotonic() < until:
                began = time.monotonic()
                self._index.search(self._queries[(place + len(taken)) % len(self._queries)])
                taken.append(time.monotonic() - began)
                if (len(self._batch) - self._index.count()) % batch:
                    raise RuntimeError("a batch was there in part")
            return taken

        def write(place: int) -> int:
            own = self._batch[place * batch : (place + 1) * batch]
            written = 0
            while time.monotonic() < until:
                self._index.delete([record["id"] for record in own])
                self._index.add(own)
                written += 2
            return written

        with ThreadPoolExecutor(readers + writers) as threads:
            reading = [threads.submit(read, place) for place in range(readers)]
            writing = [threads.submit(write, place) for place in range(writers)]
            wall = [one for reader in reading for one in reader.result()]
            return {"wall": wall, "batches": sum(writer.result() for writer in writing)}

    def search(self) -> dict[str, Any]:
        """Answer all queries, one after the other: the first page."""
        found, taken = each_timed(self._queries, self._index.search)
        shown = (f"{hit.id} {numeric.to_bits(hit.score or 0.0)}" for page in found for hit in page)
        return {**taken, "digest": digest(shown), "peak": memory.peak()}

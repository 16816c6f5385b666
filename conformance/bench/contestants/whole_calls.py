"""`Index` as its users call it: text and hybrid searches, pages by cursor, `add`, a file, and an HTTP service."""

import dataclasses
import gc
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from conformance.bench.contestants import memory
from conformance.bench.contestants.helpers import digest, each_timed, lines
from conformance.bench.timing import timed
from hybrid_search import HttpService, Index, QueryBuilder
from hybrid_search.base import numeric
from hybrid_search.query_builder.expressions import MatchDenseExpr
from hybrid_search.search.page import Page
from hybrid_search.server.http_server import HttpServer

FILE = "hybrid.hsx"


class WholeCalls:
    """The reference in one process: in memory, over a file, and behind HTTP."""

    def load(
        self, records: str, vectors: str, questions: str, question_vectors: str, dimension: int, folder: str
    ) -> None:
        """Read the questions; documents are read when they are added."""
        self._records, self._vectors, self._dimension = records, vectors, dimension
        self._path = str(Path(folder, FILE))
        self._questions: list[str] = lines(questions)
        rows = np.fromfile(question_vectors, "<f4").reshape(-1, dimension).astype(float).tolist()
        known = dict(zip(self._questions, rows, strict=True))
        self._embed: Callable[[Any], list[list[float]]] = lambda texts: [known[text] for text in texts]

    def fill_memory(self) -> None:
        """Add all documents with vectors, in memory alone."""
        self._memory = Index(embedding=self._embed)
        self._memory.add(self._documents())
        self._text = Index(store=self._memory.store, embedding=None)
        gc.collect()

    def fill(self) -> dict[str, Any]:
        """Add all documents with vectors, in memory and in the file; gives the size of the file."""
        self._memory = Index(embedding=self._embed)
        with Index.open(self._path, embedding=self._embed) as file:
            self._memory.add(self._documents())
            file.add(self._documents())
        self._text = Index(store=self._memory.store, embedding=None)
        self._file = Index.open(self._path, embedding=self._embed)
        gc.collect()
        return {"bytes": Path(self._path).stat().st_size}

    def run(self, call: str) -> dict[str, Any]:
        """Ask all questions in one way: "text", "hybrid", "page" (the second one, by cursor) or "file"."""
        work, items = self._work(call)
        pages, taken = each_timed(items, work)
        shown = (f"{hit.id} {numeric.to_bits(hit.score or 0.0)}" for page in pages for hit in page)
        return {**taken, "digest": digest(shown)}

    def _work(self, call: str) -> tuple[Callable[[Any], Page], list[Any]]:
        if call == "page":
            pairs = [(question, self._memory.search(question).next_cursor) for question in self._questions]
            return (lambda pair: self._memory.search(pair[0], cursor=pair[1])), [pair for pair in pairs if pair[1]]
        index = self._file if call == "file" else {"text": self._text, "hybrid": self._memory}[call]
        return index.search, self._questions

    def leg(self, call: str, topn: int) -> dict[str, Any]:
        """Ask the store in memory all questions in one leg: "dense" or "text"."""
        store: Any = self._memory.store
        if call == "dense":
            field = f"q_{self._dimension}_vec"
            exprs: list[Any] = [
                MatchDenseExpr(field, tuple(vector), topn=topn)
                for text in self._questions
                for vector in self._embed([text])
            ]
            found, taken = each_timed(exprs, store.dense_leg)
        else:
            builder = QueryBuilder()
            built = [builder.build_text_query(text)[0] for text in self._questions]
            exprs = [dataclasses.replace(expr, topn=topn) for expr in built if expr is not None]
            found, taken = each_timed(exprs, store.text_leg)
        return {**taken, "digest": digest(f"{one} {numeric.to_bits(score)}" for leg in found for one, score in leg)}

    def _documents(self) -> Iterator[dict[str, Any]]:
        vectors = np.memmap(self._vectors, "<f4", "r").reshape(-1, self._dimension)
        for record, row in zip(lines(self._records), vectors, strict=True):
            yield {**record, "vector": row.astype(float).tolist()}

    def add(self, records: str, kind: str, question: str, in_file: bool) -> dict[str, Any]:
        """Add documents without vectors and answer a first question, once everything is loaded."""
        found = lines(records)
        _ask_after(found[:2], question, in_file)
        gc.collect()
        _, taken = timed(lambda: _ask_after(found, question, in_file))
        return {"cpu": taken.cpu, "wall": taken.wall}

    def first(self, question: int) -> dict[str, Any]:
        """Open the file and answer one question."""
        asked = self._questions[question]
        page, taken = timed(lambda: Index.open(self._path, embedding=self._embed).search(asked))
        shown = (f"{hit.id} {numeric.to_bits(hit.score or 0.0)}" for hit in page)
        return {"cpu": taken.cpu, "wall": taken.wall, "digest": digest(shown)}

    def serve(self) -> str:
        """Serve the index over the file; gives the address."""
        ready = threading.Event()
        address: list[str] = []

        def take(text: str) -> None:
            address.append(text)
            ready.set()

        server = HttpServer(HttpService(self._file, read_only=True), "127.0.0.1", 0)
        threading.Thread(target=server.run, args=(take,), daemon=True).start()
        ready.wait(30)
        return address[0]

    def used(self) -> float:
        """The CPU time of this process until now."""
        return process_time()

    def peak(self) -> int:
        """The most bytes of memory that this process has held."""
        return memory.peak()


def _ask_after(records: Sequence[dict[str, Any]], question: str, in_file: bool) -> int:
    with tempfile.TemporaryDirectory() as folder:
        index = Index.open(Path(folder, FILE), embedding=None) if in_file else Index(embedding=None)
        with index:
            index.add(records)
            return len(index.search(question))

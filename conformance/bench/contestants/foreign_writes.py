"""A store that another process writes to while questions are asked."""

import itertools
import json
from typing import Any

from conformance.bench.contestants.helpers import digest
from conformance.bench.contestants.stores import StoreOf
from conformance.bench.timing import timed
from hybrid_search.base import numeric
from hybrid_search.index import Index

WRITTEN = "written by another client"
WORDS = 8
"""How many words of a document are a question."""
SHOWN = 100
"""How many of the documents are written again, one after the other."""


class ForeignWrites(StoreOf):
    """`Index` over a store in a file or in PostgreSQL, with questions of text alone and of text and a vector."""

    def open(self, kind: str, path: str, collection: str) -> None:
        """Take a store of a kind; see `StoreOf.use`."""
        self.use(kind, path, collection, "balanced")
        self._ways = {"text": Index(store=self._store), "hybrid": self._index}

    def ask(self, way: str, question: int) -> dict[str, Any]:
        """Answer one question, the first page: "text", or "hybrid" with a vector."""
        page, taken = timed(lambda: self._ways[way].search(self._queries[question]))
        shown = (f"{hit.id} {numeric.to_bits(hit.score or 0.0)}" for hit in page)
        return {"cpu": taken.cpu, "wall": taken.wall, "digest": digest(shown)}

    def ask_others(self, path: str, count: int) -> None:
        """Ask questions about the first documents, one each: their first words."""
        with open(path, encoding="utf-8") as file:
            for line in itertools.islice(file, count):
                words = json.loads(line)["content_with_weight"].split()
                self._ways["text"].search(" ".join(words[:WORDS]))

    def write(self, path: str, place: int) -> None:
        """Write one document in the place of the one written before: the fields of a given one, with its vector."""
        with open(path, encoding="utf-8") as file:
            found = json.loads(next(itertools.islice(file, place % SHOWN, None)))
        vector = self._vectors[place % SHOWN].astype(float).tolist()
        self._store.upsert([{**found, f"q_{len(vector)}_vec": vector, "id": WRITTEN}])

"""Reads BEIR-style collections with stored embeddings: the corpora of the fixtures, or any other folder in that form.

```
corpus.jsonl          {"_id", "title", "text"}; also keywords, questions, tags, page_rank, doc_id, document_name,
                      kb_id, available, as `DocumentBuilder` takes them
queries.jsonl         {"_id", "text"}
qrels.tsv             query-id, corpus-id, score, with a header
MODEL/corpus.npy      float32, a row a document; queries.npy likewise; ids.json {"corpus": [...], "queries": [...]}
```
"""

import json
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from conformance.implementations.python import stores
from conformance.implementations.python.stores import Store
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.embedding.hashing import HashingEmbedder
from hybrid_search.records.document_builder import DocumentBuilder

REPOSITORY = Path(__file__).resolve().parents[3]
CORPORA = REPOSITORY / "fixtures" / "corpora"
BATCH = 256


class CorpusError(Exception):
    """A folder is not a collection in this form; the message says what is missing."""


class StoredVectors:
    """An embedding provider that knows the vectors of a collection's queries.

    Any other text gets the vector of the hashing embedder of the same dimension.
    """

    def __init__(self, vectors: dict[str, list[float]], model: str, dimension: int) -> None:
        self.model = model
        self.dimension = dimension
        self._vectors = vectors
        self._hashing = HashingEmbedder(dimension=dimension)

    def encode_queries(self, text: str) -> list[float]:
        """The vector of one query."""
        return self._vectors.get(text) or self._hashing.encode_queries(text)

    def encode(self, texts: list[str]) -> list[list[float]]:
        """The vectors of several texts."""
        return [self.encode_queries(text) for text in texts]


class Collection:
    """One collection; everything is read when it is first asked for.

    Args:
        folder: where its files are.
        model: the folder of the embeddings to use; the first by name when not given, none when there is none.
    """

    def __init__(self, folder: Path, model: str | None = None) -> None:
        self.folder = folder
        self.name = folder.name
        found = sorted(path.parent.name for path in folder.glob("*/corpus.npy"))
        if model is not None and model not in found:
            raise CorpusError(f"{folder.name} has no embeddings {model}")
        self.model = model or (found[0] if found else None)

    @cached_property
    def documents(self) -> list[dict[str, Any]]:
        """The documents as they stand in the file."""
        return _lines(self.folder / "corpus.jsonl")

    @cached_property
    def queries(self) -> list[dict[str, Any]]:
        """The queries: {_id, text}."""
        return _lines(self.folder / "queries.jsonl")

    @cached_property
    def qrels(self) -> dict[str, dict[str, int]]:
        """Query id → document id → grade."""
        judged: dict[str, dict[str, int]] = {}
        for line in (self.folder / "qrels.tsv").read_text(encoding="utf-8").split("\n")[1:]:
            if line:
                query, document, grade = line.split("\t")
                judged.setdefault(query, {})[document] = int(grade)
        return judged

    @cached_property
    def document_vectors(self) -> dict[str, list[float]]:
        """Document id → vector; empty without embeddings."""
        return self._vectors("corpus")

    @cached_property
    def query_vectors(self) -> dict[str, list[float]]:
        """Query id → vector; empty without embeddings."""
        return self._vectors("queries")

    def records(self) -> list[dict[str, Any]]:
        """The documents as `DocumentBuilder` takes them, with their vectors."""
        made = []
        for document in self.documents:
            record = {key: value for key, value in document.items() if key not in ("_id", "text")}
            record |= {"id": document["_id"], "content": document["text"]}
            if document["_id"] in self.document_vectors:
                record["vector"] = self.document_vectors[document["_id"]]
            made.append(record)
        return made

    def store(self) -> Store:
        """A store with all documents, made once; not to be changed."""
        return self._store

    def embedding(self) -> Embedding | None:
        """The stored vectors as an embedding; none without."""
        return self._embedding

    @cached_property
    def _store(self) -> Store:
        store, builder, records = stores.store(), DocumentBuilder(), self.records()
        for first in range(0, len(records), BATCH):
            store.insert(builder.build_many(records[first : first + BATCH]))
        return store

    @cached_property
    def _embedding(self) -> Embedding | None:
        if self.model is None:
            return None
        vectors: dict[str, list[float]] = {}
        for query in self.queries:
            vectors.setdefault(query["text"], self.query_vectors[query["_id"]])
        dimension = len(next(iter(self.query_vectors.values())))
        return Embedding(StoredVectors(vectors, self.model, dimension))

    def _vectors(self, which: str) -> dict[str, list[float]]:
        if self.model is None:
            return {}
        ids = json.loads((self.folder / self.model / "ids.json").read_text(encoding="utf-8"))[which]
        rows = np.load(self.folder / self.model / f"{which}.npy", allow_pickle=False)
        if rows.ndim != 2 or rows.dtype != np.dtype("<f4") or len(rows) != len(ids):
            raise CorpusError(f"{self.name}/{self.model}/{which}.npy: {rows.dtype} {rows.shape} for {len(ids)} ids")
        return dict(zip(ids, rows.astype(np.float64).tolist(), strict=True))


@cache
def load(name: str) -> Collection:
    """A corpus of the fixtures by its name; read and built once a process."""
    folder = CORPORA / name
    if not (folder / "corpus.jsonl").is_file():
        raise CorpusError(f"there is no corpus {name}")
    return Collection(folder)


def _lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file; lines end at line feeds alone."""
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    except (OSError, ValueError) as problem:
        raise CorpusError(f"{path.name}: {problem}") from None

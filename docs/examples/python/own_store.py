"""A store of your own that keeps the contract: documents in memory, each change a line of a file."""

import json
import tempfile
import threading
from itertools import count
from pathlib import Path

from hybrid_search import DocStoreAdapter, DocStoreError, HashingEmbedder, Index, IndexCorruptError, MemoryDocStore
from hybrid_search.adapter_kit import DocStoreContract


class JournalStore(DocStoreAdapter):
    """Searches in memory, and writes every change to a file, from which it is as it was when opened again."""

    def __init__(self, path):
        self._path = Path(path)
        self._lock = threading.Lock()
        self._memory = self._read()

    def insert(self, documents):
        """Add documents, all of them or none."""
        return self._change("insert", documents)

    def update(self, documents):
        """Change documents, all of them or none."""
        return self._change("update", documents)

    def upsert(self, documents):
        """Add documents, or replace those that are stored, all of them or none."""
        return self._change("upsert", documents)

    def delete(self, identifiers):
        """Remove documents."""
        return self._change("delete", identifiers)

    def get(self, identifier):
        """A stored document, or none."""
        return self._memory.get(identifier)

    def count(self):
        """How many documents there are."""
        return self._memory.count()

    @property
    def generation(self):
        """Another value after each change."""
        return self._memory.generation

    def health(self):
        """Whether it works, and where the file is."""
        return {**self._memory.health(), "path": str(self._path)}

    def search(self, *arguments, **options):
        """Find documents."""
        return self._memory.search(*arguments, **options)

    def rank(self, match_exprs, filters=None):
        """All candidates with their scores."""
        return self._memory.rank(match_exprs, filters)

    def _change(self, name, argument):
        with self._lock:
            changed = getattr(self._memory, name)(argument)
            try:
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([name, argument], ensure_ascii=False) + "\n")
            except OSError as problem:
                self._memory = self._read()  # what is not in the file was not stored
                raise DocStoreError(f"cannot write {self._path}: {problem}") from problem
            return changed

    def _read(self):
        memory = MemoryDocStore()
        lines = self._path.read_text(encoding="utf-8").splitlines() if self._path.exists() else []
        for number, line in enumerate(lines, start=1):
            try:
                name, argument = json.loads(line)
            except ValueError as problem:
                raise IndexCorruptError(f"{self._path} is damaged in line {number}") from problem
            getattr(memory, name)(argument)
        return memory


with tempfile.TemporaryDirectory() as folder:
    numbers = count()
    kept = DocStoreContract.run(lambda: JournalStore(f"{folder}/contract-{next(numbers)}.jsonl"))
    print(f"keeps all {len(kept)} promises of the contract")

    path = f"{folder}/documents.jsonl"
    embedder = HashingEmbedder(dimension=64)
    Index(store=JournalStore(path), embedding=embedder).add(
        [
            {"id": "solar", "content": "Solar panels on the roof, 屋顶上的太阳能电池板"},
            {"id": "wind", "content": "Wind turbines off the coast, 海上风力发电机"},
        ]
    )
    opened_again = Index(store=JournalStore(path), embedding=embedder)
    for hit in opened_again.search("solar roof 太阳能"):
        print(hit.id, hit.score)

"""The documents of workloads that compare stores: made once, before anything is measured, by two processes."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.bench.context import Context
from conformance.bench.process import Worker
from conformance.bench.workloads.store import prepared

MAKERS = 2
MANY = 50_000
"""From how many documents on batches are larger, rounds and questions fewer, as whoever has so many would do."""


@dataclass(frozen=True)
class StoredDocuments:
    """Documents that are ready to be stored.

    Attributes:
        count: how many.
        loaded: what a worker loads the questions and all vectors from.
        path: a file with the documents but their vectors, a line of JSON each.
        how: how their texts were made.
        batch: how many are inserted at once.
        rounds: how often all questions are asked, after the first time.
    """

    count: int
    loaded: dict[str, Any]
    path: str
    how: str
    batch: int
    rounds: int


def made(context: Context, task: str) -> StoredDocuments:
    """As many documents as were asked for."""
    count = context.documents or (400 if context.quick else 20_000)
    loaded, how = prepared(context, count)
    context.say(f"{task}: making {count:,} documents")
    path = context.folder / "documents.jsonl"
    bounds = [count * place // MAKERS for place in range(MAKERS + 1)]
    with ThreadPoolExecutor(MAKERS) as threads:
        parts = list(threads.map(lambda place: _part(context, loaded, *bounds[place : place + 2]), range(MAKERS)))
    with path.open("wb") as whole:
        for part in parts:
            with part.open("rb") as source:
                shutil.copyfileobj(source, whole)
            part.unlink()
    few = count < MANY
    return StoredDocuments(count, loaded, str(path), how, batch=500 if few else 2000, rounds=3 if few else 1)


def _part(context: Context, loaded: dict[str, Any], first: int, last: int) -> Path:
    """A file with the documents from `first` to before `last`."""
    path = context.folder / f"documents-{first}.jsonl"
    with Worker.python("documents") as worker:
        worker.ask("write", passages=loaded["passages"], first=first, last=last, path=str(path))
    return path

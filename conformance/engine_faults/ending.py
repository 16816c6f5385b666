"""Whether a store ends as a memory store with the same documents."""

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.engine_faults.batches import Documents, questions
from conformance.engine_faults.tally import Tally
from conformance.engine_faults.worker import expression
from conformance.engine_faults.workers import Worker
from hybrid_search import MemoryDocStore


def compare(
    kind: str, options: Mapping[str, Any], languages: Sequence[str], stored: Documents, tally: Tally, seed: int
) -> None:
    """Note in a tally what is lost, too much or different, as each language sees it.

    Documents are compared for every store, rankings for those of PostgreSQL alone: they have memory's bits.
    """
    memory = MemoryDocStore()
    memory.insert(list(stored.values()))
    asked = questions(seed) if kind == "postgres" else []
    expected = [[list(row) for row in memory.rank([expression(question)])] for question in asked]
    for language in languages:
        with Worker(language, kind, options) as worker:
            opened = worker.open()
            if opened.error:
                tally.fault(f"{language}: {opened.message}")
                continue
            count = worker.ask("count").value
            if count != len(stored):
                tally.fault(f"{language}: {count} documents, expected {len(stored)}")
            for name, document in stored.items():
                found = worker.ask("get", name).value
                if found != document:
                    tally.fault(f"{language}: lost or changed: {name}: {found}, expected {document}")
            for question, ranking in zip(asked, expected, strict=True):
                if worker.ask("rank", question).value != ranking:
                    tally.fault(f"{language}: another ranking than memory's for {question}")

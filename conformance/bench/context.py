"""What every workload gets."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from json import dumps
from pathlib import Path
from typing import Any

from conformance.bench.process import Worker, yjit_is_there
from conformance.bench.results import Report
from conformance.bench.texts import Collection


@dataclass
class Context:
    """What every workload gets.

    Attributes:
        collections: the text.
        folder: for files that the workers read.
        quick: whether sizes are small.
        documents: how many documents were asked for, none: as many as the task has by itself.
        report: where the results go.
        say: shows progress.
        sizes: the numbers of documents of the tasks `whole`, `native` and `scale`, one run for each; empty: its
            default.
    """

    collections: Sequence[Collection]
    folder: Path
    quick: bool
    documents: int | None
    report: Report
    say: Callable[[str], None]
    sizes: Sequence[int] = ()

    def write(self, name: str, items: Iterable[Any]) -> str:
        """Write a file of JSON lines for the workers; gives its path."""
        path = self.folder / name
        with path.open("w", encoding="utf-8") as target:
            for item in items:
                target.write(dumps(item, ensure_ascii=False) + "\n")
        return str(path)

    def port(self, subject: str, variables: Mapping[str, str] | None = None) -> tuple[str, Worker]:
        """The port with YJIT where this Ruby has it, and its name."""
        yjit = yjit_is_there()
        note = "this Ruby has no YJIT: the port ran without"
        if not yjit and note not in self.report.notes:
            self.report.notes.append(note)
        return ("Ruby + YJIT" if yjit else "Ruby"), Worker.ruby(subject, yjit, variables)

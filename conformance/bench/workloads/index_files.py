"""A store in a file: from the start of a process to its first answer, beside reading everything into memory."""

from pathlib import Path
from typing import Any

from conformance.bench.context import Context
from conformance.bench.process import Worker, yjit_is_there
from conformance.bench.results import Ratio, Row
from conformance.bench.timing import Spread
from conformance.bench.workloads.rounds import megabytes, milliseconds

MEMORY = "all read into memory"
ROUNDS = 3


def run(context: Context) -> None:
    """Compare milliseconds to the first answer, of full text alone and with the dense leg, at two sizes."""
    for count in [200, 2_000] if context.quick else [20_000, 200_000]:
        path = str(context.folder / f"{count}.hsx")
        context.say(f"files: storing {count:,} documents")
        with Worker.python("index_file") as worker:
            filled = worker.ask("fill", path=path, documents=count)
        size = Path(path).stat().st_size
        figures = (("stored at", f"{count / filled['cpu']:.0f} documents/s"), ("size", megabytes(size)))
        context.report.rows.append(Row(f"file of {count:,} documents", "Python", figures))
        for dense, what in ((False, "full text"), (True, "full text and vectors")):
            _compare(context, path, f"first answer from a file of {count:,} documents, {what}", dense)
    context.report.notes.append(
        "files: documents of 30 to 70 random words, as rare as those of real text, with vectors of 256 components of "
        "32 bits; a first answer is opening the file and one question, of 64 hits, in a process that has loaded the "
        "library; the file is in the system's cache; the other reads all documents from the same file into a "
        "MemoryDocStore first"
    )


def _compare(context: Context, path: str, task: str, dense: bool) -> None:
    digests: set[str] = set()
    for port in (False, True):
        name = ("Ruby + YJIT" if yjit_is_there() else "Ruby") if port else "Python"
        context.say(f"{task}: {name}")
        firsts = [_asked(context, port, "first", path, dense) for _ in range(ROUNDS)]
        whole = _asked(context, port, "memory", path, dense)
        digests.update(answer["digest"] for answer in [*firsts, whole])
        cpu = sorted(answer["cpu"] for answer in firsts)[ROUNDS // 2]
        ratio = Ratio(MEMORY, Spread.of([whole["cpu"] / answer["cpu"] for answer in firsts]))
        figures = (("first answer", milliseconds(cpu)), (MEMORY, milliseconds(whole["cpu"])))
        context.report.rows.append(Row(task, name, figures, (ratio,)))
    context.report.same(f"{task}: file and memory, both languages", len(digests), 1)


def _asked(context: Context, port: bool, method: str, path: str, dense: bool) -> dict[str, Any]:
    with context.port("index_file")[1] if port else Worker.python("index_file") as worker:
        answer: dict[str, Any] = worker.ask(method, path=path, dense=dense)
        return answer

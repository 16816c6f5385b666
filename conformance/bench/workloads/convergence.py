"""A round over the blocks of an index, beside numpy's product; and what it costs that there can be more than one."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.bench.context import Context
from conformance.bench.dense_vectors import DECAY, DIMENSION, SHARED
from conformance.bench.process import Worker
from conformance.bench.results import Ratio, Row
from conformance.bench.timing import Spread, ratios
from conformance.bench.workloads.rounds import Answers, megabytes, milliseconds, speed, take_turns, together
from hybrid_search.convergence.block import Block
from hybrid_search.convergence.index_files import IndexFiles, StoredIndex
from hybrid_search.convergence.vector_rows import VectorRows

NUMPY, REFERENCE = "numpy, one thread", "Python"
PLAIN, OFF, PRF = "plain", "off", "prf"
WAYS = {PLAIN: "plain dense retrieval", OFF: "everything off", PRF: "three rounds of feedback"}
FILES_OF = 12
"""Blocks of a file."""
NOT_SLOWER = 0.95
"""What is off may take a twentieth longer: that much two runs of the same thing differ by."""


def run(context: Context) -> None:
    """Compare milliseconds per query and memory; reference and port must give the same bits."""
    count, asked = (2_000, 4) if context.quick else (100_000, 8)
    task = f"the best 100 of {count:,} blocks"
    context.say(f"{task}: writing the index")
    folder = str(context.folder / "blocks")
    queries = context.write("block_queries.jsonl", _written(folder, count, asked))
    port, ruby = context.port("block_rounds")
    python = Worker.python("block_rounds")
    with together({NUMPY: Worker.python("numpy_round"), REFERENCE: python, port: ruby}) as workers:
        loaded = {NUMPY: workers[NUMPY].ask("load", folder=folder, dimension=DIMENSION)}
        for name in (REFERENCE, port):
            context.say(f"{task}: opening: {name}")
            loaded[name] = workers[name].ask("load", folder=folder)
        runs: dict[str, Callable[[], Any]] = {NUMPY: lambda: workers[NUMPY].ask("run", queries=queries)}
        for name in (REFERENCE, port):
            for way in WAYS:
                runs[f"{name}: {way}"] = partial(workers[name].ask, "run", queries=queries, way=way)
        answers = take_turns(context, task, runs, 2 if context.quick else 5)
    _compare(context, task, answers, port)
    for name, given in answers.items():
        contestant, _, way = name.partition(": ")
        time = Spread.of([answer["cpu"] / asked for answer in given])
        figures = [("", f"{milliseconds(time.median)} ({milliseconds(time.least)}–{milliseconds(time.most)})")]
        if way in ("", PLAIN):
            figures.append(("memory", megabytes(loaded[contestant]["memory"])))
        shown = f"{contestant}, {WAYS[way]}" if way else contestant
        context.report.rows.append(Row(task, shown, tuple(figures), _ratios(answers, name), name == NUMPY))
    context.report.notes.append(
        f"convergence: {DIMENSION} components that lie as those of a sentence model; milliseconds a query; memory: "
        "what the open index adds; numpy: a product in single precision and a partition, whose sums are in no order"
    )


def _written(folder: str, count: int, asked: int) -> list[list[float]]:
    """Write an index of drawn vectors of length 1; gives queries near some of them."""
    generator = np.random.default_rng(16)
    weights = np.arange(1, DIMENSION + 1) ** -DECAY
    shared = SHARED * _unit(generator.standard_normal((1, DIMENSION)) * weights)
    rows = _unit(_unit(generator.standard_normal((count, DIMENSION)) * weights) + shared).astype("<f4")
    blocks = [Block(f"f{row // FILES_OF}.py", row % FILES_OF * 10, row % FILES_OF * 10 + 9) for row in range(count)]
    IndexFiles(folder).write(StoredIndex(blocks, VectorRows.of_bytes(rows.tobytes(), DIMENSION), "drawn"))
    near = rows[generator.integers(0, count, asked)].astype(np.float64)
    queries: list[list[float]] = _unit(near + 0.7 * _unit(generator.standard_normal(near.shape) * weights)).tolist()
    return queries


def _unit(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return np.asarray(rows / lengths)


def _compare(context: Context, task: str, answers: Answers, port: str) -> None:
    """What has to be equal: both languages; off and plain retrieval; and the very best, which numpy finds too."""
    for way in WAYS:
        expected, got = (answers[f"{name}: {way}"][0]["digest"] for name in (REFERENCE, port))
        context.report.same(f"{task}: {port} gives other bits for {WAYS[way]}", expected, got)
    plain, off = (answers[f"{REFERENCE}: {way}"][0] for way in (PLAIN, OFF))
    context.report.same(f"{task}: off is not plain dense retrieval", plain["digest"], off["digest"])
    context.report.same(f"{task}: numpy has others first", answers[NUMPY][0]["first"], plain["first"])


def _ratios(answers: Answers, name: str) -> tuple[Ratio, ...]:
    """To numpy, and of what is off to plain retrieval."""
    if name == NUMPY:
        return ()
    contestant, _, way = name.partition(": ")
    to_numpy = speed(answers, NUMPY, name)
    if way != OFF:
        return (to_numpy,)
    times = ([answer["cpu"] for answer in answers[f"{contestant}: {each}"]] for each in (PLAIN, OFF))
    return (to_numpy, Ratio(WAYS[PLAIN], ratios(*times), None, NOT_SLOWER))

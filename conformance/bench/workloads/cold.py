"""`hybrid-search search` on an index file: from the start of the process to its end, beside loading jieba."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from conformance.bench import texts
from conformance.bench.context import Context
from conformance.bench.results import Row
from conformance.bench.timing import Spread
from conformance.bench.workloads.rounds import megabytes, milliseconds, speed, take_turns
from conformance.errors import BrokenError
from conformance.paths import ROOT

JIEBA = "jieba.initialize()"
PYTHON, RUBY, IN_MEMORY = "Python", "Ruby", "read into memory"
GOALS = {PYTHON: 3.0, RUBY: 5.4}
"""A third of the anchor; and 150 ms, where the anchor took 0.81 s."""
DIMENSION, LONGEST = 384, 600
EMBEDDINGS = {"full text": ["--embed", "none"], "full text and vectors": ["--embed", "hashing", "--dimension", "384"]}
PROGRAMS = {
    PYTHON: [sys.executable, "-m", "hybrid_search.cli"],
    RUBY: ["ruby", "-I", str(ROOT / "ruby/lib"), str(ROOT / "ruby/exe/hybrid-search")],
}
WHOLE = {
    PYTHON: [sys.executable, "-m", "conformance.bench.contestants.whole_index"],
    RUBY: ["ruby", "-I", str(ROOT / "ruby/lib"), str(ROOT / "conformance/bench/ruby/whole_index.rb")],
}

Started = dict[str, Any]
"""What a process has taken, `cpu` and `wall` in seconds and `peak` in bytes, and what it wrote."""


def run(context: Context) -> None:
    """Compare milliseconds of processor time, of full text alone and with the dense leg, in both languages."""
    count = 200 if context.quick else 20_000
    passages, how = texts.passages(context.collections, LONGEST, count)
    records = context.write("cold.jsonl", passages)
    for what, flags in EMBEDDINGS.items():
        path = str(context.folder / f"{what}.hsx")
        context.say(f"cold: storing {count:,} documents, {what}")
        _started(context, [*PROGRAMS[PYTHON], "index", "--index", path, *flags, records])
        for language, question in _questions(context).items():
            _compare(context, f"first answer, {count:,} documents, {what}, {language}", path, question)
    _read_whole(context, f"first answer, {count:,} documents", records, path)
    context.report.notes.append(
        f"cold: {how}; vectors by hashing, of {DIMENSION} components; processor time of a whole process, "
        "`hybrid-search search`, which is all there is to a first answer from a shell; files are in the system's "
        "cache, and Python has its modules compiled; 'read into memory' reads the same records into an `Index` in "
        "memory first"
    )


def _questions(context: Context) -> Mapping[str, str]:
    """A question in each language there is."""
    found: dict[str, str] = {}
    for collection in context.collections:
        found.setdefault("Chinese" if collection.is_chinese else "English", collection.queries[0])
    return found


def _compare(context: Context, task: str, path: str, question: str) -> None:
    asked = ["search", question, "--index", path, "--format", "json"]
    runs: dict[str, Callable[[], Started]] = {
        JIEBA: partial(_started, context, [sys.executable, "-c", "import jieba; jieba.initialize()"]),
        **{name: partial(_started, context, [*program, *asked]) for name, program in PROGRAMS.items()},
    }
    answers = take_turns(context, task, runs, 2 if context.quick else 9)
    context.report.same(f"{task}: both languages", answers[PYTHON][0]["written"], answers[RUBY][0]["written"])
    for name, given in answers.items():
        anchor = name == JIEBA
        ratio = () if anchor else (speed(answers, JIEBA, name, GOALS[name]),)
        context.report.rows.append(Row(task, name, _figures(given), ratio, anchor))


def _read_whole(context: Context, task: str, records: str, path: str) -> None:
    """The same answers from memory, for which all is read, cut and embedded first."""
    question = next(iter(_questions(context).values()))
    for name, program in WHOLE.items():
        context.say(f"{task}: {name}: {IN_MEMORY}")
        whole = _started(context, [*program, records, str(DIMENSION), question])
        asked = [*PROGRAMS[name], "search", question, "--index", path, "--format", "json"]
        from_file = _started(context, asked)
        results = [json.loads(one["written"])["hits"] for one in (whole, from_file)]
        context.report.same(f"{task}: {name}: file and memory", *results)
        context.report.rows.append(Row(f"{task}, {IN_MEMORY}", name, _figures([whole])))


def _figures(given: Sequence[Started]) -> tuple[tuple[str, str], ...]:
    cpu = Spread.of([one["cpu"] for one in given])
    spread = f"{milliseconds(cpu.median)} ({milliseconds(cpu.least)}–{milliseconds(cpu.most)})"
    return (("", spread), ("peak memory", megabytes(max(one["peak"] for one in given))))


def _started(context: Context, command: Sequence[str]) -> Started:
    """Run a process to its end.

    Raises:
        BrokenError: it failed.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(context.folder / "compiled")
    began = perf_counter()
    with (Path(context.folder) / "errors").open("w+b") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=environment)
        assert process.stdout is not None
        with process.stdout as output:
            written = output.read()
        _, status, used = os.wait4(process.pid, 0)
        wall = perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        if process.returncode:
            raise BrokenError(f"{' '.join(command[:3])} … failed: {errors.read().decode('utf-8', 'replace').strip()}")
    kilobyte = 1 if sys.platform == "darwin" else 1024
    return {
        "cpu": used.ru_utime + used.ru_stime,
        "wall": wall,
        "peak": used.ru_maxrss * kilobyte,
        "written": written.decode("utf-8"),
    }

"""Cutting Chinese text into words: jieba, the reference, the port."""

from conformance.bench.context import Context
from conformance.bench.results import Row
from conformance.bench.timing import Spread
from conformance.bench.workloads.rounds import (
    JIEBA,
    PLAIN,
    REFERENCE,
    YJIT,
    jieba_and_ours,
    load,
    speed,
    take_turns,
    together,
)

TASK = "segmentation"
GOALS = {REFERENCE: 1.9, PLAIN: 3.5, YJIT: 5.0}


def run(context: Context) -> None:
    """Compare tokens and megabytes per second."""
    lines = chinese_lines(context, 60_000 if context.quick else 1_000_000)
    size = sum(len(line.encode()) for line in lines)
    path = context.write("segmentation.jsonl", lines)
    workers = jieba_and_ours("jieba", "segmentation")
    with together(workers):
        load(context, TASK, workers, path)
        runs = {name: (lambda one=worker: one.ask("run")) for name, worker in workers.items()}
        answers = take_turns(context, TASK, runs, 2 if context.quick else 5)
    for name in workers:
        context.report.same(
            f"{TASK}: {name} cuts other words than jieba", answers[JIEBA][0]["digest"], answers[name][0]["digest"]
        )
        rate = Spread.of([size / 1e6 / answer["cpu"] for answer in answers[name]])
        figures = (("", f"{rate.median:.2f} MB/s ({rate.least:.2f}–{rate.most:.2f})"),)
        ratio = () if name == JIEBA else (speed(answers, JIEBA, name, GOALS.get(name)),)
        context.report.rows.append(Row(f"{TASK}, {size / 1e6:.1f} MB", name, figures, ratio, name == JIEBA))


def chinese_lines(context: Context, size: int) -> list[str]:
    """Documents of the Chinese collections, as many bytes of each, together at least as many as `size`."""
    chinese = [one for one in context.collections if one.is_chinese]
    share = -(-size // max(1, len(chinese)))
    lines: list[str] = []
    for collection in chinese:
        left = share
        for _, text in collection.documents:
            lines.append(text)
            left -= len(text.encode())
            if left <= 0:
                break
    if not chinese:
        context.report.notes.append(f"{TASK}: no collection is Chinese; all text was taken")
        lines = [text for collection in context.collections for _, text in collection.documents]
    return lines

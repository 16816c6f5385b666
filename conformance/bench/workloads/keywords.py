"""Finding keywords in Chinese text: jieba's `extract_tags`, the reference and the port; with identifiers too."""

from conformance.bench.context import Context
from conformance.bench.results import Row
from conformance.bench.timing import Spread
from conformance.bench.workloads import segmentation
from conformance.bench.workloads.rounds import JIEBA, REFERENCE, jieba_and_ours, load, speed, take_turns, together

TASK = "keywords"
WITH_IDENTIFIERS = "with identifiers"


def run(context: Context) -> None:
    """Compare keywords, their weights' bits, and megabytes per second."""
    lines = segmentation.chinese_lines(context, 30_000 if context.quick else 400_000)
    size = sum(len(line.encode()) for line in lines)
    path = context.write("keywords.jsonl", lines)
    workers = jieba_and_ours("jieba_keywords", "keywords")
    with together(workers):
        load(context, TASK, workers, path)
        runs = {name: (lambda one=worker: one.ask("run")) for name, worker in workers.items()}
        for name, worker in list(workers.items())[1:]:
            runs[f"{name}, {WITH_IDENTIFIERS}"] = lambda one=worker: one.ask("run", identifiers=True)
        answers = take_turns(context, TASK, runs, 2 if context.quick else 5)
    for name in runs:
        if WITH_IDENTIFIERS in name:
            rival = f"{REFERENCE}, {WITH_IDENTIFIERS}"
            problem = f"{TASK}: {name}: other keywords than the reference"
        else:
            rival, problem = JIEBA, f"{TASK}: {name} finds other keywords than jieba"
        context.report.same(problem, answers[rival][0]["digest"], answers[name][0]["digest"])
        rate = Spread.of([size / 1e6 / answer["cpu"] for answer in answers[name]])
        figures = (("", f"{rate.median:.2f} MB/s ({rate.least:.2f}–{rate.most:.2f})"),)
        ratio = () if name == JIEBA else (speed(answers, JIEBA, name),)
        context.report.rows.append(Row(f"{TASK}, {size / 1e6:.1f} MB", name, figures, ratio, name == JIEBA))

"""The weighted rerank of 200 documents, beside `jieba.analyse.extract_tags` of the same texts."""

from conformance.bench.context import Context
from conformance.bench.process import Worker
from conformance.bench.results import Row
from conformance.bench.timing import Spread
from conformance.bench.workloads import segmentation
from conformance.bench.workloads.rounds import milliseconds, speed, take_turns, together

JIEBA = "jieba extract_tags alone"
CHARACTERS = 500


def run(context: Context) -> None:
    """Compare milliseconds per query; reference and port must give the same bits."""
    size = 20 if context.quick else 200
    text = "".join(segmentation.chinese_lines(context, size * CHARACTERS * 3 + 2000))
    texts = [text[place : place + CHARACTERS] for place in range(0, size * CHARACTERS, CHARACTERS)]
    task = f"weighted rerank of {len(texts)} documents"
    path = context.write("weighted.jsonl", ["MisraC++ 2008 Rule 6-2-1 " + texts[0][:20], *texts])
    port, ruby = context.port("weighted")
    reference = Worker.python("weighted")
    with together({JIEBA: Worker.python("jieba_keywords"), "reference": reference, port: ruby}) as workers:
        for name, worker in workers.items():
            context.say(f"{task}: loading: {name}")
            worker.ask("load", path=path)
        runs = {
            JIEBA: lambda: workers[JIEBA].ask("run"),
            "Python": lambda: reference.ask("run", kept=False),
            "Python, keywords cached": lambda: reference.ask("run", kept=True),
            port: lambda: ruby.ask("run", kept=False),
            f"{port}, keywords cached": lambda: ruby.ask("run", kept=True),
        }
        answers = take_turns(context, task, runs, 2 if context.quick else 5)
    expected = answers["Python"][0]["digest"]
    for name, given in answers.items():
        if name != JIEBA:
            context.report.same(f"{task}: {name} gives other bits", expected, given[0]["digest"])
        time = Spread.of([answer["cpu"] for answer in given])
        figures = (("", f"{milliseconds(time.median)} ({milliseconds(time.least)}–{milliseconds(time.most)})"),)
        ratio = () if name == JIEBA else (speed(answers, JIEBA, name),)
        context.report.rows.append(Row(task, name, figures, ratio, name == JIEBA))
    context.report.notes.append(
        f"weighted rerank: texts of {CHARACTERS} characters with known vector scores, weights 0.3 and 0.7; 'keywords "
        "kept' is any query but the first over the same documents; jieba finds keywords (20 a text), no more"
    )

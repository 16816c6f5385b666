"""What a crowd of clients waits at both services, beside such searches alone in the process.

bin/conformance http-load [--documents N] [--connections N] [--seconds N] [--language NAME]

Documents and questions are drawn from a list of words, the same every time; no question comes twice in a run, so the
ranking cache is of no help. One program asks, with as many connections as are said, each the next question when it has
its answer; it runs on the same machine, and takes its share of it.
"""

import asyncio
import json
import math
import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conformance.command_line import CommandParser
from conformance.http.servers import LANGUAGES, Server, missing, serving
from conformance.reports.terminal import new_console, new_table

SEED = 20261122
WORDS = 4000
LETTERS = "abcdefghijklmnoprstuvwy"
CHINESE = ("配置", "表格", "重新", "加载", "打印", "检索", "向量", "排序", "文档", "问题", "结果", "服务", "规则")
IN_PROCESS = 200
"""So many questions are asked in the process."""
COLUMNS = ("", "requests", "not 200", "per s", "p50 ms", "p99 ms", "processor ms each")
REQUEST = "POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n"


@dataclass
class Crowd:
    """What a crowd has seen.

    Attributes:
        milliseconds: of each answer.
        statuses: of answers that are not 200.
        seconds: how long it asked.
    """

    milliseconds: list[float] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    seconds: float = 0.0


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 when some request was answered with anything but 200."""
    parser = CommandParser("http-load", __doc__)
    parser.add_argument("--documents", type=int, default=20_000, metavar="N", help="documents in the index")
    parser.add_argument("--connections", type=int, default=16, metavar="N", help="clients at the same time")
    parser.add_argument("--seconds", type=float, default=30.0, metavar="N", help="how long they ask")
    parser.add_argument("--language", choices=LANGUAGES, help="only this one")
    options = parser.parse_args(arguments)
    table = new_table(console := new_console())
    for heading in COLUMNS:
        table.add_column(heading)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        documents, questions = _written(Path(folder), options.documents)
        for language in [options.language] if options.language else LANGUAGES:
            if reason := missing(language):
                print(f"{language} is left out: {reason}")
                continue
            told = {"documents": str(documents), "dimension": 64, "questions": str(questions)}
            with serving(language, told) as server:
                before = _processor(server)
                crowd = asyncio.run(_asked(server, options.connections, options.seconds))
                spent = _processor(server) - before
                alone = json.loads(server.told[0])
            failed = failed or bool(crowd.statuses)
            seen, each = crowd.milliseconds, alone["each"]
            table.add_row(f"{language}, served", *_row(seen, crowd.statuses, crowd.seconds, spent))
            table.add_row(f"{language}, alone", *_row(each, [], math.fsum(each) / 1000.0, alone["processor"]))
    console.print(table)
    return 1 if failed else 0


def _row(milliseconds: Sequence[float], wrong: Sequence[int], seconds: float, processor: float) -> Iterator[str]:
    count = len(milliseconds)
    cuts = statistics.quantiles(milliseconds, n=100, method="inclusive")
    yield from (str(count), str(len(wrong)), f"{count / seconds:.1f}", f"{cuts[49]:.1f}", f"{cuts[98]:.1f}")
    yield f"{processor / count:.1f}"


def _processor(server: Server) -> float:
    """How many milliseconds of the processor a server has taken so far; what Linux counts."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return 1000.0 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _written(folder: Path, count: int) -> tuple[Path, Path]:
    """Files of documents and of the questions that are asked in the process."""
    chance = random.Random(SEED)
    documents = folder / "documents.jsonl"
    with documents.open("w", encoding="utf-8") as target:
        for number in range(count):
            record = {"id": f"d{number}", "title": _text(chance, 4), "content": _text(chance, chance.randint(20, 80))}
            target.write(json.dumps(record, ensure_ascii=False) + "\n")
    questions = folder / "questions.txt"
    drawn = [_text(chance, chance.randint(2, 4)) for _ in range(IN_PROCESS)]
    questions.write_text("\n".join(drawn) + "\n", encoding="utf-8")
    return documents, questions


def _text(chance: random.Random, count: int) -> str:
    """So many words, the first of the list far more often than the last; every eighth is Chinese."""
    words = []
    for _ in range(count):
        if chance.random() < 0.125:
            words.append(chance.choice(CHINESE))
        else:
            words.append(_word(int(WORDS * chance.random() * chance.random() * chance.random())))
    return " ".join(words)


def _word(number: int) -> str:
    word = ""
    while number or len(word) < 4:
        number, place = divmod(number, len(LETTERS))
        word += LETTERS[place]
    return word


async def _asked(server: Server, connections: int, seconds: float) -> Crowd:
    """What so many clients see who ask so long."""
    crowd = Crowd()
    chance = random.Random(SEED + 1)
    begun = time.perf_counter()
    clients = [_client(server, crowd, chance, begun + seconds) for _ in range(connections)]
    await asyncio.gather(*clients)
    crowd.seconds = time.perf_counter() - begun
    return crowd


async def _client(server: Server, crowd: Crowd, chance: random.Random, end: float) -> None:
    reader, writer = await asyncio.open_connection(*server.place)
    while (begun := time.perf_counter()) < end:
        body = json.dumps({"question": _text(chance, chance.randint(2, 4))}).encode()
        writer.write(REQUEST.format(len(body)).encode() + body)
        told = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(told.split("content-length:")[1].split("\r\n")[0])
        await reader.readexactly(length)
        crowd.milliseconds.append(1000.0 * (time.perf_counter() - begun))
        status = int(told.split(" ")[1])
        if status != 200:
            crowd.statuses.append(status)
    writer.close()
    await writer.wait_closed()

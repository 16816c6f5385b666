"""The JSON of responses: both languages judge every text alike, in bounded memory and in time."""

import base64
import os
import subprocess
import sys
from collections import Counter

import pytest

from conformance.fuzz.panel import Panel
from conformance.implementations import listing
from conformance.implementations.python.operations import network
from conformance.implementations.python.registry import Trace
from hybrid_search.base import strict_json
from hybrid_search.base.json_scan import JsonScan
from hybrid_search.client.answer_json import AnswerJson
from hybrid_search.client.deadline import Deadline, Limits
from hybrid_search.client.exchange_error import ExchangeError
from hybrid_search.embedding.open_ai import OpenAiEmbedder
from hybrid_search.errors import EmbeddingError

from .odd_json import texts

COUNT = int(os.environ.get("ODD_JSON_TEXTS", "400"))
BY_DAY = COUNT // 4
LARGEST = 33_554_432
SEED = int(os.environ.get("ODD_JSON_SEED", "1"))


@pytest.mark.parametrize("count", [BY_DAY, pytest.param(COUNT, marks=pytest.mark.nightly)])
def test_both_languages_judge_odd_texts_alike(count):
    verdicts = Counter()
    with Panel(listing.load(["reference", "python", "ruby"]), timeout=20.0) as panel:
        for text in texts(SEED, count):
            given = {"pieces": [{"hex": text.hex()}]}
            differences = panel.difference("network.answer_json", {"max_response_bytes": 1_000_000}, given)
            assert differences is None, (text, differences)
            said = network.answer_json({"max_response_bytes": 1_000_000}, given, Trace())
            verdicts[said.get("problem", "read")] += 1
    assert min(verdicts["read"], verdicts["returned invalid JSON"]) > count // 10


def test_the_body_is_freed_once_it_is_read():
    body = bytearray(b'{"a": [1]}')
    assert AnswerJson.parse(body, 1000) == {"a": [1]}
    assert body == b""


class Clock:
    """Seconds that advance by a fixed step each time they are read."""

    def __init__(self, step):
        self.now = 0.0
        self.step = step

    def __call__(self):
        self.now += self.step
        return self.now


def deadline_of(step, seconds):
    limits = Limits(connect_timeout=5.0, read_timeout=5.0, deadline=seconds, max_response_bytes=LARGEST)
    return Deadline(limits, Clock(step), seconds)


@pytest.mark.parametrize(
    "body",
    [
        b"[" + b"1," * 600_000 + b"1]",
        b"[" + b"[]," * 250_000 + b"[]]",
        b'["' + b"\\n" * 600_000 + b'"]',
    ],
    ids=["numbers", "lists", "escapes"],
)
def test_the_deadline_is_checked_while_a_large_body_is_read(body):
    with pytest.raises(ExchangeError, match="before the deadline"):
        AnswerJson.parse(bytearray(body), LARGEST, deadline_of(1.0, 4.0))


def test_the_deadline_is_checked_after_each_piece_of_many_blanks():
    looks = []
    JsonScan(None, 1, lambda: looks.append(1)).scan(b"[" + b" \t\n\r" * 160_000 + b"1]")
    assert len(looks) == 640_000 // 65_536


@pytest.mark.parametrize(("seconds", "made"), [(16.0, True), (15.9, False)])
def test_values_are_built_only_if_enough_time_is_left(monkeypatch, seconds, made):
    """The clock is read before, during and after the check, and again: it took 2 s, so 12 s must be left at 4 s."""
    built = []
    monkeypatch.setattr(strict_json, "build", built.append)
    deadline = deadline_of(1.0, seconds)
    if made:
        AnswerJson.parse(bytearray(b"[1]"), LARGEST, deadline)
    else:
        with pytest.raises(ExchangeError, match=r"did not answer before the deadline of 15\.9 seconds"):
            AnswerJson.parse(bytearray(b"[1]"), LARGEST, deadline)
    assert built == (["[1]"] if made else [])


MEASURE = """
import sys
from pathlib import Path
from hybrid_search.client.answer_json import AnswerJson

def megabytes(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(field)).split()[1]) / 1024

beginning, piece, end = (part.encode() for part in sys.argv[1:4])
before = megabytes("VmRSS")
body = bytearray(beginning)
while len(body) + len(piece) * 1000 + len(end) <= int(sys.argv[5]):
    body += piece * 1000
body = body[: len(beginning) + len(piece) * int(sys.argv[4])] + end
Path("/proc/self/clear_refs").write_text("5")
try:
    AnswerJson.parse(body, MOST)
    told = "read"
except Exception as problem:
    told = str(problem)
print(megabytes("VmHWM") - before, told)
"""
MEGABYTES = 16
TOO_MUCH = "returned JSON that would take too much memory"


@pytest.mark.parametrize(
    ("beginning", "piece", "end", "most", "told"),
    [
        ("[", "[],", "[]]", 10**7, TOO_MUCH),
        ("[", "[],", "[]]", 159_000, "read"),
        ("[", "0.1234567890123456,", "1]", 10**7, TOO_MUCH),
        ("[", "0.1234567890123456,", "1]", 400_000, "read"),
        ("[", '{"a":1},', "{}]", 82_000, "read"),
        ("[", '"中文",', "1]", 120_000, "read"),
        ('["', "x", '"]', 10**8, TOO_MUCH),
        ('["', "x", '"]', 11_180_000, "read"),
        ('["', "\\n", '"]', 5_590_000, "read"),
        ('["\\ud83e\\udd8a', "x", '"]', 10**8, TOO_MUCH),
        ('["\\ud83e\\udd8a', "x", '"]', 3_720_000, "read"),
        ('["🦊', "x", '"]', 10**8, TOO_MUCH),
        ('["🦊', "x", '"]', 2_790_000, "read"),
    ],
)
def test_no_body_takes_more_than_twice_the_memory_of_the_largest(beginning, piece, end, most, told):
    program = MEASURE.replace("MOST", str(MEGABYTES << 20))
    arguments = [beginning, piece, end, str(most), str(MEGABYTES << 20)]
    made = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True, timeout=60
    )
    grown, said = made.stdout.split(maxsplit=1)
    assert said.strip() == told
    assert float(grown) < 2 * MEGABYTES + 2


def test_base64_whose_components_would_take_too_much_memory_is_refused():
    client = OpenAiEmbedder("http://localhost/v1", "model", max_response_bytes=2)
    one = base64.b64encode(b"\0\0\x80?" * 768).decode()
    assert client.read({"data": [{"index": 0, "embedding": one}]}, 1) == [[1.0] * 768]
    with pytest.raises(EmbeddingError, match="returned vectors that would take too much memory"):
        client.read({"data": [{"index": 0, "embedding": one}, {"index": 1, "embedding": "AACAPw=="}]}, 2)

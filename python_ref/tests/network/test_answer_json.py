"""The JSON of answers: both languages say the same of every text, in bounded memory and in time."""

import os
from collections import Counter

import pytest

from conformance.fuzz.pair import Pair
from conformance.implementations import listing
from conformance.implementations.python.operations import network
from conformance.implementations.python.registry import Trace
from hybrid_search.network.answer_json import AnswerJson
from hybrid_search.network.exchange_error import ExchangeError

from .odd_json import texts

COUNT = int(os.environ.get("ODD_JSON_TEXTS", "400"))
SEED = int(os.environ.get("ODD_JSON_SEED", "1"))


def test_both_languages_say_the_same_of_odd_texts():
    verdicts = Counter()
    with Pair(*listing.load(["reference", "ruby"]), timeout=20.0) as pair:
        for text in texts(SEED, COUNT):
            given = {"pieces": [{"hex": text.hex()}]}
            differences = pair.difference("network.answer_json", {"max_response_bytes": 1_000_000}, given)
            assert differences is None, (text, differences)
            said = network.answer_json({"max_response_bytes": 1_000_000}, given, Trace())
            verdicts[said.get("problem", "read")] += 1
    assert min(verdicts["read"], verdicts["returned invalid JSON"]) > COUNT // 10


def test_the_body_is_gone_once_it_is_read():
    body = bytearray(b'{"a": [1]}')
    assert AnswerJson.parse(body, 1000) == {"a": [1]}
    assert body == b""


@pytest.mark.parametrize(
    "body",
    [
        b"[" + b"1," * 600_000 + b"1]",
        b"[" + b"[]," * 600_000 + b"[]]",
        b'["' + b"\\n" * 600_000 + b'"]',
    ],
    ids=["numbers", "lists", "escapes"],
)
def test_time_is_looked_at_while_a_large_body_is_read(body):
    looks = []

    def check():
        looks.append(1)
        if len(looks) > 3:
            raise ExchangeError("did not answer before the deadline of 1 seconds", retryable=False)

    with pytest.raises(ExchangeError, match="before the deadline"):
        AnswerJson.parse(bytearray(body), 33_554_432, check)

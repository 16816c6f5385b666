"""Both directions are checked: only messages that fit the schemas pass (CNF-4, CNF-9)."""

import json
import re
from typing import Any

import pytest

from conformance.errors import BrokenError, ProtocolError
from conformance.tests.conftest import encode, make_case
from conformance.wire import plain, protocol, values

STAGES = frozenset(("tokenise", "fuse"))
GOOD: list[Any] = [
    None,
    True,
    "text",
    0,
    2**53 - 1,
    encode(-0.0),
    {"bits": values.NAN_BITS, "decimal": "nan"},
    {"integer": str(2**53)},
    {"utf8": "ff61"},
    {"entries": [["b", 1], [{"utf8": "ff"}, encode(0.5)]]},
    {"bits": 1, "decimal": 2, "third": 3},
    [[], {}, {"a": [{"b": encode(5e-324)}]}],
]
BAD: list[Any] = [
    2**53,
    -(2**53),
    {"bits": "3fb99999999999", "decimal": "0.1"},
    {"bits": "3FB999999999999A", "decimal": "0.1"},
    {"integer": 5},
    {"integer": "05"},
    {"utf8": ""},
    {"utf8": "FF"},
    {"entries": [["a"]]},
    {"entries": [[1, 2]]},
    {"entries": {"a": 1}},
    {"a": [{"b": 2**60}]},
]
STRICTER: list[Any] = [
    {"bits": "3fb999999999999a", "decimal": "0.10"},
    {"bits": "3fb999999999999b", "decimal": "0.1"},
    {"bits": "7ff8000000000001", "decimal": "nan"},
    {"integer": "5"},
    {"utf8": "61"},
]


@pytest.mark.parametrize("value", GOOD)
def test_a_valid_value_passes_the_schema_and_the_check(value: Any) -> None:
    assert protocol.complaint("value", value) is None
    assert values.complaint(value) is None


@pytest.mark.parametrize("value", BAD)
def test_an_invalid_value_passes_neither(value: Any) -> None:
    assert protocol.complaint("value", value) is not None
    assert values.complaint(value) is not None


@pytest.mark.parametrize("value", STRICTER)
def test_rules_that_no_schema_can_express_are_checked_too(value: Any) -> None:
    assert protocol.complaint("value", value) is None
    assert values.complaint([{"a": value}]) is not None


def test_a_complaint_states_the_place() -> None:
    assert str(values.complaint({"a": [1, {"b": 2**53}]})).startswith("/a/1/b: ")


def test_a_valid_answer_is_read() -> None:
    answer = {"seq": 3, "value": [encode(0.5), "中"], "trace": [{"stage": "fuse", "value": None}]}
    assert protocol.from_line(json.dumps(answer).encode()) == answer


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"debug: here", "not a JSON object"),
        (b"", "not a JSON object"),
        (b"[]", "does not fit the schema"),
        (b'{"seq": 1, "value": 0.5}', "bare number 0.5"),
        (b'{"seq": 1, "value": 1e3}', "bare number 1e3"),
        (b'{"seq": 1, "value": NaN}', "bare number NaN"),
        (b'{"seq": 1, "value": 9007199254740992}', "must come as {integer"),
        (b'{"seq": 1, "value": 1, "seq": 1}', "'seq' twice"),
        (b'{"seq": 1, "value": {"a": 1, "a": 2}}', "'a' twice"),
        (b'{"seq": 1, "value": "\xff"}', "not UTF-8"),
        (b'{"seq": 1, "value": "\\ud800"}', "lone surrogate"),
        (b'{"seq": 1}', "does not fit the schema"),
        (b'{"seq": "1", "value": 1}', "does not fit the schema"),
        (b'{"seq": 0, "value": 1}', "does not fit the schema"),
        (b'{"seq": true, "value": 1}', "does not fit the schema"),
        (b'{"value": 1}', "does not fit the schema"),
        (b'{"seq": 1, "value": 1, "error": {"class": "E", "message": "m"}}', "does not fit the schema"),
        (b'{"seq": 1, "error": {"class": "E"}}', "does not fit the schema"),
        (b'{"seq": 1, "error": {"class": "E", "message": null}}', "does not fit the schema"),
        (b'{"seq": 1, "value": 1, "trace": [{"stage": "guess", "value": 1}]}', "does not fit the schema"),
        (b'{"seq": 1, "value": 1, "trace": [{"stage": "fuse", "value": {"integer": "1"}}]}', "trace/0/integer"),
        (b'{"type": "progress", "seq": 1}', "does not fit the schema"),
        (b'{"type": "hello", "protocol": 2}', "does not fit the schema"),
        (b"[" * 100_000, "not a JSON object"),
        (b'{"seq": 1, "value": ' + b"[" * 300 + b"]" * 300 + b"}", "nested more than 200 deep"),
    ],
    ids=range(25),
)
def test_an_invalid_line_is_a_protocol_error(line: bytes, told: str) -> None:
    with pytest.raises(ProtocolError, match=re.escape(told)):
        protocol.from_line(line)


def test_an_escaped_surrogate_pair_is_one_character() -> None:
    assert protocol.from_line(b'{"seq": 1, "value": "\\ud83d\\ude00"}')["value"] == "😀"


@pytest.mark.parametrize(
    "change", [{"seq": 0}, {"op": "Fusion"}, {"params": []}, {"input": 2**53}, {"params": {"k": {"integer": "1"}}}]
)
def test_the_harness_may_not_send_an_invalid_request(change: dict[str, Any]) -> None:
    message = protocol.case_message(1, "fusion.rrf", {}, None, True)
    assert protocol.to_line(message).endswith(b"}\n")
    with pytest.raises(BrokenError, match="request does not fit"):
        protocol.to_line({**message, **change})


PLAIN_ANSWERS: list[Any] = [
    {"seq": 1, "value": None},
    {"seq": 7, "value": [1], "trace": [{"stage": "fuse", "value": []}]},
    {"seq": 7, "error": {"class": "InvalidInputError", "message": ""}, "trace": []},
    {"seq": 7, "unsupported": "fusion.rrf"},
]
PLAIN_CASES: list[Any] = [
    {"type": "case", "seq": 1, "op": "fusion.rrf", "params": {}, "input": None, "want_trace": True}
]
PLAIN_FIXTURES: list[Any] = [
    make_case(1, ["first"], "x"),
    make_case(2, ["second"], 0.5) | {"expect": {"error": {"class": "E", "message": "m"}, "trace": []}},
    make_case(3, [], None) | {"expect": {"value": 1, "trace": [{"stage": "fuse", "sha256": "0" * 64, "size": 5000}]}},
]
OTHERS: list[Any] = [
    *(["FUS-2", "FUS-2"], {"kind": "hand"}, {"kind": "other"}, "0" * 64, "must", "ulp:1", "FUS-2"),
    *(None, [], "text", 0, 1, -1, 1.5, True, {}),
    *({"stage": "fuse"}, [{"stage": "other", "value": 1}], [{"stage": ["fuse"], "value": 1}]),
    *([{"stage": "fuse", "value": 1, "more": 1}], {"class": "E", "message": 1}, {"class": None, "message": "m"}),
    *({"class": "E"}, "fusion", "Fusion.rrf", "fusion.rrf\n", "fusion..rrf", "case", "bye"),
]


@pytest.mark.parametrize(
    ("schema", "is_plain", "message"),
    [("response", lambda one: plain.is_plain_answer(one, STAGES), message) for message in PLAIN_ANSWERS]
    + [("request", plain.is_plain_case, message) for message in PLAIN_CASES]
    + [("fixture", lambda one: plain.is_plain_fixture(one, STAGES), message) for message in PLAIN_FIXTURES],
)
def test_messages_accepted_as_plain_fit_their_schema(schema: str, is_plain: Any, message: Any) -> None:
    """With any part replaced, removed or added, a message that is still accepted as plain fits the schema."""
    validator = protocol.validator(schema)
    assert is_plain(message)
    changed = [{key: value for key, value in message.items() if key != left_out} for left_out in message]
    changed += [{**message, key: other} for key in [*message, "more", "trace", "error", "value"] for other in OTHERS]
    taken = [one for one in changed if is_plain(one)]
    assert 0 < len(taken) < len(changed)
    assert all(validator.is_valid(one) for one in [message, *taken])
    assert not any(map(is_plain, OTHERS))

"""Whether a message or a fixture is plain: then it fits its schema (CNF-2, CNF-9).

Other fixtures are checked by the schema, which is slow; nearly all fixtures are plain.
"""

import re
from typing import Any

CASE_KEYS = {"type", "seq", "op", "params", "input", "want_trace"}
FIXTURE_KEYS = {
    "id", "operation", "summary", "clauses", "flags", "level", "compare", "origin", "fingerprint", "params", "input",
    "expect",
}  # fmt: skip
OPERATION = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)+")
CLAUSE = re.compile(r"[A-Z]+-[0-9]+")
COMPARE = re.compile(r"bits|text|order|ulp:[1-9][0-9]*")
SHA256 = re.compile(r"[0-9a-f]{64}")
LEVELS = ("must", "may")
KINDS = ("hand", "generated", "fuzz", "regression")
OF_STAGES = ({"stage", "value"}, {"stage", "sha256", "size"})


def is_plain_answer(message: Any, stages: frozenset[str]) -> bool:
    """Whether a message is a value or an error, maybe with a trace, or unsupported.

    Args:
        message: what was read.
        stages: the names that stages may have.
    """
    if not isinstance(message, dict):
        return False
    if message.keys() == {"seq", "unsupported"} and isinstance(message["unsupported"], str):
        return _is_number(message["seq"])
    if message.keys() - {"seq", "trace"} not in ({"value"}, {"error"}):
        return False
    if "error" in message and not _is_error(message["error"]):
        return False
    trace = message.get("trace", [])
    if not isinstance(trace, list) or not _is_number(message.get("seq")):
        return False
    return all(_is_stage(stage, stages) and "value" in stage for stage in trace)


def is_plain_case(message: Any) -> bool:
    """Whether a message asks for a case, with parts of the right kinds."""
    if not isinstance(message, dict) or message.keys() != CASE_KEYS or message["type"] != "case":
        return False
    return (
        _is_number(message["seq"])
        and _matches(OPERATION, message["op"])
        and type(message["want_trace"]) is bool
        and isinstance(message["params"], dict)
    )


def is_plain_fixture(value: Any, stages: frozenset[str]) -> bool:
    """Whether a value is a case with an answer, with parts of the right kinds.

    Args:
        value: what was read.
        stages: the names that stages may have.
    """
    if not isinstance(value, dict) or value.keys() != FIXTURE_KEYS:
        return False
    return (
        _matches(OPERATION, value["id"])
        and _matches(OPERATION, value["operation"])
        and _matches(COMPARE, value["compare"])
        and _matches(SHA256, value["fingerprint"])
        and isinstance(value["summary"], str)
        and value["summary"] != ""
        and _are_texts(value["clauses"])
        and value["clauses"] != []
        and all(map(CLAUSE.fullmatch, value["clauses"]))
        and _are_texts(value["flags"])
        and value["level"] in LEVELS
        and isinstance(value["origin"], dict)
        and value["origin"].keys() == {"kind"}
        and value["origin"]["kind"] in KINDS
        and isinstance(value["params"], dict)
        and _is_expected(value["expect"], stages)
    )


def _is_expected(expect: Any, stages: frozenset[str]) -> bool:
    if not isinstance(expect, dict) or expect.keys() not in ({"value", "trace"}, {"error", "trace"}):
        return False
    if "error" in expect and not _is_error(expect["error"]):
        return False
    return isinstance(expect["trace"], list) and all(_is_stage(stage, stages) for stage in expect["trace"])


def _is_error(error: Any) -> bool:
    if not isinstance(error, dict) or error.keys() != {"class", "message"}:
        return False
    return isinstance(error["class"], str) and isinstance(error["message"], str)


def _is_stage(stage: Any, stages: frozenset[str]) -> bool:
    if not isinstance(stage, dict) or stage.keys() not in OF_STAGES:
        return False
    if "value" not in stage and not (_matches(SHA256, stage["sha256"]) and _is_number(stage["size"])):
        return False
    return isinstance(stage["stage"], str) and stage["stage"] in stages


def _is_number(value: Any) -> bool:
    return type(value) is int and value >= 1


def _matches(pattern: re.Pattern[str], value: Any) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _are_texts(value: Any) -> bool:
    """Whether it is a list of texts, each of which is there once."""
    return isinstance(value, list) and all(isinstance(one, str) for one in value) and len(set(value)) == len(value)

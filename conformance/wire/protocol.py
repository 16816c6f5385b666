"""The messages between harness and implementations (CNF-9): one JSON object a line, checked in both directions."""

import json
import re
from functools import cache
from typing import Any

import jsonschema

from conformance.errors import BrokenError, ProtocolError
from conformance.paths import SCHEMAS
from conformance.wire import values

VERSION = 1
SHOWN = 200
CASE_KEYS = {"type", "seq", "op", "params", "input", "want_trace"}
OPERATION = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)+")
SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
Message = dict[str, Any]


@cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    """The compiled schema `fixtures/schema/<name>.json`.

    Raises:
        BrokenError: there is no such schema, or the file is not a schema.
    """
    try:
        schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
    except (OSError, ValueError, jsonschema.SchemaError) as problem:
        raise BrokenError(f"fixtures/schema/{name}.json: {problem}") from None
    return jsonschema.Draft202012Validator(schema)


def complaint(name: str, value: Any) -> str | None:
    """What a value lacks to fit a schema; none if it fits."""
    if name == "response" and is_plain_answer(value):
        return None
    if name == "request" and is_plain_case(value):
        return None
    problem = jsonschema.exceptions.best_match(validator(name).iter_errors(value))
    if problem is None:
        return None
    where = "/".join(str(part) for part in problem.absolute_path)
    return f"{where or 'the whole'}: {problem.message[:SHOWN]}"


def is_plain_answer(message: Any) -> bool:
    """Whether a message is a value or an error, maybe with a trace, or unsupported: all but a few are.

    What is plain fits its schema, which tells what is wrong with the others and is slow to ask.
    """
    if not isinstance(message, dict):
        return False
    if message.keys() == {"seq", "unsupported"} and isinstance(message["unsupported"], str):
        return type(message["seq"]) is int and message["seq"] >= 1
    if message.keys() - {"seq", "trace"} not in ({"value"}, {"error"}):
        return False
    if "error" in message and not _is_error(message["error"]):
        return False
    seq, trace = message.get("seq"), message.get("trace", [])
    return type(seq) is int and seq >= 1 and isinstance(trace, list) and all(map(_is_stage, trace))


def is_plain_case(message: Any) -> bool:
    """Whether a message asks for a case, with parts of the right kinds."""
    if not isinstance(message, dict) or message.keys() != CASE_KEYS or message["type"] != "case":
        return False
    seq, operation = message["seq"], message["op"]
    return (
        type(seq) is int
        and seq >= 1
        and isinstance(operation, str)
        and OPERATION.fullmatch(operation) is not None
        and type(message["want_trace"]) is bool
        and isinstance(message["params"], dict)
    )


def _is_error(error: Any) -> bool:
    if not isinstance(error, dict) or error.keys() != {"class", "message"}:
        return False
    return isinstance(error["class"], str) and isinstance(error["message"], str)


def _is_stage(stage: Any) -> bool:
    if not isinstance(stage, dict) or stage.keys() != {"stage", "value"}:
        return False
    return isinstance(stage["stage"], str) and stage["stage"] in _stages()


@cache
def _stages() -> frozenset[str]:
    """The names of stages that the schema has."""
    forms = validator("response").schema["oneOf"]  # type: ignore[index]
    traced = next(form for form in forms if "value" in form["required"])
    return frozenset(traced["properties"]["trace"]["items"]["properties"]["stage"]["enum"])


def case_message(seq: int, operation: str, params: Any, given: Any, want_trace: bool) -> Message:
    """The message that asks for one case. The expected value is never in it."""
    return {
        "type": "case",
        "seq": seq,
        "op": operation,
        "params": params,
        "input": given,
        "want_trace": want_trace,
    }


def to_line(message: Message) -> bytes:
    """A checked message as a line of bytes.

    Raises:
        BrokenError: the harness made a message that its own schema refuses.
    """
    problem = complaint("request", message)
    for part in ("params", "input"):
        found = values.complaint(message.get(part))
        problem = problem or (f"{part}{found}" if found else None)
    if problem:
        raise BrokenError(f"request does not fit its schema: {problem}")
    return (json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n").encode("utf-8")


def from_line(line: bytes) -> Message:
    """The checked message of a line that an implementation wrote.

    Raises:
        ProtocolError: it is no UTF-8, no JSON, holds a bare float, a lone surrogate or a key twice, or does not fit
            the schema.
    """
    try:
        message: Message = json.loads(
            line.decode("utf-8"), parse_float=_no_float, parse_constant=_no_float, object_pairs_hook=_unique
        )
        _check(message, line)
    except UnicodeDecodeError:
        raise ProtocolError(f"not UTF-8: {_shown(line)!r}") from None
    except UnicodeEncodeError:
        raise ProtocolError(f"a text with a lone surrogate: {_shown(line)!r}") from None
    except (ValueError, RecursionError) as problem:
        raise ProtocolError(f"not a JSON object ({problem}): {_shown(line).decode('utf-8', 'replace')!r}") from None
    return message


def _check(message: Message, line: bytes) -> None:
    if SURROGATE.search(line):
        json.dumps(message, ensure_ascii=False).encode("utf-8")
    found = complaint("response", message)
    if found:
        raise ProtocolError(f"an answer that does not fit the schema: {found}")
    stages = [stage["value"] for stage in message.get("trace", [])]
    for part, value in (("value", message.get("value")), ("trace", stages)):
        found = values.complaint(value)
        if found:
            where = found if len(found) <= SHOWN else "…" + found[-SHOWN:]
            raise ProtocolError(f"an answer that does not fit the schema: {part}{where}")


def _shown(line: bytes) -> bytes:
    return line[:SHOWN]


def _no_float(text: str) -> Any:
    raise ProtocolError(f"a float must come as its decimal and its bits, not as the bare number {text}")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ProtocolError(f"an object with the key {twice!r} twice")
    return result

"""The messages between harness and implementations (CNF-9): one JSON object a line, checked in both directions."""

import json
import re
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from conformance.errors import BrokenError, ProtocolError
from conformance.paths import SCHEMAS
from conformance.wire import plain, values

if TYPE_CHECKING:
    import jsonschema

VERSION = 1
SHOWN = 200
BEGINNING = b'{"type":"case","seq":'
NUMBER = re.compile(rb'\{"seq": ?([1-9][0-9]{0,17}), ?')
SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
Message = dict[str, Any]


@cache
def validator(name: str) -> "jsonschema.Draft202012Validator":
    """The compiled schema `fixtures/schema/<name>.json`.

    Raises:
        BrokenError: there is no such schema, or the file is not a schema.
    """
    import jsonschema  # what fits is mostly seen without (see `plain`)

    try:
        schema = _schema(name)
        jsonschema.Draft202012Validator.check_schema(schema)
    except (OSError, ValueError, jsonschema.SchemaError) as problem:
        raise BrokenError(f"fixtures/schema/{name}.json: {problem}") from None
    return jsonschema.Draft202012Validator(schema)


def _schema(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    return schema


def complaint(name: str, value: Any) -> str | None:
    """What a value lacks to fit a schema; none if it fits."""
    if _is_plain(name, value):
        return None
    from jsonschema import exceptions

    problem = exceptions.best_match(validator(name).iter_errors(value))
    if problem is None:
        return None
    where = "/".join(str(part) for part in problem.absolute_path)
    return f"{where or 'the whole'}: {problem.message[:SHOWN]}"


def _is_plain(name: str, value: Any) -> bool:
    if name == "response":
        return plain.is_plain_answer(value, _stages())
    if name == "fixture":
        return plain.is_plain_fixture(value, _stages())
    return name == "request" and plain.is_plain_case(value)


@cache
def _stages() -> frozenset[str]:
    """The names of stages that the schema has."""
    forms = _schema("response")["oneOf"]
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


class Question:
    """What one case asks; its line is made and checked once, however many are asked.

    Args:
        operation: of the case.
        params: its parameters, encoded.
        given: its input, encoded.
    """

    def __init__(self, operation: str, params: Any, given: Any) -> None:
        self.operation = operation
        self._params = params
        self._given = given

    def line(self, seq: int, want_trace: bool) -> bytes:
        """The message as a line of bytes, see `to_line`."""
        return b"%b%d%b%b" % (BEGINNING, seq, self._middle, b"true}\n" if want_trace else b"false}\n")

    @cached_property
    def _middle(self) -> bytes:
        line = to_line(case_message(1, self.operation, self._params, self._given, True))
        return line[len(BEGINNING) + 1 : -len(b"true}\n")]


def unnumbered(line: bytes, seq: int) -> bytes | None:
    """What a line says after its number; none where it does not begin with that number."""
    found = NUMBER.match(line)
    return line[found.end() :] if found and int(found[1]) == seq else None


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

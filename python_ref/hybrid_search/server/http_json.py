"""JSON of requests and answers (CUR-6)."""

from collections.abc import Mapping
from typing import Any

from hybrid_search.base import json_writer, strict_json, validation
from hybrid_search.base.json_scan import JsonScan, JsonTooLargeError
from hybrid_search.server.http_problem import HttpProblem

MEMORY_PER_BYTE = 16
"""The values of a body may take so many times as much memory as its limit of bytes."""


def read(body: bytes, most: int) -> Mapping[str, Any]:
    """The object that a body holds.

    Args:
        body: its bytes.
        most: the limit of its bytes.

    Raises:
        HttpProblem: it is not UTF-8, not strict JSON, or its values would take too much memory.
        InvalidInputError: it holds something else than an object.
    """
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise HttpProblem("invalid_utf8", "body") from None
    try:
        found = value("body", text, most)
    except ValueError:
        raise HttpProblem("invalid_json") from None
    return validation.mapping("body", found)


def value(name: str, text: str, most: int) -> Any:
    """The value that a text holds.

    Args:
        name: what it was in, for messages.
        text: strict JSON.
        most: the limit of the bytes of that.

    Raises:
        HttpProblem: its values would take too much memory.
        ValueError: it is not strict JSON.
    """
    try:
        JsonScan(MEMORY_PER_BYTE * most).scan(text.encode("utf-8"))
        return strict_json.build(text)
    except JsonTooLargeError:
        raise HttpProblem("too_many_values", name) from None


def write(value: Any) -> bytes:
    """The body that holds plain data."""
    return json_writer.write(value).encode("utf-8")

"""Reads and writes the JSON of requests and responses (CUR-6)."""

from collections.abc import Mapping
from typing import Any

from hybrid_search.base import json_writer, strict_json, validation
from hybrid_search.base.json_scan import JsonScan, JsonTooLargeError
from hybrid_search.server.http_problem import HttpProblem

MEMORY_PER_BYTE = 16
"""The maximum memory of the values of a body, as a multiple of the body's limit of bytes."""


def read(body: bytes, most: int) -> Mapping[str, Any]:
    """Return the object of a body.

    Args:
        body: its bytes.
        most: the limit of its bytes.

    Raises:
        HttpProblem: the body is not UTF-8, not strict JSON, or its values would take too much memory.
        InvalidInputError: the value is not an object.
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
    """Return the value of a JSON text.

    Args:
        name: the place of the text, for messages.
        text: strict JSON.
        most: the limit of the bytes of that place.

    Raises:
        HttpProblem: the values would take too much memory.
        ValueError: the text is not strict JSON.
    """
    try:
        JsonScan(MEMORY_PER_BYTE * most).scan(text.encode("utf-8"))
        return strict_json.build(text)
    except JsonTooLargeError:
        raise HttpProblem("too_many_values", name) from None


def write(value: Any) -> bytes:
    """Return the body for plain data."""
    return json_writer.write(value).encode("utf-8")

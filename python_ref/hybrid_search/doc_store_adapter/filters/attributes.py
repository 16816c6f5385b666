"""The attributes of documents: names and values that an index file can filter by without reading documents.

A name is one that filters accept: the name of a field, of a vector field, of a value in `metadata`, or of a tag. Token
fields and the text itself are not attributes. A value is one that conditions distinguish: a text, a number, true,
false, or a list of these. All other values are equal here (SQL-2, DOC-2).
"""

import struct
from collections.abc import Iterator, Mapping
from typing import Any

from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.filters.filter_conditions import Candidate

OTHER: dict[str, Any] = {}
"""Replaces objects, and values in lists that are not scalars."""


def is_attribute(name: str) -> bool:
    """Return whether the values of a field are attributes."""
    return not name.endswith(("_tks", "_ltks")) and name not in ("id", "content_with_weight")


def of(fields: Mapping[str, Any], vector_fields: Mapping[str, Any]) -> dict[str, bytes]:
    """Return all attributes of a document: name → the value as bytes."""
    found: dict[str, bytes] = {}
    for field, value in fields.items():
        if is_attribute(field) and FieldPath.of(field).steps == (field,):
            _add(found, field, value)
    for field in vector_fields:
        found[field] = write(OTHER)
    return found


def candidate(name: str, value: Any) -> Candidate:
    """Return a document with this attribute alone; without any attribute if the value is `None`."""
    if value is None:
        return Candidate("", {}, {})
    if name.endswith("_vec") and FieldPath.of(name).steps == (name,):
        return Candidate("", {}, {name: None})
    for step in reversed(FieldPath.of(name).steps):
        value = {step: value}
    return Candidate("", value, {})


def write(value: Any) -> bytes:
    """Return a value as bytes; equal values have equal bytes in every language."""
    if isinstance(value, bool):
        return b"T" if value else b"F"
    if isinstance(value, int):
        return b"i" + format(value, "x").encode()
    if isinstance(value, float):
        return b"d" + struct.pack(">d", value)
    if isinstance(value, str):
        return b"s" + value.encode("utf-8")
    if isinstance(value, list):
        members = [write(OTHER if isinstance(member, list) else member) for member in value]
        return b"[" + b"".join(struct.pack(">I", len(member)) + member for member in members)
    return b"{"


def read(written: bytes) -> Any:
    """Return the value of an output of `write`."""
    kind, rest = written[:1], written[1:]
    if kind in (b"T", b"F"):
        return kind == b"T"
    if kind == b"i":
        return int(rest, 16)
    if kind == b"d":
        return struct.unpack(">d", rest)[0]
    if kind == b"s":
        return rest.decode("utf-8")
    return list(_members(rest)) if kind == b"[" else OTHER


def _members(rest: bytes) -> Iterator[Any]:
    start = 0
    while start < len(rest):
        (size,) = struct.unpack_from(">I", rest, start)
        yield read(rest[start + 4 : start + 4 + size])
        start += 4 + size


def _add(found: dict[str, bytes], name: str, value: Any) -> None:
    found[name] = write(value)
    if isinstance(value, Mapping) and name == "tag_feas":
        found.update((f"{name}.{tag}", write(number)) for tag, number in value.items() if number is not None)
    elif isinstance(value, Mapping) and name.split(".")[0] == "metadata":
        for key, item in value.items():
            if item is not None and "." not in key:
                _add(found, f"{name}.{key}", item)

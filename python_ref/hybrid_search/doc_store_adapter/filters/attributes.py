"""What of a document an index file can be filtered by without reading it: names and values (SQL-2, DOC-2).

A name is one that filters know: of a field, of a vector field, of a value in `metadata`, of a tag. Tokens and the text
itself are no attributes. A value is one that conditions can tell from others: texts, numbers, true, false, and lists of
these; everything else is alike to them.
"""

import struct
from collections.abc import Iterator, Mapping
from typing import Any

from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.filters.filter_conditions import Candidate

OTHER: dict[str, Any] = {}
"""Stands for objects, and within lists for whatever is no single value."""


def is_attribute(name: str) -> bool:
    """Whether the values of a field can be looked up."""
    return not name.endswith(("_tks", "_ltks")) and name not in ("id", "content_with_weight")


def of(fields: Mapping[str, Any], vector_fields: Mapping[str, Any]) -> dict[str, bytes]:
    """Name → the written value, of all attributes of a document."""
    found: dict[str, bytes] = {}
    for field, value in fields.items():
        if is_attribute(field) and FieldPath.of(field).steps == (field,):
            _add(found, field, value)
    for field in vector_fields:
        found[field] = write(OTHER)
    return found


def candidate(name: str, value: Any) -> Candidate:
    """A document that has an attribute of this name and value and nothing else; without the attribute for none."""
    if value is None:
        return Candidate("", {}, {})
    if name.endswith("_vec") and FieldPath.of(name).steps == (name,):
        return Candidate("", {}, {name: None})
    for step in reversed(FieldPath.of(name).steps):
        value = {step: value}
    return Candidate("", value, {})


def write(value: Any) -> bytes:
    """A value as bytes: equal ones have equal bytes, in every language."""
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
    """The value of what `write` gives."""
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

"""Parts of the OpenAPI document: schemas of values, of objects and of the classes of results (CUR-6)."""

import inspect
import re
from collections.abc import Mapping
from typing import Any

from conformance.generators.options import CITATION

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}
NUMBER: Schema = {"type": "number"}
COUNT: Schema = {"type": "integer", "minimum": 0}
FLAG: Schema = {"type": "boolean"}
NUMBERS: Schema = {"type": "array", "items": NUMBER}
OPTIONAL_NUMBER: Schema = {"type": ["number", "null"]}
OPTIONAL_TEXT: Schema = {"type": ["string", "null"]}


def described(
    kind: type, properties: Schema, optional: tuple[str, ...] = (), also: Mapping[str, str] | None = None
) -> Schema:
    """The object of a class of the library, with what its docstrings say of its attributes."""
    said = {**_attributes(kind), **(also or {})}
    return object_of({name: {**schema, "description": said[name]} for name, schema in properties.items()}, optional)


def _attributes(kind: type) -> dict[str, str]:
    section = inspect.cleandoc(kind.__doc__ or "").partition("Attributes:\n")[2].partition("\n\n")[0]
    joined = re.sub(r"\n {8,}", " ", section)
    found = (line.strip().partition(": ") for line in joined.splitlines())
    return {name: _as_json(CITATION.sub("", says.rstrip("."))) for name, _, says in found}


def _as_json(says: str) -> str:
    """What is said of a value in Python, of one in JSON."""
    return says.replace("`None` unless", "only where").replace("`None`", "null")


def object_of(properties: Schema, optional: tuple[str, ...] = ()) -> Schema:
    """The schema of an object that has these properties and no others."""
    required = [name for name in properties if name not in optional]
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def reference(name: str) -> Schema:
    """A reference to a schema of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


def array_of(name: str) -> Schema:
    """Return the schema of an array of a schema of the document."""
    return {"type": "array", "items": reference(name)}

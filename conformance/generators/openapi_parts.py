"""Parts of the OpenAPI document: schemas of values, of objects and of the classes of results (CUR-6)."""

import inspect
import re
from collections.abc import Mapping
from typing import Any

from conformance.generators.options import CITATION
from hybrid_search.search.citation_sources import MOST
from hybrid_search.search.citer import MARK
from hybrid_search.server.operations import LONGEST_ANSWER

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


def tagging() -> Schema:
    """Return the schema of a body that asks for tags."""
    filters = {"type": ["object", "null"], "description": "the documents whose tags count, as for a search"}
    properties: dict[str, Schema] = {
        "question": {**TEXT, "description": "the text whose tags are wanted, a `rank_feature`; or `record`"},
        "record": reference("Record"),
        "field": {**TEXT, "default": "metadata.tags", "description": "the field whose values are tags"},
        "limit": {"type": "integer", "minimum": 1, "default": 3, "description": "the maximum number of tags"},
        "smoothing": {**NUMBER, "minimum": 0, "default": 1000, "description": "is added to both numbers of tags"},
        "filters": filters,
    }
    return object_of(properties, optional=tuple(properties))


def citing() -> Schema:
    """Return the schema of a body that asks for the sources of an answer."""
    identifier: Schema = {"type": ["string", "integer"], "minLength": 1}
    parts = {"id": identifier, "content": OPTIONAL_TEXT}
    hit = {**object_of(parts, optional=("content",)), "additionalProperties": True}
    says = "hits of a search, objects with `id` and `content`, and ids of stored documents"
    hits = {"type": "array", "maxItems": MOST, "items": {"anyOf": [hit, identifier]}, "description": says}
    means = "the mark of a source, with `{number}`, its place among the hits from 1, `{index}`, from 0, or `{id}`"
    mark = {**TEXT, "default": MARK, "description": means}
    weight = {**NUMBER, "minimum": 0, "maximum": 1, "default": 0.9, "description": "the share of the vectors"}
    answer = {**TEXT, "maxLength": LONGEST_ANSWER, "description": "the answer"}
    properties = {"answer": answer, "hits": hits, "mark": mark, "vector_similarity_weight": weight}
    return object_of(properties, optional=("mark", "vector_similarity_weight"))

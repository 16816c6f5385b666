"""The OpenAPI document of the HTTP service, made of what `http.yml`, `options.yml` and docstrings say (CUR-6)."""

import inspect
import json
import re
from collections.abc import Mapping
from typing import Any

from conformance.making.options import CITATION, Option
from hybrid_search import Chunk, Paging, QueryHit, QueryResult, __version__

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
COUNT: Schema = {"type": "integer", "minimum": 0}
FLAG: Schema = {"type": "boolean"}
OPTIONAL_NUMBER: Schema = {"type": ["number", "null"]}
OPTIONAL_TEXT: Schema = {"type": ["string", "null"]}
FACET: Schema = {
    "type": "object",
    "properties": {"value": {}, "count": COUNT},
    "additionalProperties": False,
    "required": ["value", "count"],
}
POSITION: Schema = {"anyOf": [{"type": "integer"}, {"type": "array", "items": {}}]}
SUMMARIES = {
    "page": "The search page",
    "page_style": "Its style",
    "page_script": "Its script",
    "openapi": "This document",
    "metrics": "Counts in the text form of Prometheus",
    "health": "Whether the service answers",
    "query": "A page of results, from the first or from a cursor on",
    "documents": "Store documents, all of them or none",
    "delete": "Remove a document",
}
BODIES = {"query": "Query", "documents": "Documents"}
ANSWERS = {"health": "Health", "query": "QueryResult", "documents": "Stored", "delete": "Deleted"}
FIRST_STAGE = {
    "similarity": "the score of the first stage: the weighted sum of its parts, and the rank feature",
    "term_similarity": "how well the words match, 0 to 1",
    "vector_similarity": "the cosine",
}
"""What counts for results of a walk, where a model has its own score, in the place of what is said of any chunk."""
READ_BODY = (400, 408, 411, 413, 415)
FAILS = {"query": (502, 503), "documents": (502, 503), "delete": (503,)}


def document(stated: Mapping[str, Any], options: list[Option]) -> bytes:
    """The document; the same bytes every time."""
    told = {
        "openapi": "3.1.0",
        "info": {
            "title": "HybridSearch",
            "version": __version__,
            "summary": "Hybrid retrieval for Chinese and English over HTTP",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": {
            path: {method.lower(): _operation(path, told, stated) for method, told in methods.items()}
            for path, methods in stated["routes"].items()
        },
        "components": {
            "schemas": _schemas(stated, options),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }
    return (json.dumps(told, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


def _operation(path: str, told: Mapping[str, Any], stated: Mapping[str, Any]) -> Schema:
    name = told["operation"]
    operation: Schema = {"operationId": name, "summary": SUMMARIES[name]}
    if not told.get("open"):
        operation["security"] = [{}, {"token": []}]
    if "{id}" in path:
        schema = {**TEXT, "minLength": 1}
        operation["parameters"] = [{"name": "id", "in": "path", "required": True, "schema": schema}]
    if name in BODIES:
        content = {"application/json": {"schema": _reference(BODIES[name])}}
        operation["requestBody"] = {"required": True, "content": content}
    operation["responses"] = {
        "200": {"description": SUMMARIES[name], "content": {told["gives"]: {"schema": _answer(name)}}},
        **{str(status): _problem(status, stated) for status in _statuses(told)},
    }
    return operation


def _statuses(told: Mapping[str, Any]) -> list[int]:
    found = {406, 421, 500, *FAILS.get(told["operation"], ())}
    found |= set() if told.get("open") else {401}
    found |= {403} if told.get("writes") else set()
    found |= set(READ_BODY) if "body" in told else set()
    found |= {400, 404} if told["operation"] == "delete" else set()
    return sorted(found)


def _problem(status: int, stated: Mapping[str, Any]) -> Schema:
    codes = [code for code, told in stated["problems"].items() if told["status"] == status]
    shown = " or ".join(f"`{code}`" for code in codes)
    return {"description": shown, "content": {"application/json": {"schema": _reference("Error")}}}


def _answer(name: str) -> Schema:
    if name in ANSWERS:
        return _reference(ANSWERS[name])
    return {"type": "object"} if name == "openapi" else TEXT


def _schemas(stated: Mapping[str, Any], options: list[Option]) -> Schema:
    return {
        "Error": _object({"error": _object({"code": {"enum": list(stated["problems"])}, "message": TEXT})}),
        "Query": _query(stated, options),
        "QueryResult": _described(
            QueryResult,
            {
                "results": {"type": "array", "items": _reference("Result")},
                "next_cursor": OPTIONAL_TEXT,
                "paging": _reference("Paging"),
                "warnings": {"type": "array", "items": TEXT},
                "facets": {"type": "object", "additionalProperties": {"type": "array", "items": FACET}},
                "explain": {"type": "object"},
            },
            optional=("facets", "explain"),
        ),
        "Result": _described(
            QueryHit,
            {
                **dict.fromkeys(("chunk_id", "doc_id", "docnm_kwd", "kb_id", "content_ltks"), TEXT),
                "content_with_weight": TEXT,
                "important_kwd": {"type": "array", "items": TEXT},
                "positions": {"type": "array", "items": POSITION},
                **dict.fromkeys(("similarity", "term_similarity", "vector_similarity", "rank_feature"), NUMBER),
                "highlight": TEXT,
                "metadata": {"type": "object"},
                "tier": {"enum": [0, 1]},
                "score": NUMBER,
                "model_score": OPTIONAL_NUMBER,
                "normalized_score": OPTIONAL_NUMBER,
            },
            optional=("highlight",),
        ),
        "Paging": _described(
            Paging,
            {
                **dict.fromkeys(("limit", "returned", "position", "budget", "max_results"), COUNT),
                **dict.fromkeys(("capped", "index_changed"), FLAG),
            },
        ),
        "Documents": _documents(),
        "Document": _document(),
        "Stored": _object({"received": COUNT, "changed": COUNT}),
        "Deleted": _object({"deleted": {"const": 1}}),
        "Health": _object({"status": {"const": "ok"}}),
    }


def _query(stated: Mapping[str, Any], options: list[Option]) -> Schema:
    properties = {"question": {**TEXT, "default": "", "description": "what is asked; empty with `match_all`"}}
    for option in options:
        schema = dict(stated["query"][option.name])
        if option.choices:
            schema["enum"] = list(option.choices)
        if option.index is not None or "null" in schema.get("type", ()):
            schema["default"] = option.index
        schema["description"] = option.meaning
        properties[option.name] = schema
    return _object(properties, optional=tuple(properties))


def _documents() -> Schema:
    documents = {"type": "array", "items": _reference("Document")}
    mode = {
        "enum": ["upsert", "add"],
        "default": "upsert",
        "description": "whether stored documents are replaced, or refused",
    }
    return _object({"documents": documents, "mode": mode}, optional=("mode",))


def _document() -> Schema:
    texts = {"type": ["array", "null"], "items": TEXT}
    identifier = {"type": ["string", "integer"], "minLength": 1}
    properties: Schema = {
        "id": identifier,
        "content": TEXT,
        "title": OPTIONAL_TEXT,
        "keywords": texts,
        "questions": texts,
        "tags": {"type": ["object", "null"], "additionalProperties": NUMBER},
        "page_rank": OPTIONAL_NUMBER,
        "doc_id": {"type": ["string", "integer", "null"]},
        "document_name": OPTIONAL_TEXT,
        "kb_id": {"type": ["string", "integer", "null"]},
        "positions": {"type": ["array", "null"], "items": POSITION},
        "available": {"type": ["boolean", "null"]},
        "metadata": {"type": ["object", "null"]},
        "vector": {"type": ["array", "null"], "items": NUMBER, "minItems": 1},
    }
    return _object(properties, optional=tuple(name for name in properties if name not in ("id", "content")))


def _described(kind: type, properties: Schema, optional: tuple[str, ...] = ()) -> Schema:
    """The object of a class of the library, with what its docstrings say of its attributes."""
    said = {**(_attributes(Chunk) if issubclass(kind, Chunk) else {}), **_attributes(kind)}
    if kind is QueryHit:
        said |= FIRST_STAGE
    return _object({name: {**schema, "description": said[name]} for name, schema in properties.items()}, optional)


def _attributes(kind: type) -> dict[str, str]:
    section = inspect.cleandoc(kind.__doc__ or "").partition("Attributes:\n")[2].partition("\n\n")[0]
    joined = re.sub(r"\n {8,}", " ", section)
    found = (line.strip().partition(": ") for line in joined.splitlines())
    return {name: CITATION.sub("", says.rstrip(".")) for name, _, says in found}


def _object(properties: Schema, optional: tuple[str, ...] = ()) -> Schema:
    required = [name for name in properties if name not in optional]
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def _reference(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}

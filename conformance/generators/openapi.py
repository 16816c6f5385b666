"""The OpenAPI document of the HTTP service, made of `http.yml`, `options.yml` and the docstrings of results (CUR-6)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from conformance.generators.openapi_parts import (
    COUNT,
    FLAG,
    NUMBER,
    NUMBERS,
    OPTIONAL_NUMBER,
    OPTIONAL_TEXT,
    TEXT,
    TEXTS,
    Schema,
    array_of,
    citing,
    described,
    object_of,
    reference,
    tagging,
)
from conformance.generators.options import Option
from hybrid_search import CitedAnswer, CitedSource, CitedSpan, Hit, Page, Scores, __version__
from hybrid_search.doc_store_adapter.queries.sort_order import DIRECTIONS
from hybrid_search.records import record_of
from hybrid_search.records.document_builder import RECORD_KEYS
from hybrid_search.search.hit import ALWAYS
from hybrid_search.server.query_string import OPERATORS

RENAMED = {"candidates": "topk", "min_score": "similarity_threshold"}
"""Option of a search → the option of a profile that means the same."""
DIRECTION: Schema = {"enum": list(DIRECTIONS)}
ORDERS = ["array", "object", "string"]
ORDER: Schema = {
    "type": ORDERS,
    "minItems": 2,
    "maxItems": 2,
    "prefixItems": [TEXT, DIRECTION],
    "additionalProperties": DIRECTION,
}
FACET: Schema = {
    "type": "object",
    "properties": {"value": {}, "count": COUNT},
    "additionalProperties": False,
    "required": ["value", "count"],
}
POSITION: Schema = {"anyOf": [{"type": "integer"}, {"type": "array", "items": {}}]}
TYPES: Mapping[str, Schema] = {
    "bool": FLAG,
    "int": {"type": "integer"},
    "float": NUMBER,
    "str": TEXT,
    "int | str": {"type": ["integer", "string"]},
    "Vector": NUMBERS,
    "Sequence[str]": TEXTS,
    "OrderBy": {"type": ORDERS, "items": ORDER, "additionalProperties": DIRECTION},
    "Mapping[str, float]": {"type": "object", "additionalProperties": NUMBER},
    "Mapping[str, Any]": {"type": "object"},
    "FilterData": {"type": "object"},
}
"""The type of an option in Python → its schema in a body."""
KINDS: Mapping[str, str] = {
    "bool": "boolean",
    "int": "integer",
    "float": "number",
    "str": "text",
    "int | str": "text",
    "Vector": "numbers",
    "Sequence[str]": "list",
    "OrderBy": "order",
    "Mapping[str, float]": "json",
    "Mapping[str, Any]": "json",
    "FilterData": "json",
}
"""The type of an option in Python → how a query string holds it."""
WRITTEN: Mapping[str, str] = {
    "numbers": "separated by commas",
    "list": "separated by commas",
    "order": "separated by commas, as `metadata.year:desc`, `metadata.year desc` or `-metadata.year`, or as JSON",
    "json": "as JSON",
}
"""Kind → how a query string has it, where its schema does not say so."""
OF_KINDS: Mapping[str, Schema] = {
    "boolean": FLAG,
    "integer": {"type": "integer"},
    "number": NUMBER,
    "text": TEXT,
    "numbers": NUMBERS,
    "list": TEXTS,
    "order": TEXTS,
    "json": {**TEXT, "contentMediaType": "application/json"},
}
SUMMARIES = {
    "page": "The search page",
    "page_style": "Its style",
    "page_script": "Its script",
    "openapi": "This document",
    "metrics": "Counts in the text form of Prometheus",
    "health": "Whether the service answers",
    "search_get": "A page of hits, by number or by cursor; the options are in the query string",
    "search": "A page of hits, by number or by cursor",
    "cite": "The sources of the sentences of an answer",
    "tags": "The tags of a question or of a record, weighed",
    "documents": "Store documents, all of them or none",
    "get": "The record of a document",
    "delete": "Remove a document",
}
DESCRIPTIONS = {
    "search_get": "Filters may also be parameters of their own: `filter.metadata.lang=zh` (several of one name are "
    f"alternatives), `filter.metadata.year.gte=2020`, and likewise {', '.join(OPERATORS)}. A value that is a number, "
    'true, false, null or a text in "quotes" is that, any other is a text.',
}
DEFAULTS = "Options that are not given are those of the served index; the defaults told here are the library's."
BODIES = {"search": "Search", "cite": "Citing", "tags": "Tagging", "documents": "Documents"}
ANSWERS = {
    "health": "Health",
    "search_get": "Page",
    "search": "Page",
    "cite": "CitedAnswer",
    "tags": "Tags",
    "documents": "Stored",
    "get": "Record",
    "delete": "Deleted",
}
READ_BODY = (400, 408, 411, 413, 415)
READ_ADDRESS = {"search_get": (400, 414), "get": (400, 404, 414), "delete": (400, 404)}
FAILS = {
    "search_get": (502, 503),
    "search": (502, 503),
    "cite": (502, 503),
    "tags": (502, 503),
    "documents": (502, 503),
    "get": (503,),
    "delete": (503,),
}
INCLUDE: Schema = {"type": "array", "items": {**TEXT, "enum": list(record_of.INCLUDED)}}


def document(stated: Mapping[str, Any], options: Sequence[Option]) -> bytes:
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
            path: {method.lower(): _operation(path, told, stated, options) for method, told in methods.items()}
            for path, methods in stated["routes"].items()
        },
        "components": {
            "schemas": _schemas(stated, options),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }
    return (json.dumps(told, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


def kind(option: Option) -> str:
    """Return how a query string holds an option, as "integer" or "list"."""
    return KINDS[_type(option)]


def _operation(path: str, told: Mapping[str, Any], stated: Mapping[str, Any], options: Sequence[Option]) -> Schema:
    name = told["operation"]
    operation: Schema = {"operationId": name, "summary": SUMMARIES[name]}
    if name in DESCRIPTIONS:
        operation["description"] = DESCRIPTIONS[name]
    if not told.get("open"):
        operation["security"] = [{}, {"token": []}]
    parameters = _parameters(path, name, stated, options)
    if parameters:
        operation["parameters"] = parameters
    if name in BODIES:
        content = {"application/json": {"schema": reference(BODIES[name])}}
        operation["requestBody"] = {"required": True, "content": content}
    operation["responses"] = {
        "200": {"description": SUMMARIES[name], "content": {told["gives"]: {"schema": _answer(name)}}},
        **{str(status): _problem(status, stated) for status in _statuses(told)},
    }
    return operation


def _parameters(path: str, name: str, stated: Mapping[str, Any], options: Sequence[Option]) -> list[Schema]:
    found: list[Schema] = []
    if "{id}" in path:
        schema = {**TEXT, "minLength": 1}
        found.append({"name": "id", "in": "path", "required": True, "schema": schema})
    if name == "get":
        found.append(_query("include", "what the record has besides", INCLUDE))
    if name == "search_get":
        found.append(_query("q", "what is asked", {**TEXT, "default": ""}))
        found += [_query(one.name, _parameter_says(one, options), _parameter(stated, one)) for one in options]
    return found


def _query(name: str, says: str, schema: Schema) -> Schema:
    told: Schema = {"name": name, "in": "query", "description": says, "schema": schema}
    if schema["type"] != "boolean":
        told["allowEmptyValue"] = True
    return {**told, "style": "form", "explode": False} if schema["type"] == "array" else told


def _parameter(stated: Mapping[str, Any], option: Option) -> Schema:
    """The schema of an option in a query string, where there is no null."""
    return _with_choices({**OF_KINDS[kind(option)], **stated["search"][option.name]}, option)


def _parameter_says(option: Option, options: Sequence[Option]) -> str:
    written = WRITTEN.get(kind(option))
    return _says(option, options) if written is None else f"{_says(option, options)}; {written}"


def _says(option: Option, options: Sequence[Option]) -> str:
    """What an option means, and its default.

    A default of the schema would be sent by generated clients, in the place of those of the index and of a profile.
    """
    if option.index in (None, []):
        return option.search_meaning
    set_by_profile = {name for one in options for sets in one.sets.values() for name in sets}
    of_profile = RENAMED.get(option.name, option.name) in set_by_profile
    default = "that of the profile" if of_profile else json.dumps(option.index)
    return f"{option.search_meaning}; default: {default}"


def _statuses(told: Mapping[str, Any]) -> list[int]:
    found = {406, 421, 500, *FAILS.get(told["operation"], ()), *READ_ADDRESS.get(told["operation"], ())}
    found |= set() if told.get("open") else {401}
    found |= {403} if told.get("writes") else set()
    found |= set(READ_BODY) if "body" in told else set()
    return sorted(found)


def _problem(status: int, stated: Mapping[str, Any]) -> Schema:
    codes = [code for code, told in stated["problems"].items() if told["status"] == status]
    shown = " or ".join(f"`{code}`" for code in codes)
    return {"description": shown, "content": {"application/json": {"schema": reference("Error")}}}


def _answer(name: str) -> Schema:
    if name in ANSWERS:
        return reference(ANSWERS[name])
    return {"type": "object"} if name == "openapi" else TEXT


def _schemas(stated: Mapping[str, Any], options: Sequence[Option]) -> Schema:
    return {
        "Error": object_of({"error": object_of({"code": {"enum": list(stated["problems"])}, "message": TEXT})}),
        "Search": _search(stated, options),
        "Page": described(
            Page,
            {
                "hits": array_of("Hit"),
                "total": COUNT,
                "total_is_lower_bound": FLAG,
                "page": {"type": "integer", "minimum": 1},
                "pages": COUNT,
                "limit": {"type": "integer", "minimum": 1},
                "next_cursor": OPTIONAL_TEXT,
                "index_changed": FLAG,
                "warnings": TEXTS,
                "facets": {"type": "object", "additionalProperties": {"type": "array", "items": FACET}},
                "explain": {"type": "object"},
            },
            ("facets", "explain"),
            {"pages": "the number of pages: `total` in pages of `limit`, rounded up"},
        ),
        "Hit": described(
            Hit,
            {
                **dict.fromkeys(("id", "doc_id", "title", "content"), TEXT),
                "score": OPTIONAL_NUMBER,
                "scores": reference("Scores"),
                "document_name": TEXT,
                "keywords": TEXTS,
                "positions": {"type": "array", "items": POSITION},
                "metadata": {"type": "object"},
                "kb_id": TEXT,
                "parent": TEXT,
                "questions": TEXTS,
                "tags": {"type": "object"},
                "page_rank": NUMBER,
                "highlight": TEXT,
                "fragments": {"type": "object", "additionalProperties": TEXTS},
                "fields": {"type": "object"},
                "vector": NUMBERS,
                "tokens": TEXTS,
                "context": {"type": "object", "additionalProperties": array_of("Record")},
                "children": TEXTS,
                "others": COUNT,
                "duplicates": TEXTS,
            },
            tuple(name for name in Hit.__dataclass_fields__ if name not in ALWAYS),
        ),
        "Scores": described(Scores, dict.fromkeys(Scores.__dataclass_fields__, OPTIONAL_NUMBER)),
        "Citing": citing(),
        "CitedAnswer": described(
            CitedAnswer,
            {"text": TEXT, "spans": array_of("CitedSpan"), "threshold": OPTIONAL_NUMBER},
        ),
        "CitedSpan": described(
            CitedSpan,
            {"start": COUNT, "end": COUNT, "text": TEXT, "sources": array_of("CitedSource")},
        ),
        "CitedSource": described(
            CitedSource, {"number": {"type": "integer", "minimum": 1}, "id": TEXT, "similarity": NUMBER}
        ),
        "Tagging": tagging(),
        "Tags": object_of({"tags": {"type": "object", "additionalProperties": NUMBER}}),
        "Documents": _documents(),
        "Record": _record(),
        "Stored": object_of({"received": COUNT, "changed": COUNT}),
        "Deleted": object_of({"deleted": {"const": 1}}),
        "Health": object_of({"status": {"const": "ok"}}),
    }


def _search(stated: Mapping[str, Any], options: Sequence[Option]) -> Schema:
    says = "what is asked; may be empty with `vector` or `match_all`"
    properties = {"question": {**TEXT, "default": "", "description": says}}
    for option in options:
        schema = {**TYPES[_type(option)], **stated["search"][option.name]}
        if _is_optional(option):
            named = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
            schema["type"] = [*named, "null"]
        properties[option.name] = {**_with_choices(schema, option), "description": _says(option, options)}
    return {**object_of(properties, optional=tuple(properties)), "description": DEFAULTS}


def _type(option: Option) -> str:
    return option.given[0].removesuffix(" | None")


def _is_optional(option: Option) -> bool:
    return option.given[0].endswith(" | None")


def _with_choices(schema: Schema, option: Option) -> Schema:
    if option.name == "include":
        return {**schema, **INCLUDE}
    if not option.choices:
        return schema
    if isinstance(schema["type"], list):
        return {**schema, "enum": [*option.choices, None]}
    return {**{name: value for name, value in schema.items() if name != "type"}, **TEXT, "enum": list(option.choices)}


def _documents() -> Schema:
    documents = array_of("Record")
    mode = {
        "enum": ["upsert", "add"],
        "default": "upsert",
        "description": "whether stored documents are replaced, or refused",
    }
    return object_of({"documents": documents, "mode": mode}, optional=("mode",))


def _record() -> Schema:
    texts = {"type": ["array", "null"], "items": TEXT}
    identifier = {"type": ["string", "integer", "null"]}
    schemas: Schema = {
        "id": {"type": ["string", "integer"], "minLength": 1},
        "content": TEXT,
        "title": OPTIONAL_TEXT,
        "keywords": texts,
        "questions": texts,
        "tags": {"type": ["object", "null"], "additionalProperties": NUMBER},
        "page_rank": OPTIONAL_NUMBER,
        "doc_id": identifier,
        "document_name": OPTIONAL_TEXT,
        "kb_id": identifier,
        "parent": identifier,
        record_of.KEPT["position_int"]: {"type": ["array", "null"], "items": POSITION},
        "available": {"type": ["boolean", "null"]},
        "metadata": {"type": ["object", "null"]},
        "vector": {"type": ["array", "null"], "items": NUMBER, "minItems": 1},
    }
    properties = {name: schemas[name] for name in RECORD_KEYS}
    says = "the tokens of its content, where they were asked for; not accepted in a record that is stored"
    properties["tokens"] = {"type": "array", "items": TEXT, "readOnly": True, "description": says}
    return object_of(properties, optional=tuple(name for name in properties if name not in ("id", "content")))

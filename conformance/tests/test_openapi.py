"""The OpenAPI document describes the service, and follows from the stated options and errors (CUR-6)."""

import dataclasses
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from conformance import yaml_files
from conformance.generators import http_tables, openapi, options
from conformance.generators.options import Option
from conformance.implementations.python import codec
from conformance.implementations.python.operations import http as operations
from conformance.paths import ROOT
from hybrid_search import Hit, Page, Scores
from hybrid_search.records.document_builder import RECORD_KEYS
from hybrid_search.server import routes
from hybrid_search.server.operations import SEARCH_FIELDS
from hybrid_search.server.query_string import KINDS

THEMES = ("requests", "addresses", "pages")
ANSWERS = {
    "cite": "CitedAnswer",
    "tags": "Tags",
    "search": "Page",
    "search_get": "Page",
    "get": "Record",
    "documents": "Stored",
    "delete": "Deleted",
    "health": "Health",
}
"""Operation → the schema of its response."""
BODIES = {"search": "Search", "cite": "Citing", "tags": "Tagging", "documents": "Documents"}
TOY = "toy_choice"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    path = ROOT / "python_ref/hybrid_search/data/openapi.json"
    return dict(json.loads(path.read_text(encoding="utf-8")))


def parameters(document: dict[str, Any]) -> dict[str, Any]:
    return {one["name"]: one for one in document["paths"]["/v1/search"]["get"]["parameters"]}


def fields(document: dict[str, Any]) -> dict[str, Any]:
    return dict(document["components"]["schemas"]["Search"]["properties"])


def check(document: dict[str, Any], name: str, value: Any) -> None:
    jsonschema.Draft202012Validator({"$ref": f"#/components/schemas/{name}", **document}).validate(value)


def test_the_document_is_valid_and_has_every_route(document: dict[str, Any]) -> None:
    OpenAPIV31SpecValidator(document).validate()
    told = {(path, method.upper()) for path, methods in document["paths"].items() for method in methods}
    assert told == {(route.path, route.method) for route in routes.ROUTES}


def test_bodies_and_query_strings_have_the_same_options(document: dict[str, Any]) -> None:
    assert list(fields(document)) == list(SEARCH_FIELDS)
    assert list(parameters(document)) == ["q", *KINDS]
    assert set(KINDS) == set(SEARCH_FIELDS) - {"question"}
    for name in KINDS:
        assert parameters(document)[name]["description"].startswith(fields(document)[name]["description"])


def test_the_document_explains_every_part_of_a_page(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for name, kind, more in (("Page", Page, {"pages"}), ("Hit", Hit, set()), ("Scores", Scores, set())):
        told = {part: schema["description"] for part, schema in schemas[name]["properties"].items()}
        assert set(told) == {field.name for field in dataclasses.fields(kind)} | more
        assert all(len(text) > 5 and "\n" not in text and "None" not in text for text in told.values())
    assert (
        schemas["Page"]["properties"]["next_cursor"]["description"]
        == "the cursor of the next page; null on the last one"
    )
    assert set(schemas["Record"]["properties"]) == {*RECORD_KEYS, "tokens"}


def test_responses_and_accepted_requests_match_the_document(document: dict[str, Any]) -> None:
    seen = set()
    for theme in THEMES:
        for case in map(json.loads, (ROOT / f"fixtures/http/answers.{theme}.jsonl").read_bytes().splitlines()):
            requests = codec.decode(case["input"])["requests"]
            told: list[dict[str, Any]] = []
            for request, answer in zip(requests, case["expect"]["value"], strict=True):
                method, path, _, _ = operations.message(request, told)
                told.append(answer)
                if answer["headers"]["content-type"] != "application/json" or not answer["body"]:
                    continue
                name = "Error"
                if answer["status"] == 200:
                    operation = routes.find(method, path.partition("?")[0])[0].operation
                    name = ANSWERS[operation]
                    if operation in BODIES and "json" in request:
                        check(document, BODIES[operation], request["json"])
                check(document, name, json.loads(answer["body"]))
                seen.add(name)
    assert seen == {"Page", "CitedAnswer", "Tags", "Record", "Stored", "Health", "Deleted", "Error"}


def with_toy(name: str, folder: Path) -> list[Option]:
    """The options, one of which has one more choice than `options.yml` states."""
    stated = yaml_files.load(options.SOURCE)
    sets = {"sets": {"fusion": "rrf"}} if name == "profile" else {}
    stated[name]["choices"][TOY] = {"says": "a toy", **sets}
    path = folder / "options.yml"
    path.write_text(json.dumps(stated), encoding="utf-8")
    return options.load(path)


def made_of(known: Sequence[Option]) -> dict[str, Any]:
    stated = http_tables.said()
    return dict(json.loads(openapi.document(stated, http_tables.asked(stated, known))))


def enums(schema: Any) -> list[list[Any]]:
    """All enums in a part of the document, without null."""
    if isinstance(schema, dict):
        own = [[value for value in schema["enum"] if value is not None]] if "enum" in schema else []
        return own + [enum for value in schema.values() for enum in enums(value)]
    return [enum for value in schema for enum in enums(value)] if isinstance(schema, list) else []


def quoted(description: str) -> list[str]:
    """The words that a description quotes, except for a default."""
    return re.findall(r'"(\w+)"', description.partition("; default")[0])


CHOSEN = [one.name for one in http_tables.asked(http_tables.said(), options.load()) if one.choices]


@pytest.mark.parametrize("name", CHOSEN)
def test_a_new_choice_appears_everywhere_at_once(name: str, tmp_path: Path) -> None:
    known = with_toy(name, tmp_path)
    document = made_of(known)
    OpenAPIV31SpecValidator(document).validate()
    check(document, "Search", {name: TOY})
    (choices,) = ([*one.choices] for one in known if one.name == name and one.method != "retrieve")
    assert choices[-1] == TOY
    for told in (fields(document)[name], parameters(document)[name]):
        assert enums(told) == [choices]
        assert f'"{TOY}" (a toy)' in told["description"]
    before = made_of(options.load())
    changed = {one for one in fields(document) if fields(document)[one] != fields(before)[one]}
    changed |= {one for one in parameters(document) if parameters(document)[one] != parameters(before)[one]}
    assert changed == {name}
    with pytest.raises(jsonschema.ValidationError):
        check(before, "Search", {name: TOY})


@pytest.mark.parametrize("name", [None, *CHOSEN])
def test_the_description_of_an_option_lists_exactly_its_choices(name: str | None, tmp_path: Path) -> None:
    document = made_of(options.load() if name is None else with_toy(name, tmp_path))
    for part in (fields(document), parameters(document)):
        for option, told in part.items():
            found = enums(told)
            if found and option != "order_by":
                assert [quoted(told["description"])] == found


@pytest.mark.parametrize("name", ["profile", "text_leg", "fusion", "ranking"])
def test_the_search_page_offers_a_new_choice_too(name: str, tmp_path: Path) -> None:
    made = {path.name: content for path, content in http_tables.files(http_tables.said(), with_toy(name, tmp_path))}
    page = made["search_page.html"].decode("utf-8")
    select = re.search(rf'<select id="{name}">(.*?)</select>', page)
    assert select
    assert select[1].endswith(f'<option value="{TOY}">{TOY}</option>')
    assert page.count(TOY) == 2

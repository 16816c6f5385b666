"""Parses the options of a search from a query string, each by its type (CUR-6)."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote_to_bytes

from hybrid_search.base import scalar_text, validation
from hybrid_search.doc_store_adapter.filters import filter_texts
from hybrid_search.doc_store_adapter.filters.filter_texts import Condition
from hybrid_search.errors import InvalidInputError
from hybrid_search.server import http_json
from hybrid_search.server.http_problem import HttpProblem

# kinds:begin: made by `bin/conformance make http`
KINDS: Mapping[str, str] = {
    "vector": "numbers",
    "limit": "integer",
    "page": "text",
    "cursor": "text",
    "candidates": "integer",
    "min_score": "number",
    "min_cosine": "number",
    "vector_similarity_weight": "number",
    "rank_feature": "json",
    "rank_feature_recall": "boolean",
    "filters": "json",
    "order_by": "order",
    "match_all": "boolean",
    "highlight": "boolean",
    "fragments": "json",
    "facets": "list",
    "facet_limit": "integer",
    "explain": "boolean",
    "include": "list",
    "context": "integer",
    "parents": "text",
    "collapse": "text",
    "diversity": "number",
    "fold_duplicates": "number",
    "profile": "text",
    "text_leg": "text",
    "fusion": "text",
    "weights": "text",
    "rrf_k": "number",
    "ranking": "text",
    "on_index_change": "text",
}
"""Option of a search → how a query string holds it."""

# kinds:end

PLACE = "query string"
"""The name of the query string in messages."""
QUESTION = "q"
FILTER = "filter."
OPERATORS = ("gt", "gte", "lt", "lte", "contains", "starts_with", "ends_with", "not", "exists", "in")
"""The operators that may follow the name of a filter after a dot."""
ACCEPTED = (QUESTION, *KINDS, f"{FILTER}NAME")
BOOLEANS = {"true": True, "True": True, "1": True, "false": False, "False": False, "0": False}
Pairs = Sequence[tuple[str, str]]


def search_options(text: str, most: int) -> dict[str, Any]:
    """Return the options of a search, including its `question`.

    A value that does not fit the type of its option stays a text; the check of the option then refuses it by name.
    Parameters without a value count as not given, except for the question, filters, true and false.

    Args:
        text: a query string, percent-encoded.
        most: the limit of its bytes.

    Raises:
        HttpProblem: the query string is too long, or not UTF-8.
        InvalidInputError: a parameter is unknown, or a filter is given twice.
    """
    pairs = _pairs(text, most)
    named = [(name, value) for name, value in pairs if not name.startswith(FILTER)]
    validation.known("parameter", [name for name, _ in named], ACCEPTED)
    options: dict[str, Any] = {"question": value} if (value := dict(named).get(QUESTION)) is not None else {}
    for name, kind in KINDS.items():
        given = [value for other, value in named if other == name and (value or kind == "boolean")]
        if given:
            options[name] = _value(name, kind, given, most)
    conditions = [_condition(name.removeprefix(FILTER), value) for name, value in pairs if name.startswith(FILTER)]
    filters = filter_texts.joined(options.get("filters"), filter_texts.filters(conditions, _twice))
    if conditions:
        options["filters"] = filters
    return options


def included_names(text: str, most: int) -> list[Any]:
    """Return the names of the additional parts of a record; arguments and errors are those of `search_options`."""
    pairs = _pairs(text, most)
    validation.known("parameter", [name for name, _ in pairs], ("include",))
    return _list([value for _, value in pairs if value], most)


def check_empty(text: str, most: int) -> None:
    """Refuse parameters of a request that has a body; arguments and errors are those of `search_options`."""
    pairs = _pairs(text, most)
    if pairs:
        shown = validation.describe(pairs[0][0])
        raise InvalidInputError(f"unknown parameter {shown}: the question is in the body here")


def _pairs(text: str, most: int) -> Pairs:
    """Return the names and values of a query string, decoded as the values of forms are."""
    if len(text) > most:
        raise HttpProblem("uri_too_long", str(most))
    parts = [part.partition("=") for part in text.split("&") if part]
    return [(_decoded(name), _decoded(value)) for name, _, value in parts]


def _decoded(text: str) -> str:
    try:
        return unquote_to_bytes(text.replace("+", " ").encode("latin-1")).decode("utf-8")
    except UnicodeDecodeError:
        raise HttpProblem("invalid_utf8", PLACE) from None


def _value(name: str, kind: str, given: Sequence[str], most: int) -> Any:
    """Return the value of an option; of several values the last one counts, unless it is a list."""
    if kind == "list":
        return _list(given, most)
    if kind == "numbers":
        return [_number(item) if isinstance(item, str) else item for item in _list(given, most)]
    if kind == "order":
        return [_direction(item) if isinstance(item, str) else item for item in _list(given, most)]
    text = given[-1]
    if kind == "integer":
        number = scalar_text.integer(text)
        return text if number is None else number
    if kind == "number":
        return _number(text)
    if kind == "boolean":
        return BOOLEANS.get(text, text)
    return _json(name, text, most) if kind == "json" else text


def _number(text: str) -> Any:
    number = scalar_text.number(text)
    return text if number is None else number


def _list(given: Sequence[str], most: int) -> list[Any]:
    """Return the members of a list: separated by commas, in several parameters, or as JSON."""
    members: list[Any] = []
    for text in given:
        value = _json_list(text, most) if text.startswith(("[", "{")) else None
        members += text.split(",") if value is None else value
    return members


def _json_list(text: str, most: int) -> list[Any] | None:
    try:
        value = http_json.value(PLACE, text, most)
    except ValueError:
        return None
    return value if isinstance(value, list) else [value]


def _json(name: str, text: str, most: int) -> Any:
    try:
        return http_json.value(PLACE, text, most)
    except ValueError:
        raise validation.fail(name, text, "strict JSON in a query string") from None


def _direction(item: str) -> str | list[str]:
    name, colon, direction = item.rpartition(":")
    return [name, direction] if colon else item


def _condition(written: str, text: str) -> Condition:
    """Return the parts of a condition: `filter.NAME=VALUE`, or `filter.NAME.OPERATOR=VALUE`."""
    name, _, operator = written.rpartition(".")
    return (name, operator, text) if name and operator in OPERATORS else (written, "", text)


def _twice(condition: Condition) -> InvalidInputError:
    name, operator, _ = condition
    return InvalidInputError(f"parameter {validation.describe(f'{FILTER}{name}.{operator}')} is given twice")

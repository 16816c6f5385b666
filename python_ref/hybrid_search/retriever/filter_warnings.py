"""Explains why filters found nothing: no document has a field, or its stored values have another type (RET-8).

A parameter of a web request is a text, which matches no number. The store is queried only after a search that found
nothing, with at most four listings of a few documents for each field.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.documents.stored_document import scalar_key
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.errors import HybridSearchError
from hybrid_search.retriever.field_words import WORDS

MOST_FIELDS = 8
"""The maximum number of fields that are checked."""
SAMPLE = 64
"""The number of documents whose names are compared with a name that no document has."""
MOST_NAMES = 256
"""The maximum number of these names."""
SKIPPED = ("id", "available_int", "not", "must_not")
PLURALS = {"number": "numbers", "text": "texts", "boolean": "true or false"}
SINGULARS = {"number": "a number", "text": "a text", "boolean": "a boolean"}
OF_KIND: Mapping[str, Any] = {
    "number": {"gte": -1.7976931348623157e308},
    "text": {"gte": ""},
    "boolean": [True, False],
}
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,17})?")
FLAGS = ("true", "false")


def warnings(store: DocStoreAdapter, filters: Mapping[str, Any]) -> list[str]:
    """Return a warning for each field because of which the filters find nothing.

    Args:
        store: the documents.
        filters: in the names of the store.
    """
    asked: dict[str, list[Any]] = {}
    for name, values in _conditions(filters):
        asked.setdefault(name, []).extend(values)
    try:
        if not asked or store.count() == 0:
            return []
        found = [_warning(store, name, values) for name, values in list(asked.items())[:MOST_FIELDS]]
    except HybridSearchError:
        return []
    return [warning for warning in found if warning is not None]


def _conditions(filters: Mapping[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the fields that must be present, and the values with which they are compared."""
    for name, wanted in filters.items():
        if name in ("any", "all"):
            for one in wanted:
                yield from _conditions(one)
        elif name not in SKIPPED:
            values = _values(wanted)
            if values is not None:
                yield name, values


def _values(wanted: Any) -> list[Any] | None:
    """Return the values of a condition; `None` if the field may be missing."""
    if not isinstance(wanted, Mapping):
        return list(wanted) if isinstance(wanted, list) else [wanted]
    if wanted.get("exists") is False:
        return None
    bounds = [value for name, value in wanted.items() if name not in ("in", "exists")]
    return [*wanted.get("in", ()), *bounds]


def _warning(store: DocStoreAdapter, name: str, values: Sequence[Any]) -> str | None:
    path, word = FieldPath.of(name), _word(name)
    first = _listed(store, path, {name: {"exists": True}}, 1)
    if first.total == 0:
        near = _nearest(store, path, word)
        return f'filters["{word}"]: no document has {word}' + ("" if near is None else f"; the nearest name is {near}")
    stored = path.value(first.fields[first.ids[0]])
    members = stored if isinstance(stored, list) else [stored]
    kinds = [key[0] for key in map(scalar_key, members) if key is not None]
    wanted = [(key[0], value) for key, value in ((scalar_key(value), value) for value in values) if key is not None]
    if not kinds or not wanted or any(kind in kinds for kind, _ in wanted):
        return None
    for kind in dict.fromkeys(kind for kind, _ in wanted):
        if _listed(store, path, {name: OF_KIND[kind]}, 1).total > 0:
            return None
    kind, value = wanted[0]
    shown = validation.describe(value)
    told = f'filters["{word}"]: {shown} is {SINGULARS[kind]}, but the values of {word} are {PLURALS[kinds[0]]}'
    instead = _instead(shown, value, kinds[0])
    return told if instead is None else f"{told}; use {instead}"


def _instead(shown: str, value: Any, kind: str) -> str | None:
    """Return the value that was probably meant."""
    if kind == "text":
        return f'"{shown}"' if NUMBER.fullmatch(shown) or shown in FLAGS else None
    if not isinstance(value, str):
        return None
    meant = NUMBER.fullmatch(value) is not None if kind == "number" else value in FLAGS
    return value if meant else None


def _nearest(store: DocStoreAdapter, path: FieldPath, word: str) -> str | None:
    """Return the most similar name in the objects of some documents."""
    if len(path.steps) == 1:
        return None
    outer = path.steps[0]
    sample = _listed(store, path, {outer: {"exists": True}}, SAMPLE)
    names: dict[str, None] = {}
    for identifier in sample.ids:
        for name in _names(outer, sample.fields[identifier].get(outer)):
            names.setdefault(_word(name))
    return validation.nearest(word, sorted(names)[:MOST_NAMES])


def _names(name: str, value: Any) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield name
        return
    for key, item in value.items():
        yield from _names(f"{name}.{key}", item)


def _listed(store: DocStoreAdapter, path: FieldPath, filters: Mapping[str, Any], limit: int) -> SearchResult:
    return store.search(
        select_fields=[path.steps[0]], filters=filters, match_exprs=[], order_by=[], limit=limit, offset=0
    )


def _word(name: str) -> str:
    """Return the name of a field in records."""
    if name.startswith("tag_feas."):
        return f"tags.{name.removeprefix('tag_feas.')}"
    return next((word for word, field in WORDS.items() if field == name), name)

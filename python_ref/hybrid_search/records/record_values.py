"""The keys and values of a record (IDX-1, IDX-4): every value is checked before it is used."""

from collections.abc import Callable, Mapping
from typing import Any

from hybrid_search.base import input_values, validation
from hybrid_search.doc_store_adapter.documents import stored_document
from hybrid_search.errors import InvalidInputError
from hybrid_search.protocols import Record
from hybrid_search.records.record_fields import TEXTS

KEYS = (
    "id",
    "content",
    "title",
    "keywords",
    "questions",
    "tags",
    "page_rank",
    "doc_id",
    "document_name",
    "kb_id",
    "parent",
    "positions",
    "available",
    "metadata",
    "vector",
)
OWN_ATTRIBUTES = "; own attributes belong in metadata"


def whole(place: str, record: Any) -> dict[str, Any]:
    """Return the values of a record, without those that are null.

    Args:
        place: the name of the record in messages: `records[3]`.
        record: the given record.

    Raises:
        InvalidInputError: an unknown key, a missing or empty id, no content, or a value of the wrong type.
    """
    given = _given(place, record)
    if given.get("content") is None:
        raise InvalidInputError(f"{place} has no content")
    return {key: value for key, value in _checked(place, given).items() if value is not None}


def texts(record: Any) -> dict[str, Any]:
    """Return the checked texts of a record that are cut into tokens.

    Raises:
        InvalidInputError: the record cannot become a document; `whole` states the reason.
    """
    given = _given("record", record)
    return {key: _exactly(_CHECKS[key](key, given[key])) for (key,) in TEXTS if given.get(key) is not None}


def change(place: str, record: Any) -> dict[str, Any]:
    """Return the values of a change: the id and the keys that change, with null for removed ones.

    Raises:
        InvalidInputError: as `whole`; but content may be missing, though not null.
    """
    given = _given(place, record)
    if "content" in given and given["content"] is None:
        raise InvalidInputError(f"{place}.content cannot be removed")
    return _checked(place, given)


def _given(place: str, record: Any) -> Record:
    given = validation.mapping(place, record)
    validation.known("document field", given, KEYS, OWN_ATTRIBUTES)
    if given.get("id") is None:
        raise InvalidInputError(f"{place} has no id")
    return given


def _checked(place: str, given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: None if given[key] is None else check(f"{place}.{key}", given[key])
        for key, check in _CHECKS.items()
        if key in given
    }


def _identifier(name: str, value: Any) -> str:
    return stored_document.accept_identifier(name, input_values.identifier(name, value))


def _reference(name: str, value: Any) -> str:
    return stored_document.short(name, input_values.identifier(name, value))


def _exactly(value: str | list[str]) -> str | list[str]:
    """Return texts of exactly the type `str`."""
    return "".join([value]) if isinstance(value, str) else ["".join([text]) for text in value]


def _tags(name: str, value: Any) -> dict[str, Any]:
    tags = validation.mapping(name, value)
    return {tag: validation.number(validation.member(name, tag), tags[tag]) for tag in tags}


def _positions(name: str, value: Any) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise validation.fail(name, value, "a list of integers, or of lists of integers")
    return [
        _positions(f"{name}[{index}]", item)
        if isinstance(item, (list, tuple))
        else validation.integer(f"{name}[{index}]", item)
        for index, item in enumerate(value)
    ]


_CHECKS: Mapping[str, Callable[[str, Any], Any]] = {
    "id": _identifier,
    "doc_id": _reference,
    "kb_id": _reference,
    "parent": _reference,
    "content": validation.text,
    "title": validation.text,
    "document_name": validation.text,
    "keywords": validation.texts,
    "questions": validation.texts,
    "tags": _tags,
    "page_rank": validation.number,
    "positions": _positions,
    "available": validation.boolean,
    "metadata": input_values.attributes,
    "vector": validation.vector,
}
"""Key → its check, in the order in which they are checked."""

"""Checks and copies documents before a store accepts them (NUM-4)."""

import contextlib
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hybrid_search.base import numeric, validation
from hybrid_search.errors import InvalidInputError

DEEPEST_NESTING = 32
IDENTIFIER_FIELDS = ("doc_id", "kb_id")
TEXT_FIELDS = (*IDENTIFIER_FIELDS, "content_with_weight")
LONGEST_IDENTIFIER = 512
"""The maximum number of characters of an id, so that every cursor can contain it."""
LARGE = 1 << 60
"""Integers below it in absolute value have different hashes."""
_VECTOR_FIELD = re.compile(r"\Aq_([1-9][0-9]{0,8})_vec\Z")


class StoredDocument(NamedTuple):
    """A checked document.

    Attributes:
        identifier: the id.
        fields: every field except vectors, including `id`, in the given order; copies that must not be changed.
        vectors: vector field → components.
        missing: the names of the fields that were given as null.
    """

    identifier: str
    fields: dict[str, Any]
    vectors: dict[str, list[float]]
    missing: tuple[str, ...] = ()


def accept(name: str, document: Any) -> StoredDocument:
    """Return the checked copy of a document.

    Args:
        name: the document's name in messages, such as `documents[3]`.
        document: the given document.

    Raises:
        InvalidInputError: the document is not an object, has no id, or has a value that its field does not accept.
        DimensionMismatchError: the length of a vector is not the one in the name of its field.
    """
    fields: dict[str, Any] = {}
    vectors: dict[str, list[float]] = {}
    missing: list[str] = []
    given = validation.mapping(name, document)
    identifier = accept_identifier(f"{name}.id", given.get("id"))
    for key, value in given.items():
        if value is None:
            missing.append(key)
        elif key.endswith("_vec"):
            vectors[key] = _vector(validation.member(name, key), key, value)
        else:
            fields[key] = _field(validation.member(name, key), key, value)
    return StoredDocument(identifier, fields, vectors, tuple(missing))


def accept_identifier(name: str, value: Any) -> str:
    """Return a checked id: a text of 1 to 512 characters."""
    identifier = validation.text(name, value)
    if not identifier:
        raise InvalidInputError(f"{name} must not be empty")
    return short(name, identifier)


def short(name: str, identifier: str) -> str:
    """Return an id of at most 512 characters; refuse longer ones."""
    if len(identifier) > LONGEST_IDENTIFIER:
        raise InvalidInputError(f"{name} must have at most {LONGEST_IDENTIFIER} characters, not {len(identifier)}")
    return identifier


def vector_dimension(name: str, field: str) -> int:
    """Return the dimension in the name of a vector field."""
    found = _VECTOR_FIELD.match(field)
    if not found:
        raise InvalidInputError(f"{name} must be a vector field named q_{{dimension}}_vec, like q_384_vec")
    return int(found.group(1))


def is_vector_field(field: str) -> bool:
    """Return whether a field contains vectors."""
    return _VECTOR_FIELD.match(field) is not None


def is_keyword_field(field: str) -> bool:
    """Return whether a field contains keywords, each of them one token."""
    return field.endswith("_kwd")


def is_searchable(field: str) -> bool:
    """Return whether text queries can search a field: it contains blank-separated tokens or keywords."""
    return field.endswith(("_tks", "_ltks", "_kwd"))


def tokens(field: str, value: Any) -> list[str]:
    """Return the tokens of a stored value: the pieces between blanks (U+0020 alone), or the keywords unchanged."""
    if is_keyword_field(field):
        return [value] if isinstance(value, str) else value
    return list(filter(None, value.split(" ")))


def encoded_tokens(field: str, value: Any) -> list[bytes]:
    """Return the tokens of a stored value in UTF-8."""
    if is_keyword_field(field):
        return [token.encode("utf-8") for token in tokens(field, value)]
    return list(filter(None, value.encode("utf-8").split(b" ")))


def copy_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of the fields of a stored document; the caller may change it."""
    return {name: value if isinstance(value, str) else copy_value(value) for name, value in fields.items()}


def copy_value(value: Any) -> Any:
    """Return a copy of a stored value; the caller may change it."""
    if isinstance(value, list):
        return [copy_value(item) for item in value]
    if isinstance(value, dict):
        return {key: copy_value(item) for key, item in value.items()}
    return value


def same_value(left: Any, right: Any) -> bool:
    """Return whether two stored values are equal. 1, 1.0 and true differ; the order of keys does not matter."""
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same_value, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same_value(left[key], right[key]) for key in left)
    return type(left) is type(right) and bool(left == right)


def scalar_key(value: Any) -> tuple[str, Any] | None:
    """Return the type and the value of a scalar; equal scalars have equal keys, and numbers compare by value.

    Other values have no key: `None`; neither has NaN, which no number equals.
    """
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, str):
        return ("text", value)
    if isinstance(value, int):
        return ("number", _hashed(value))
    if isinstance(value, float) and not math.isnan(value):
        return ("number", _hashed(int(value)) if value.is_integer() else value)
    return None


class LargeInteger(int):
    """An integer whose hash differs from process to process, as that of a text does.

    Python's own hash is the remainder by 2^61 − 1, so that an attacker can easily choose thousands of integers with
    equal hashes.
    """

    def __hash__(self) -> int:
        return hash(hex(self))


def _hashed(value: int) -> int:
    return value if -LARGE < value < LARGE else LargeInteger(value)


def _vector(name: str, field: str, value: Any) -> list[float]:
    return validation.vector(name, value, vector_dimension(name, field))


def _field(name: str, field: str, value: Any) -> Any:
    if field.endswith(("_tks", "_ltks")) or field in TEXT_FIELDS:
        text = validation.text(name, value)
        return short(name, text) if field in IDENTIFIER_FIELDS else text
    if is_keyword_field(field):
        if isinstance(value, str):
            return validation.text(name, value)
        if not isinstance(value, (list, tuple)):
            raise validation.fail(name, value, "a text or a list of texts")
        return validation.texts(name, value)
    if field == "available_int":
        return validation.integer(name, value)
    if field == "pagerank_fea" or field.endswith("_flt"):
        validation.number(name, value)
    elif field == "tag_feas" and not isinstance(value, (str, Mapping)):
        raise validation.fail(name, value, "an object of numbers or a JSON text")
    return _plain(name, value, 0)


def _plain(name: str, value: Any, depth: int) -> Any:
    if depth > DEEPEST_NESTING:
        raise InvalidInputError(f"{name} is nested too deeply")
    if value is None or isinstance(value, (bool, np.bool_)):
        return None if value is None else bool(value)
    if isinstance(value, str):
        return validation.text(name, value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if numeric.is_number(value):
        with contextlib.suppress(OverflowError):
            if math.isfinite(value):
                return float(value)
        raise validation.fail(name, value, "finite")
    if isinstance(value, Mapping):
        checked = validation.mapping(name, value)
        return {key: _plain(validation.member(name, key), item, depth + 1) for key, item in checked.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [_plain(f"{name}[{index}]", item, depth + 1) for index, item in enumerate(value)]
    raise validation.fail(name, value, "a text, a number, true, false, null, a list or an object")

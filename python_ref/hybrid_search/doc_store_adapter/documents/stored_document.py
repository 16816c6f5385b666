"""What a store accepts as a document (NUM-4): every value is checked and copied when it enters."""

import contextlib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hybrid_search.base import numeric, validation
from hybrid_search.errors import InvalidInputError

DEEPEST_NESTING = 32
IDENTIFIER_FIELDS = ("doc_id", "kb_id")
TEXT_FIELDS = (*IDENTIFIER_FIELDS, "content_with_weight")
LONGEST_IDENTIFIER = 512
"""The number of characters of an id, at most, so that every cursor can carry it."""
LARGE = 1 << 60
"""Below it integers have different hashes."""
_VECTOR_FIELD = re.compile(r"\Aq_([1-9][0-9]{0,8})_vec\Z")


class StoredDocument(NamedTuple):
    """A checked document.

    Attributes:
        identifier: its id.
        fields: every field but the vectors, `id` among them, in the order given; copies, not to be changed.
        vectors: vector field → components.
        missing: the fields given as null.
    """

    identifier: str
    fields: dict[str, Any]
    vectors: dict[str, list[float]]
    missing: tuple[str, ...] = ()


def accept(name: str, document: Any) -> StoredDocument:
    """The checked copy of a document.

    Args:
        name: what it is called in messages: `documents[3]`.
        document: what was given.

    Raises:
        InvalidInputError: no object, no id, or a value its field cannot hold.
        DimensionMismatchError: a vector whose length is not the one its field's name gives.
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
    """An id: a text of 1 to 512 characters."""
    identifier = validation.text(name, value)
    if not identifier:
        raise InvalidInputError(f"{name} must not be empty")
    return short(name, identifier)


def short(name: str, identifier: str) -> str:
    """An id that is not too long."""
    if len(identifier) > LONGEST_IDENTIFIER:
        raise InvalidInputError(f"{name} must have at most {LONGEST_IDENTIFIER} characters, not {len(identifier)}")
    return identifier


def vector_dimension(name: str, field: str) -> int:
    """The dimension in a vector field's name."""
    found = _VECTOR_FIELD.match(field)
    if not found:
        raise InvalidInputError(f"{name} must be a vector field named q_{{dimension}}_vec, like q_384_vec")
    return int(found.group(1))


def is_vector_field(field: str) -> bool:
    """Return whether the field holds vectors."""
    return _VECTOR_FIELD.match(field) is not None


def is_keyword_field(field: str) -> bool:
    """Whether the field holds keywords, each of them one token."""
    return field.endswith("_kwd")


def is_searchable(field: str) -> bool:
    """Whether a text query can look into the field: blank-separated tokens or keywords."""
    return field.endswith(("_tks", "_ltks", "_kwd"))


def tokens(field: str, value: Any) -> list[str]:
    """The tokens of a stored value: pieces between blanks (U+0020 alone), or the keywords as they are."""
    if is_keyword_field(field):
        return [value] if isinstance(value, str) else value
    return [token for token in value.split(" ") if token]


def copy_fields(fields: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return copies of some of the fields of a stored document that a caller may change.

    Args:
        fields: the fields.
        names: the names of those that are copied; a document need not have all of them.
    """
    found = {name: fields[name] for name in names if name in fields}
    return {name: value if isinstance(value, str) else copy_value(value) for name, value in found.items()}


def copy_value(value: Any) -> Any:
    """A copy of a stored value that a caller may change."""
    if isinstance(value, list):
        return [copy_value(item) for item in value]
    if isinstance(value, dict):
        return {key: copy_value(item) for key, item in value.items()}
    return value


def same_value(left: Any, right: Any) -> bool:
    """Whether two stored values are the same: 1, 1.0 and true are three values, the order of keys does not matter."""
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same_value, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same_value(left[key], right[key]) for key in left)
    return type(left) is type(right) and bool(left == right)


def scalar_key(value: Any) -> tuple[str, Any] | None:
    """What makes two single values equal: the kind and the value, numbers by their size; none for anything else."""
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, str):
        return ("text", value)
    if isinstance(value, int):
        return ("number", _hashed(value))
    if isinstance(value, float):
        return ("number", _hashed(int(value)) if value.is_integer() else value)
    return None


class LargeInteger(int):
    """An integer whose hash depends on the process, as that of a text does.

    Python's own is the remainder by 2^61 − 1, so that thousands of integers with one hash are easily chosen.
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

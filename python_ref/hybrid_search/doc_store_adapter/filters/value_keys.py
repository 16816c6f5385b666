"""Names and values as terms of an engine's index (DOC-2).

Equal values have equal terms, and the order of terms is that of values. One keyword field contains the values of all
fields. A term begins with the field's name, followed by the type of the value (boolean, number or text), so that a
range of terms is a range of values of one type. No name in a document ever becomes the name of a field of the engine.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument, scalar_key
from hybrid_search.doc_store_adapter.filters import attributes
from hybrid_search.doc_store_adapter.filters.comparisons import Bound, ScalarKey

LONGEST_NAME = 512
LONGEST_TEXT = 512
LONGEST_CONTENT = 64
"""The number of bytes of a text in a term.

Longer texts are distinguished by their digest, and sorted by these bytes.
"""

MOST_DIGITS = 2_000
EXPONENT = 1 << 31
KINDS = {"boolean": "b", "number": "n", "text": "t"}
NEXT_KIND = {"b": "c", "n": "o", "t": "u"}
COMPLEMENT = str.maketrans("0123456789abcdef", "fedcba9876543210")
HIGHEST = "~"


class Held(NamedTuple):
    """The terms by which filters find a document.

    Attributes:
        names: the terms of the names of its values.
        terms: the terms of the values.
    """

    names: list[str]
    terms: list[str]


def held(document: StoredDocument) -> Held:
    """Return the terms of a document without repetitions, in the order of its fields."""
    names: dict[str, None] = {}
    values: dict[str, None] = {}
    for field, value in document.fields.items():
        for name, inner in _named(field, value):
            if inner is not None and inner != []:
                names[name_key(name)] = None
            for member in inner if isinstance(inner, list) else [inner]:
                key = scalar_key(member)
                if key is not None:
                    values[value_key(name, key)] = None
    for field in document.vectors:
        names[name_key(field)] = None
    return Held(list(names), list(values))


def name_key(name: str) -> str:
    """Return the term of a name."""
    return _cut(name, LONGEST_NAME)


def value_key(name: str, key: ScalarKey) -> str:
    """Return the term of a value of a field."""
    kind, value = key
    start = prefix(name) + KINDS[kind]
    if kind == "boolean":
        return start + ("1" if value else "0")
    if kind == "number":
        return start + number(value)
    return start + _cut(value, LONGEST_TEXT if attributes.is_attribute(name) else LONGEST_CONTENT)


def value_range(name: str, bounds: Sequence[Bound]) -> dict[str, str] | None:
    """Return the range of terms that corresponds to bounds; `None` if no value can be within them.

    Args:
        name: the field.
        bounds: at least one bound.
    """
    kinds = {bound.limit[0] for bound in bounds}
    if len(kinds) > 1:
        return None
    kind = KINDS[kinds.pop()]
    lower, upper = ("gte", prefix(name) + kind), ("lt", prefix(name) + NEXT_KIND[kind])
    for bound in bounds:
        side = (bound.operator, value_key(name, bound.limit))
        if bound.operator in ("gt", "gte"):
            lower = max(lower, side, key=lambda one: (one[1], one[0] == "gt"))
        else:
            upper = min(upper, side, key=lambda one: (one[1], one[0] != "lt"))
    return dict([lower, upper])


def number(value: int | float) -> str:
    """Return a finite number as a text; texts sort like the numbers of any size, and 1 and 1.0 have the same text."""
    if value == 0:
        return "1"
    numerator, denominator = abs(value).as_integer_ratio()
    places = numerator.bit_length() - 1
    exponent = places - (denominator.bit_length() - 1)
    padding = -places % 4
    fraction = (numerator - (1 << places)) << padding
    digits = format(fraction, "x").zfill((places + padding) // 4)[:MOST_DIGITS] if places else ""
    magnitude = format(exponent + EXPONENT, "08x") + digits.rstrip("0")
    return "2" + magnitude if value > 0 else "0" + magnitude.translate(COMPLEMENT) + HIGHEST


def _named(field: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names by which filters find the values in a field, with the values."""
    if FieldPath.of(field).steps != (field,):
        return
    yield field, value
    if field == "tag_feas" and isinstance(value, Mapping):
        for tag, inner in value.items():
            yield f"{field}.{tag}", inner
    elif field == "metadata":
        yield from _inner(field, value)


def _inner(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if "." not in key:
                yield f"{name}.{key}", inner
                yield from _inner(f"{name}.{key}", inner)


def prefix(name: str) -> str:
    """Return the beginning of the terms of a field's values; the type of a value follows."""
    key = name_key(name)
    return f"{len(key)}:{key}"


def _cut(text: str, longest: int) -> str:
    """Return a text, or the beginning and the digest of a longer one."""
    encoded = text.encode("utf-8")
    if len(encoded) <= longest:
        return text
    return encoded[:longest].decode("utf-8", "ignore") + "\0" + _digest(text)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()

"""Values of types that JSON has no word for, as cases write them: an object with one key.

| case | value |
|---|---|
| `{$date: "2024-05-01"}` | a date |
| `{$time: "2024-05-01T09:30:00+02:00"}` | a time with its offset |
| `{$datetime: "2024-05-01T09:30:00+02:00"}` | a `DateTime` in Ruby, a time elsewhere |
| `{$bytes: "zh"}` | a text marked as bytes in Ruby, the text elsewhere |
| `{$utf16: "zh"}` | a text in UTF-16 in Ruby, the text elsewhere |
| `{$decimal: "19.90"}` | a decimal |
| `{$symbol: "zh"}` | a symbol in Ruby, the text elsewhere |
| `{$symbols: {lang: "zh"}}` | an object whose keys are symbols in Ruby, the object elsewhere |
| `{$range: {gte: 1, lt: 5}}` | a range in Ruby, the object elsewhere |
| `{$failing: [1, 2]}` | an iterator of these values that then fails |
| `{$records: [[2, 5, 3], [1, 7, 0]]}` | two records of 5 characters and 3 components, and one of 7 characters |
"""

import datetime
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

from hybrid_search.errors import InvalidInputError


def _failing(values: list[Any]) -> Iterator[Any]:
    yield from values
    raise InvalidInputError("the source has failed")


def _records(groups: list[list[int]]) -> list[dict[str, Any]]:
    """Records in any number and of any length, so that a case of many is short."""
    found: list[dict[str, Any]] = []
    for count, characters, components in groups:
        vector = {"vector": [1.0] * components} if components else {}
        found += [
            {"id": f"r{len(found) + place}", "content": "x".ljust(characters), **vector} for place in range(count)
        ]
    return found


TYPES: dict[str, Callable[[Any], Any]] = {
    "$date": datetime.date.fromisoformat,
    "$time": datetime.datetime.fromisoformat,
    "$datetime": datetime.datetime.fromisoformat,
    "$bytes": str,
    "$utf16": str,
    "$decimal": Decimal,
    "$symbol": str,
    "$symbols": dict,
    "$range": dict,
    "$failing": _failing,
    "$records": _records,
}


def read(value: Any) -> Any:
    """The value with every such object replaced by what it stands for."""
    if isinstance(value, list):
        return [read(item) for item in value]
    if isinstance(value, dict):
        kind = next(iter(value)) if len(value) == 1 else None
        if kind is not None and kind in TYPES:
            return TYPES[kind](read(value[kind]))
        return {key: read(item) for key, item in value.items()}
    return value

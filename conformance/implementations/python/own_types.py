"""Values of types that JSON has no word for, as cases write them: an object with one key.

| case | value |
|---|---|
| `{$date: "2024-05-01"}` | a date |
| `{$time: "2024-05-01T09:30:00+02:00"}` | a time with its offset |
| `{$decimal: "19.90"}` | a decimal |
| `{$symbol: "zh"}` | a symbol in Ruby, the text elsewhere |
| `{$range: {gte: 1, lt: 5}}` | a range in Ruby, the object elsewhere |
"""

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import Any

TYPES: dict[str, Callable[[Any], Any]] = {
    "$date": datetime.date.fromisoformat,
    "$time": datetime.datetime.fromisoformat,
    "$decimal": Decimal,
    "$symbol": str,
    "$range": dict,
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

"""Records as a table of Arrow (IDX-6); Python only, needs the package pyarrow."""

import importlib
from collections.abc import Sequence
from typing import Any

from hybrid_search.errors import ConfigurationError, InvalidInputError


def of_records(records: Sequence[dict[str, Any]]) -> Any:
    """Return a table with a column for each key of the records; a key that a record does not have is null.

    Raises:
        ConfigurationError: pyarrow is not installed.
        InvalidInputError: the values of a key are of types that no column can have together.
    """
    try:
        library: Any = importlib.import_module("pyarrow")
    except ImportError:
        raise ConfigurationError("a table of Arrow needs pyarrow: pip install pyarrow") from None
    names = dict.fromkeys(["id", "content"])
    for record in records:
        names.update(dict.fromkeys(record))
    columns: dict[str, Any] = {}
    for name in names:
        values = [record.get(name) for record in records]
        try:
            columns[name] = library.array(values, type=library.string() if name in ("id", "content") else None)
        except (library.ArrowInvalid, library.ArrowTypeError) as problem:
            raise InvalidInputError(f"{name} cannot be a column of Arrow: {problem}") from None
    return library.table(columns)

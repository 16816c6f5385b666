"""The statements of a collection in a database, from a table that both languages use (PG-1, OB-1)."""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

PLACE = re.compile(r"\{(\w+)\}")


class SqlStatements:
    """Statements with the names of a collection inserted.

    Args:
        engine: the name of the table in `data/`, such as "postgres".
        names: the names to insert, already quoted.
    """

    def __init__(self, engine: str, names: Mapping[str, str]) -> None:
        self._engine = engine
        self._names = names

    def text(self, name: str, **values: str | int) -> str:
        """Return the text of a statement.

        Args:
            name: the name of the statement.
            values: further texts to insert: integers, and names and values that are already quoted.
        """
        # All names are replaced in one pass, since an inserted name may look like a placeholder.
        names = {**self._names, **values}
        return PLACE.sub(lambda place: str(names[place[1]]), _statements(self._engine)[name])


@cache
def _statements(engine: str) -> dict[str, Any]:
    source = resources.files("hybrid_search").joinpath(f"data/{engine}.json").read_text(encoding="utf-8")
    statements: dict[str, Any] = json.loads(source)
    return statements

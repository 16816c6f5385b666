"""The statements of a collection in PostgreSQL, from `data/postgres.json`, which both languages use (PG-1)."""

import json
import re
from functools import cache
from importlib import resources
from typing import Any

PLACE = re.compile(r"\{(\w+)\}")


class PostgresStatements:
    """Statements with the names of a collection inserted.

    Args:
        collection: the name of the schema of the collection.
        extension: the name of the schema that contains pgvector.
    """

    def __init__(self, collection: str, extension: str = "public") -> None:
        self._names = {"schema": quoted(collection), "vector": quoted(extension)}

    def text(self, name: str, **values: str | int) -> str:
        """Return the text of a statement.

        Args:
            name: the name of the statement.
            values: further names to insert: integers, and names that are already quoted.
        """
        # All names are replaced in one pass, since an inserted name may look like a placeholder.
        names = {**self._names, **values}
        return PLACE.sub(lambda place: str(names[place[1]]), _statements()[name])


def quoted(name: str) -> str:
    """Return a name as a quoted identifier."""
    return '"' + name.replace('"', '""') + '"'


@cache
def _statements() -> dict[str, Any]:
    source = resources.files("hybrid_search").joinpath("data/postgres.json").read_text(encoding="utf-8")
    statements: dict[str, Any] = json.loads(source)
    return statements

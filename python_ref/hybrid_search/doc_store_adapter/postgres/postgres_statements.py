"""The statements of a collection in PostgreSQL (PG-1), as `data/postgres.json` has them for both languages."""

import json
import re
from functools import cache
from importlib import resources
from typing import Any

PLACE = re.compile(r"\{(\w+)\}")


class PostgresStatements:
    """Statements with the names of a collection in them.

    Args:
        collection: the name of the schema that holds it.
        extension: the name of the schema that pgvector is in.
    """

    def __init__(self, collection: str, extension: str = "public") -> None:
        self._names = {"schema": quoted(collection), "vector": quoted(extension)}

    def text(self, name: str, **values: str | int) -> str:
        """A statement.

        Args:
            name: which one.
            values: what is put in the place of further names: integers, and names that are quoted already.
        """
        # All names are replaced in one pass, because the replacement of one may look like another.
        names = {**self._names, **values}
        return PLACE.sub(lambda place: str(names[place[1]]), _statements()[name])


def quoted(name: str) -> str:
    """A name as a statement holds it."""
    return '"' + name.replace('"', '""') + '"'


@cache
def _statements() -> dict[str, Any]:
    source = resources.files("hybrid_search").joinpath("data/postgres.json").read_text(encoding="utf-8")
    statements: dict[str, Any] = json.loads(source)
    return statements

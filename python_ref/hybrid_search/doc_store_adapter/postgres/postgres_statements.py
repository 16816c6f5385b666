"""The statements of a collection in PostgreSQL (PG-1), as `data/postgres.json` has them for both languages."""

import json
from functools import cache
from importlib import resources
from typing import Any


class PostgresStatements:
    """Statements with the names of a collection in them.

    Args:
        collection: the name of the schema that holds it.
        extension: the name of the schema that pgvector is in.
    """

    def __init__(self, collection: str, extension: str = "public") -> None:
        self._collection = quoted(collection)
        self._extension = quoted(extension)
        self._texts: dict[str, str] = {}

    def text(self, name: str, **values: str | int) -> str:
        """A statement.

        Args:
            name: which one.
            values: what is put in the place of further names: integers, and names that are quoted already.
        """
        known = self._texts.get(name)
        if known is None:
            known = _statements()[name].replace("{schema}", self._collection).replace("{vector}", self._extension)
            self._texts[name] = known
        for key, value in values.items():
            known = known.replace(f"{{{key}}}", str(value))
        return known


def quoted(name: str) -> str:
    """A name as a statement holds it."""
    return '"' + name.replace('"', '""') + '"'


@cache
def _statements() -> dict[str, Any]:
    source = resources.files("hybrid_search").joinpath("data/postgres.json").read_text(encoding="utf-8")
    statements: dict[str, Any] = json.loads(source)
    return statements

"""The statements of a collection in PostgreSQL, from `data/postgres.json`, which both languages use (PG-1)."""

from hybrid_search.doc_store_adapter.tables.sql_statements import SqlStatements


class PostgresStatements(SqlStatements):
    """Statements with the names of a collection inserted.

    Args:
        collection: the name of the schema of the collection.
        extension: the name of the schema that contains pgvector.
    """

    def __init__(self, collection: str, extension: str = "public") -> None:
        super().__init__("postgres", {"schema": quoted(collection), "vector": quoted(extension)})


def quoted(name: str) -> str:
    """Return a name as a quoted identifier."""
    return '"' + name.replace('"', '""') + '"'

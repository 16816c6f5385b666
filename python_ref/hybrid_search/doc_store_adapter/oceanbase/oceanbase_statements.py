"""The statements of a collection in OceanBase, from `data/oceanbase.json`, which both languages use (OB-1).

Values are written into statements as numbers or in hexadecimal. So no value is ever read as a part of a statement, with
any characters and in any mode of the server.
"""

from collections.abc import Iterable

from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.tables.sql_statements import SqlStatements


class OceanBaseStatements(SqlStatements):
    """Statements with the name of a collection inserted.

    Args:
        collection: the name of the collection, which consists of lower-case letters, digits and `_`.
    """

    def __init__(self, collection: str) -> None:
        super().__init__("oceanbase", {"collection": collection})


def value(given: bytes | str | int | float | None) -> str:
    """Return a value as a part of a statement."""
    if given is None:
        return "null"
    if isinstance(given, float):
        return numeric.shortest(given)
    if isinstance(given, int):
        return str(given)
    return f"x'{(given.encode('utf-8') if isinstance(given, str) else given).hex()}'"


def row(members: Iterable[bytes | str | int | float | None]) -> str:
    """Return values in brackets; there must be one."""
    return f"({','.join(map(value, members))})"


def words(given: str) -> str:
    """Return words of letters, digits and blanks as a text of a statement."""
    return f"'{given}'"

"""The order of documents by their fields, as an expression of the server's (PG-5, DOC-1)."""

from hybrid_search.doc_store_adapter.filters import attributes
from hybrid_search.doc_store_adapter.postgres import postgres_attributes
from hybrid_search.doc_store_adapter.postgres.postgres_attributes import UnholdableError
from hybrid_search.doc_store_adapter.postgres.postgres_statements import PostgresStatements
from hybrid_search.doc_store_adapter.queries.sort_order import SortOrder


class PostgresOrder:
    """What the server orders documents by, ids last; all values are parameters.

    Args:
        order: what is wanted.
        statements: of the collection.

    Raises:
        UnholdableError: the server cannot tell; the library itself must look at every document.

    Attributes:
        text: of the expression.
        values: its parameters, from the first one on.
    """

    def __init__(self, order: SortOrder, statements: PostgresStatements) -> None:
        self.values: list[str] = []
        parts = []
        for path, descending in order.criteria:
            direction = "desc" if descending else "asc"
            if path.name == "id":
                parts.append(statements.text(f"order_id_{direction}"))
                continue
            if not attributes.is_attribute(path.steps[0]):
                raise UnholdableError
            self.values.append(postgres_attributes.escaped(path.name))
            parts.append(statements.text(f"order_{direction}").replace("$name", f"${len(self.values)}::text"))
        self.text = ", ".join(parts)

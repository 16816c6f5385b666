"""The order of documents by their fields as an SQL expression (PG-5, DOC-1)."""

from hybrid_search.doc_store_adapter.filters import attributes
from hybrid_search.doc_store_adapter.postgres import postgres_attributes
from hybrid_search.doc_store_adapter.postgres.postgres_attributes import UnholdableError
from hybrid_search.doc_store_adapter.postgres.postgres_statements import PostgresStatements
from hybrid_search.doc_store_adapter.queries.sort_order import SortOrder


class PostgresOrder:
    """The expression by which the server sorts documents; ids break ties, and all values are parameters.

    Args:
        order: the requested order.
        statements: the statements of the collection.

    Raises:
        UnholdableError: the server cannot decide; the library itself must read every document.

    Attributes:
        text: the text of the expression.
        values: its parameters, the first of which is number 1.
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

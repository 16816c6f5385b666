"""The nearest vectors of a collection in OceanBase (OB-2): the server screens, the library decides."""

import math
import struct
from collections.abc import Sequence

from hybrid_search.base import numeric, ordering
from hybrid_search.doc_store_adapter.base import Ranking
from hybrid_search.doc_store_adapter.documents.stored_document import vector_dimension
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.oceanbase import oceanbase_statements as sql
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_connection import Row
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_tables import EVERYTHING, PART, OceanBaseTables, components
from hybrid_search.doc_store_adapter.queries.match_exprs import DenseQuery
from hybrid_search.doc_store_adapter.tables import vector_screen

MORE = 32
"""The number of documents that are requested in addition to the wanted ones."""


class OceanBaseVectors:
    """Finds the nearest documents of one field, for one search.

    Args:
        tables: the tables in one state.
        query: the query; the field has vectors, and `topn` is above 0.
        filters: the filters.
        approximate: whether an index of approximate neighbours is used, if there is one.

    Attributes:
        read: id → the vector of a document that was read.
    """

    def __init__(self, tables: OceanBaseTables, query: DenseQuery, filters: Filters, approximate: bool) -> None:
        self._connection = tables.connection
        self._tables = tables
        self._query = query
        self._dimension = vector_dimension("field", query.field)
        self._filter = tables.condition(filters)
        self._approximate = approximate and self._filter == EVERYTHING
        self._norm = numeric.norm(query.vector)
        self._place: dict[str, str | int] = {"dimension": self._dimension, "filter": self._filter}
        self.read: dict[str, list[float]] = {}

    def leg(self) -> Ranking:
        """Return the leg, at most `topn` documents."""
        return ordering.rank(self._best())[: self._query.topn]

    def _best(self) -> Ranking:
        """Return documents, among them the best `topn` with all ties of the last."""
        if not vector_screen.can_screen(self._dimension, self._norm):
            return self._unscreened(least=0)
        always = self._unscreened(least=1)
        wanted = min(self._query.topn, self._tables.count)
        if self._approximate and self._connection.rows("indexed", dimension=self._dimension)[0][0]:
            return always + self._scored([number for number, _ in self._asked("approximate", limit=wanted)])
        limit = wanted + MORE
        rows = self._asked("nearest", limit=limit)
        best = always + self._scored([number for number, _ in rows])
        if len(rows) < limit:
            return best
        margin = vector_screen.margin(self._dimension)
        least = self._least([score for _, score in best])
        if rows[-1][1] + margin < least:
            return best
        return always + self._scored([number for number, _ in self._asked("within", least=sql.value(least - margin))])

    def _unscreened(self, least: int) -> Ranking:
        """Return the documents that the server cannot compare (1), or all (0)."""
        return self._scored([number for (number,) in self._asked("always", least=least)])

    def _asked(self, name: str, **values: str | int) -> list[Row]:
        """Return the rows of a statement: numbers of documents, most of them with their approximate cosines."""
        if name != "always":
            values["vector"] = sql.value(struct.pack(f"<{self._dimension}f", *self._query.vector))
        return self._connection.rows(name, **values, **self._place)

    def _scored(self, numbers: Sequence[int]) -> Ranking:
        """Return the exact cosines of documents with sufficient similarity."""
        query, found = self._query, []
        for start in range(0, len(numbers), PART):
            part = sql.row(numbers[start : start + PART])
            for _, identifier, packed in self._connection.rows("scored", dimension=self._dimension, numbers=part):
                vector = components(packed, self._dimension)
                name = identifier.decode("utf-8")
                self.read[name] = vector
                cosine = numeric.cosine_of(query.vector, self._norm, vector, numeric.norm(vector))
                if query.similarity is None or cosine >= query.similarity:
                    found.append((name, cosine))
        return found

    def _least(self, scores: Sequence[float]) -> float:
        """Return the lowest score of a document that can be among the best."""
        least = -math.inf if self._query.similarity is None else self._query.similarity
        if len(scores) < self._query.topn:
            return least
        return max(least, sorted(scores, reverse=True)[self._query.topn - 1])

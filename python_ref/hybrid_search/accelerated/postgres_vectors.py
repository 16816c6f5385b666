"""Finds the nearest vectors of a collection in PostgreSQL (PG-5, PG-6): the server screens, the library decides."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hybrid_search.accelerated import postgres_masks
from hybrid_search.accelerated.fast_dense_index import FastDenseIndex
from hybrid_search.accelerated.posting import Mask, Scores, Slots
from hybrid_search.accelerated.touched_documents import TouchedDocuments
from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.documents.stored_document import vector_dimension
from hybrid_search.doc_store_adapter.postgres import postgres_screen
from hybrid_search.doc_store_adapter.postgres.postgres_connection import Row
from hybrid_search.doc_store_adapter.postgres.postgres_screen import MORE
from hybrid_search.doc_store_adapter.postgres.postgres_tables import SCREEN_HEADER, PostgresTables
from hybrid_search.doc_store_adapter.queries.match_exprs import DenseQuery
from hybrid_search.doc_store_adapter.tables import vector_screen

BYTES_AT_ONCE = 16 << 20
MOST_PARTS = 64
"""The number of parts in which vectors are cached; with more of them, they are read again."""
MOST_INDEXED = 2000
"""The maximum number of components of a vector in an index of approximate neighbours."""
MOST_EXPLORED = 1000
"""The maximum number of candidates that such an index explores at first."""

Found = tuple[Slots, Scores]


class Vectors(NamedTuple):
    """Vectors as rows.

    Attributes:
        vectors: the rows.
        numbers: the document of each row.
        norms: the norm of each row.
    """

    vectors: npt.NDArray[np.float64]
    numbers: Slots
    norms: Scores

    def without(self, numbers: Slots) -> "Vectors":
        """Return the rows of all but some documents, whose numbers are ascending; at least one."""
        left = ~are_among(self.numbers, numbers)
        return self if left.all() else Vectors(self.vectors[left], self.numbers[left], self.norms[left])


class Nearest(NamedTuple):
    """The nearest documents of a question, in one state.

    Attributes:
        numbers: the numbers of the documents, among them the best with all ties of the last.
        scores: their cosines.
        read: the vectors that were read on the way.
        least: a score such that all documents with it or a higher one are among them.
        generation: the generation of the state.
    """

    numbers: Slots
    scores: Scores
    read: list[Vectors]
    least: float
    generation: int


class PostgresVectors:
    """Finds the nearest documents of one field, for one search.

    Args:
        field: the key of the field.
        query: the query; its `topn` is above 0.
        tables: the state.
        allowed: for each number whether it counts, or `None` if all do.

    Attributes:
        read: the vectors that were read on the way.
    """

    def __init__(self, field: int, query: DenseQuery, tables: PostgresTables, allowed: Mask | None) -> None:
        self._field = field
        self._query = query
        self._dimension = vector_dimension("field", query.field)
        self._tables = tables
        self._allowed = allowed
        self._among, self._values = postgres_masks.among(allowed, tables)
        self.read: list[Vectors] = []

    def nearest(self, approximate: bool, generation: int) -> Nearest:
        """Return the nearest documents.

        Args:
            approximate: whether they may come from an index of approximate neighbours.
            generation: the generation of the state.
        """
        numbers, scores, least = self._approximate() if approximate else self._best()
        return Nearest(numbers, scores, self.read, least, generation)

    def nearest_after(self, before: Nearest, touched: TouchedDocuments) -> Nearest | None:
        """Return the nearest documents after a change, `None` if the earlier ones do not suffice to find them.

        Args:
            before: the nearest documents of the same query in an earlier state, not approximate ones.
            touched: the documents that have changed.
        """
        changed = touched.since(before.generation)
        if changed is None or len(before.read) > MOST_PARTS:
            return None
        if not len(changed):
            return before._replace(generation=touched.generation)
        fresh = self._scored([(number, None, *row) for number, row in touched.vectors(self._field, changed)])
        left = ~are_among(before.numbers, changed)
        numbers, scores = self._joined([(before.numbers[left], before.scores[left]), fresh])
        if self._least(scores, self._query.topn) < before.least:  # others may be among the best now
            return None
        best = scores >= before.least
        read = [*(vectors.without(changed) for vectors in before.read), *self.read]
        return Nearest(numbers[best], scores[best], read, before.least, touched.generation)

    def _best(self) -> tuple[Slots, Scores, float]:
        """Return the best with all ties of the last, and the lowest score down to which no document is missing."""
        if not self._can_screen():
            return self._complete(self._joined(self._all("next_vectors")))
        always = self._joined(self._all("unscreened_vectors"))
        limit = self._wanted() + MORE
        rows = self._rows("nearest", limit)
        best = self._joined([always, self._scored(rows)])
        if len(rows) < limit:
            return self._complete(best)
        farthest = 1.0 - max(row[1] for row in rows) + vector_screen.margin(self._dimension)
        least = self._least(best[1], self._query.topn)
        if farthest < least:
            return self._complete(best, farthest)
        beyond = 1.0 - least + vector_screen.margin(self._dimension)
        numbers, scores = self._joined([always, self._scored(self._rows("within", beyond))])
        return numbers, scores, least

    def _approximate(self) -> tuple[Slots, Scores, float]:
        """Return the same as `_best`, but with candidates from an index of approximate neighbours."""
        if not self._can_screen() or self._dimension > MOST_INDEXED or self._allowed is not None:
            return self._best()
        always = self._joined(self._all("unscreened_vectors"))
        connection = self._tables.connection
        connection.run("explore", str(min(MOST_EXPLORED, self._wanted() + MORE)))
        text = connection.statements.text("approximate", dimension=self._dimension, field=self._field)
        rows = connection.rows_of(text, [self._text(), self._wanted()])
        return *self._joined([always, self._scored([row for row in rows if row[1] is not None])]), math.inf

    def _complete(self, found: Found, farthest: float = -math.inf) -> tuple[Slots, Scores, float]:
        """Return the found documents, and the lowest score down to which no document is missing.

        Args:
            found: numbers and scores, among them the best of all documents above `farthest`.
            farthest: the highest score of a document that was not read.
        """
        least = self._least(found[1], self._query.topn + MORE)
        above = found[1][found[1] > farthest]
        return *found, max(least, float(above.min())) if farthest > least and len(above) else least

    def _wanted(self) -> int:
        """Return the maximum number of wanted documents, at most the number of all documents."""
        return min(self._query.topn, self._tables.count)

    def _can_screen(self) -> bool:
        return vector_screen.can_screen(self._dimension, numeric.norm(self._query.vector))

    def _text(self) -> str:
        return postgres_screen.text(self._query.vector)

    def _rows(self, name: str, value: float) -> list[Row]:
        """Return the rows of a statement for the documents that count."""
        connection = self._tables.connection
        among = connection.statements.text(self._among, place=4) if self._among else ""
        text = connection.statements.text(name, among=among)
        return connection.rows_of(text, [self._field, self._text(), value, *self._values])

    def _all(self, name: str) -> Iterator[Found]:
        """Yield all vectors of a statement, part by part."""
        at_once = max(1, BYTES_AT_ONCE // (8 * self._dimension))
        last = -1
        while rows := self._tables.connection.rows(name, self._field, last, at_once):
            yield self._scored([(row[0], None, *row[1:]) for row in rows])
            last = rows[-1][0]

    def _scored(self, rows: Sequence[Row]) -> Found:
        if not rows:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64)
        vectors = _vectors(rows, self._dimension)
        self.read.append(vectors)
        index = FastDenseIndex.of(self._dimension, *vectors)
        return index.best(self._query.vector, self._query.topn + MORE, self._query.similarity, self._allowed)

    def _joined(self, found: "Iterator[Found] | Sequence[Found]") -> Found:
        """Return the best of several parts."""
        numbers, scores = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.float64)]
        for part in found:
            numbers.append(part[0])
            scores.append(part[1])
        return np.concatenate(numbers), np.concatenate(scores)

    def _least(self, scores: Scores, count: int) -> float:
        """Return the lowest score of a document that can be among the best `count`."""
        similarity = self._query.similarity
        least = -math.inf if similarity is None else similarity
        if len(scores) < count:
            return least
        return max(least, float(np.partition(scores, len(scores) - count)[len(scores) - count]))


def are_among(numbers: Slots, ascending: Slots) -> npt.NDArray[np.bool_]:
    """Return for each number whether it is among others. For few of them `np.isin` takes much longer.

    Args:
        numbers: the numbers, in any order.
        ascending: the others, ascending; at least one.
    """
    there: npt.NDArray[np.bool_] = ascending.take(ascending.searchsorted(numbers), None, None, "clip") == numbers
    return there


def _vectors(rows: Sequence[Row], dimension: int) -> Vectors:
    vectors = np.empty((len(rows), dimension), dtype=np.float64)
    for place, (_, _, _, exact, screen) in enumerate(rows):
        if exact is None:
            vectors[place] = np.frombuffer(screen, dtype=">f4", offset=SCREEN_HEADER)
        else:
            vectors[place] = np.frombuffer(exact, dtype="<f8")
    numbers = np.array([row[0] for row in rows], dtype=np.int64)
    return Vectors(vectors, numbers, np.array([row[2] for row in rows], dtype=np.float64))

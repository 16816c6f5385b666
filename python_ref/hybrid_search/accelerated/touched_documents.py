"""The documents that the last changes of a collection have touched (SQL-5, PG-5)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from hybrid_search.accelerated.posting import Slots
from hybrid_search.doc_store_adapter.documents import stored_document
from hybrid_search.doc_store_adapter.snapshot import phrase_matcher
from hybrid_search.doc_store_adapter.tables.document_row import DocumentRow

MOST_TOUCHED = 100
"""The maximum number of documents that are cached; if more of them change, data made before are made again."""

Match = tuple[int, float, int]
"""The number of a document, the frequency of a token or a phrase in a field, and the field's number of tokens."""
Row = Sequence[Any]
Positions = Mapping[str, Sequence[int]]
"""Token → its positions in a field, ascending."""


class TouchedDocuments:
    """The documents of the last changes, in the form of one state.

    Args:
        generation: the generation of the state.
        steps: for each of the last changes the generation before it, and the numbers of the documents that it has
            touched; the latest change last.
        documents: number → document, of those of the steps that are stored.
        vectors: (key of a field, number) → norm and components in the form of the tables, of the same documents.

    Attributes:
        generation: as given.
    """

    def __init__(
        self,
        generation: int,
        steps: Sequence[tuple[int, frozenset[int]]] = (),
        documents: Mapping[int, "TouchedDocument"] | None = None,
        vectors: Mapping[tuple[int, int], Row] | None = None,
    ) -> None:
        self.generation = generation
        self._steps = steps
        self._documents = {} if documents is None else documents
        self._vectors = {} if vectors is None else vectors
        self._since: dict[int, Slots | None] = {}

    def after(
        self, generation: int, touched: Iterable[int], rows: Iterable[DocumentRow], vectors: Iterable[Row] = ()
    ) -> "TouchedDocuments":
        """Return the documents after another change.

        Args:
            generation: the generation of the later state.
            touched: the numbers of the documents that have changed.
            rows: those among them that are stored; not needed if there are too many.
            vectors: the key of the field, the number, the norm and components of their vectors.
        """
        steps = [*self._steps, (self.generation, frozenset(touched))]
        while len(wanted := frozenset().union(*(numbers for _, numbers in steps))) > MOST_TOUCHED:
            steps.pop(0)
        fresh = {row.number: TouchedDocument(row.fields) for row in rows if row.number in wanted}
        left = wanted.difference(touched)
        kept = {number: one for number, one in self._documents.items() if number in left}
        found = {(field, number): row for field, number, *row in vectors if number in wanted}
        other = {key: row for key, row in self._vectors.items() if key[1] in left}
        return TouchedDocuments(generation, steps, {**kept, **fresh}, {**other, **found})

    def since(self, generation: int) -> Slots | None:
        """Return the numbers of the documents that have changed since a generation, ascending; `None` if not known.

        There may be more: a change that is noted as one may have begun before it.
        """
        if generation not in self._since:
            self._since[generation] = self._changed_since(generation)
        return self._since[generation]

    def vectors(self, field: int, numbers: Slots) -> list[tuple[int, Row]]:
        """Return the vectors that some documents have in a field, each with the number of its document."""
        keys = ((field, number) for number in numbers.tolist())
        return [(key[1], self._vectors[key]) for key in keys if key in self._vectors]

    def matches(self, key: tuple[str, tuple[str, ...], int], numbers: Slots) -> list[Match]:
        """Return those of some documents that contain a token or a phrase, in the order of their numbers.

        Args:
            key: the name of a field, a token or those of a phrase, and the slop.
            numbers: the numbers of documents of the steps.
        """
        field, tokens, slop = key
        found = []
        for number in numbers.tolist():
            document = self._documents.get(number, REMOVED)
            frequency = document.frequency(field, tokens, slop)
            if frequency > 0:
                found.append((number, frequency, document.length(field)))
        return found

    def _changed_since(self, generation: int) -> Slots | None:
        starts = [*(before for before, _ in self._steps), self.generation]
        if generation < starts[0]:
            return None
        later = (numbers for end, (_, numbers) in zip(starts[1:], self._steps, strict=True) if end > generation)
        return np.array(sorted(frozenset().union(*later)), dtype=np.int64)


class TouchedDocument:
    """The tokens of a document, of the requested fields.

    Args:
        fields: its fields.
    """

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields
        self._known: dict[str, tuple[int, Positions]] = {}

    def length(self, field: str) -> int:
        """Return the number of tokens of a field."""
        return self._field(field)[0]

    def frequency(self, field: str, tokens: Sequence[str], slop: int) -> float:
        """Return the frequency of a token or a phrase in a field."""
        positions = self._field(field)[1]
        if len(tokens) == 1:
            return len(positions.get(tokens[0], ()))
        places = [positions.get(token, ()) for token in tokens]
        if min(map(len, places)) == 0:
            return 0
        if slop == 0:
            return phrase_matcher.exact_frequency(places)
        return phrase_matcher.sloppy_frequency(places, slop, len(positions_of(tokens)) < len(tokens))

    def _field(self, field: str) -> tuple[int, Positions]:
        if field not in self._known:
            tokens = stored_document.tokens(field, self._fields[field]) if field in self._fields else []
            self._known[field] = (len(tokens), positions_of(tokens))
        return self._known[field]


REMOVED = TouchedDocument({})
"""The remainder of a document that was removed."""


def positions_of(tokens: Iterable[str]) -> dict[str, list[int]]:
    """Return token → its positions, ascending."""
    positions: dict[str, list[int]] = {}
    for position, token in enumerate(tokens):
        positions.setdefault(token, []).append(position)
    return positions

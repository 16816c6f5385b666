"""What transactions have read of the last state of a collection in PostgreSQL (PG-5)."""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from hybrid_search.doc_store_adapter.postgres.postgres_connection import PostgresConnection, Row
from hybrid_search.doc_store_adapter.tables.posting_tables import FieldRow
from hybrid_search.doc_store_adapter.vector_models import VectorSource

FIELD, SOURCE, CHANGE = 5, 6, 8
"""The parts of a row of `state_since`: a field, whether it has a source, the source, and a change."""


class StateInTransaction(Protocol):
    """The state that a transaction sees."""

    connection: PostgresConnection
    generation: int
    state: str


class ReadState(NamedTuple):
    """What was read in one state.

    Attributes:
        state: the state.
        generation: its generation.
        fields: name → field, for all fields that documents have ever had.
        sources: the stored sources of vector fields.
        since: the generation of the state that was read before.
        changes: the changes noted since then.
    """

    state: str
    generation: int
    fields: dict[str, FieldRow]
    sources: dict[str, VectorSource]
    since: int
    changes: list[Row]

    def changes_since(self, generation: int) -> list[Row] | None:
        """Return the changes noted since a generation; `None` if others were read."""
        return self.changes if generation == self.since else None


class PostgresState:
    """Reads at once what transactions need after a change; those that follow in the same state find it here."""

    def __init__(self) -> None:
        self._last: ReadState | None = None

    def at(self, seen: StateInTransaction) -> ReadState:
        """Return the data of the state in the view of a transaction."""
        last = self._last
        if last is None or last.state != seen.state:
            since = seen.generation if last is None else last.generation
            rows = seen.connection.rows("state_since", since)
            fields = fields_of(row[:FIELD] for row in rows if row[0] is not None)
            sources = sources_of((row[1], *row[SOURCE:CHANGE]) for row in rows if row[FIELD])
            changes = sorted(row[CHANGE:] for row in rows if row[CHANGE] is not None)
            last = ReadState(seen.state, seen.generation, fields, sources, since, changes)
            self._last = last
        return last


def fields_of(rows: Iterable[Row]) -> dict[str, FieldRow]:
    """Return name → field."""
    return {
        name.decode("utf-8"): FieldRow(field, name.decode("utf-8"), documents, tokens, filled)
        for field, name, documents, tokens, filled in rows
    }


def sources_of(rows: Iterable[Row]) -> dict[str, VectorSource]:
    """Return vector field → its stored source."""
    return {
        field.decode("utf-8"): VectorSource(None if model is None else model.decode("utf-8"), origin)
        for field, model, origin in rows
    }

"""Records the sessions of `requests.connections`: calls of a store on a real PostgreSQL server, and the rows that came.

`sessions.yml` has the calls. A call `{other: …}` is one of another store of the same collection, which is not recorded.
A session with `drawn` has the calls of a history: `{seed, changes, questions}`; the other store makes some changes.
`HYBRID_SEARCH_POSTGRES_URL` names the server; each session begins without its collection and leaves none.
"""

import importlib
import json
import os
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from conformance.generators.histories import History
from conformance.implementations.python.operations import requests
from conformance.paths import ROOT
from conformance.yaml_files import load
from hybrid_search.doc_store_adapter.postgres import postgres_library
from hybrid_search.doc_store_adapter.postgres.postgres_doc_store import PostgresDocStore

SESSIONS = Path(__file__).with_name("sessions.yml")
CASES = ROOT / "fixtures/cases/requests/connections.sessions.yml"
ADDRESS = "HYBRID_SEARCH_POSTGRES_URL"
CHANGES = {"insert", "update", "upsert", "delete"}
OF_ANOTHER = 0.3
"""The share of the changes of a drawn history that another store makes."""
HEAD = """operation: requests.connections
theme: sessions
clauses: [PG-1, PG-3, PG-5]
params: {}
cases:
"""


def files() -> list[tuple[Path, bytes]]:
    """Record all sessions; the file of their cases."""
    cases = [_case(place, one) for place, one in enumerate(load(SESSIONS), start=1)]
    return [(CASES, (HEAD + "".join(cases)).encode("utf-8"))]


class Recorder:
    """psycopg, whose cursors keep the rows of each statement."""

    def __init__(self) -> None:
        self._library = importlib.import_module("psycopg")
        self.kept: list[list[Any]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)

    def RawCursor(self, connection: Any, row_factory: Any) -> "Cursor":  # noqa: N802 -- psycopg's name
        """Return a cursor."""
        return Cursor(self._library.RawCursor(connection, row_factory=row_factory), self.kept)


class Cursor:
    """A cursor of psycopg, which keeps the rows of each statement."""

    def __init__(self, cursor: Any, kept: list[list[Any]]) -> None:
        self._cursor = cursor
        self._kept = kept
        self._rows: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)

    def execute(self, *arguments: Any, **how: Any) -> "Cursor":
        """Run a statement."""
        self._cursor.execute(*arguments, **how)
        self._begin()
        return self

    def fetchall(self) -> list[Any]:
        """Return the rows."""
        rows: list[Any] = self._cursor.fetchall()
        self._rows.extend(rows)
        return rows

    def fetchone(self) -> Any:
        """Return the first row."""
        row = self._cursor.fetchone()
        self._rows.extend([] if row is None else [row])
        return row

    @contextmanager
    def copy(self, text: str) -> Iterator[Any]:
        """Copy rows."""
        with self._cursor.copy(text) as copied:
            yield copied
        self._begin()

    def _begin(self) -> None:
        self._rows = []
        self._kept.append(self._rows)


def _case(place: int, session: dict[str, Any]) -> str:
    options = session.get("options", {})
    calls = session["calls"] if "calls" in session else _drawn(**session["drawn"])
    _drop(options)
    kept = _recorded(calls, options)
    _drop(options)
    given = {"session": kept, "calls": [call for call in calls if "other" not in call]}
    lines = [
        f"  - id: requests.connections.sessions.{place:03}",
        f"    summary: {json.dumps(session['summary'], ensure_ascii=False)}",
        "    flags: [boundary]",
        f"    params: {json.dumps({'options': options}, ensure_ascii=False)}",
        f"    input: {json.dumps(given)}",
    ]
    return "".join(f"{line}\n" for line in lines)


def _drawn(seed: int, changes: int, questions: int) -> list[dict[str, Any]]:
    """The steps of a history; another store makes some of its changes."""
    drawn = random.Random(seed)
    steps = History(seed).steps(changes, questions)
    return [{"other": step} if _is_change(step) and drawn.random() < OF_ANOTHER else step for step in steps]


def _is_change(step: dict[str, Any]) -> bool:
    return not CHANGES.isdisjoint(step)


def _recorded(calls: Sequence[dict[str, Any]], options: dict[str, Any]) -> list[list[Any]]:
    """The place and the rows of each statement with rows."""
    before, recorder = postgres_library.load, Recorder()
    other = PostgresDocStore(os.environ[ADDRESS], **options) if any("other" in call for call in calls) else None
    try:
        postgres_library.load = lambda: recorder
        store: Any = PostgresDocStore(os.environ[ADDRESS], kernels="fast", **options)
        for call in calls:
            if "other" in call:
                postgres_library.load = before
                requests._step(other, call["other"])
                if "drop" in call["other"]:
                    other = PostgresDocStore(os.environ[ADDRESS], **options)
                postgres_library.load = lambda: recorder
            else:
                requests._step(store, call)
        store.close()
    finally:
        postgres_library.load = before
    return [[place, [_plain(row) for row in rows]] for place, rows in enumerate(recorder.kept) if rows]


def _plain(row: Sequence[Any]) -> list[Any]:
    return [requests._shown(value) if isinstance(value, bytes) else value for value in row]


def _drop(options: dict[str, Any]) -> None:
    with PostgresDocStore(os.environ[ADDRESS], **options) as store:
        store.drop()

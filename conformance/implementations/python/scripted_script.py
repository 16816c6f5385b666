"""A case as the servers of psycopg and pymysql (PG-3, PG-4, OB-3, OB-4).

A case states, by the beginning of a statement, its rows (`base`, or `rows`), those of its `first` calls, and its
`errors`, one for each call: null for success, or `{code, message, lost, late, seconds}`. `connects` has the outcomes of
connecting, and `parsed` is the content of a connection string, or null for one that libpq does not accept.

A `session` is what a real server returned, as `conformance.generators.sessions` recorded it: for each statement with
rows its place among all statements, and the rows.
"""

import hashlib
from collections.abc import Callable
from typing import Any

Value = Callable[[Any], Any]
BEGINNING = 40
"""The number of characters of a request of a recorded session that are noted."""


class Script:
    """What the servers of a case do, and what they are asked.

    Args:
        given: the input of the case.
        value: returns a value of a row.
    """

    def __init__(self, given: dict[str, Any], value: Value) -> None:
        self.parsed: dict[str, str] | None = given.get("parsed", {})
        self.clock = 0.0
        self._rows = {**given.get("base", {}), **given.get("rows", {})}
        self._first = {begin: list(rows) for begin, rows in given.get("first", {}).items()}
        self._errors = {begin: list(errors) for begin, errors in given.get("errors", {}).items()}
        self._connects = list(given.get("connects", []))
        self._session = None if "session" not in given else dict(given["session"])
        self._asked = -1
        self._value = value
        self._noted: list[Any] = []

    def note(self, what: Any) -> None:
        """Note a request."""
        self._noted.append(what)

    def taken(self) -> list[Any]:
        """The requests since the last call."""
        taken, self._noted = self._noted, []
        return taken

    def connecting(self) -> dict[str, Any] | None:
        """The error of the next attempt to connect, if any."""
        return self._connects.pop(0) if self._connects else None

    def error(self, text: str) -> dict[str, Any] | None:
        """The error of a statement, if any."""
        begin = _longest(text, [begin for begin, errors in self._errors.items() if errors])
        return None if begin is None else self._errors[begin].pop(0)

    def rows(self, text: str) -> list[tuple[Any, ...]]:
        """The rows of a statement, called once for each."""
        if self._session is not None:
            self._asked += 1
            return [tuple(map(self._value, row)) for row in self._session.get(self._asked, [])]
        begin = _longest(text, [begin for begin, rows in self._first.items() if rows])
        if begin is not None:
            rows = self._first[begin].pop(0)
        else:
            begin = _longest(text, list(self._rows))
            rows = [] if begin is None else self._rows[begin]
        return [tuple(map(self._value, row)) for row in rows]


def mark(asked: Any) -> list[str]:
    """Return the beginning of a request of a recorded session, and a digest of it with its values."""
    digest = hashlib.sha256(_flat(asked).encode("utf-8")).hexdigest()
    return [_flat(asked if isinstance(asked, str) else asked[0])[:BEGINNING], digest[:16]]


def _flat(value: Any) -> str:
    """Return a request as one text that is the same in all languages."""
    if isinstance(value, dict):
        return "{" + "".join(f"{name}:{_flat(one)}\n" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + "".join(f"{_flat(one)}\n" for one in value) + "]"
    return "null" if value is None else str(value)


def _longest(text: str, begins: list[str]) -> str | None:
    """Return the longest beginning of a statement, or of the last of several."""
    fit = [begin for begin in begins if text.startswith(begin) or f"; {begin}" in text]
    return max(fit, key=len) if fit else None

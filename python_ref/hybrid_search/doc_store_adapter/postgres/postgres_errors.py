"""Translates errors of PostgreSQL into errors of this library (PG-4)."""

import json

from hybrid_search.base import validation
from hybrid_search.errors import DocStoreError, UnknownOutcomeError

UNKNOWN_OUTCOME = "lost its connection during the commit: whether the batch is stored is not known"
LOST = "lost its connection; nothing of a batch is stored"
MESSAGES = {
    "25006": "can only be read",
    "28000": "cannot be reached: the server refused the user",
    "28P01": "cannot be reached: the server refused the password",
    "3D000": "cannot be reached: there is no such database",
    "3F000": "does not exist; `hybrid-search postgres migrate` makes it",
    "2BP01": "cannot be removed: other objects of the database depend on its tables",
    "42501": "cannot be used: the user has not the right to do so",
    "42P01": "does not exist; `hybrid-search postgres migrate` makes it",
    "53100": "cannot be written: the disk is full; nothing of the batch is stored",
    "53300": "cannot be reached: the server has too many connections",
}
"""The server's error code → the message about the collection."""

OWN_WORDS = "connection failed: "
CONNECTION_CLASSES = ("08", "57P", "25P03")
"""The beginnings of the codes with which a server ends a connection."""


def failure(collection: str, what: str) -> DocStoreError:
    """Return the error with a message about a collection."""
    return DocStoreError(f"the collection {json.dumps(collection, ensure_ascii=False)} {what}")


def unknown_outcome(collection: str) -> UnknownOutcomeError:
    """Return the error for a batch that may or may not be stored."""
    return UnknownOutcomeError(str(failure(collection, UNKNOWN_OUTCOME)))


def code(error: BaseException) -> str:
    """Return the server's error code; empty if the error is not the server's."""
    return str(getattr(error, "sqlstate", None) or "")


def is_lost(error: BaseException) -> bool:
    """Return whether an error means that an open connection is lost."""
    return not code(error) or code(error).startswith(CONNECTION_CLASSES)


def late(collection: str, timeout: float) -> DocStoreError:
    """Return the error for a server that did not respond in time."""
    return failure(collection, f"did not answer within {validation.describe(timeout)} seconds")


def translated(collection: str, timeout: float, error: Exception, is_late: bool = False) -> DocStoreError:
    """Return the library's error for an error of a statement.

    Args:
        collection: the name of the collection.
        timeout: the maximum number of seconds for a statement.
        error: the error that psycopg raised.
        is_late: whether psycopg raised it because the server did not respond.
    """
    found = code(error)
    if is_late or found in ("57014", "55P03"):
        return late(collection, timeout)
    if found in MESSAGES:
        return failure(collection, MESSAGES[found])
    if is_lost(error) and type(error).__name__ != "ProgrammingError":
        return failure(collection, LOST)
    return failure(collection, f"failed: {_first_line(error)}")


def unreachable(collection: str, error: Exception) -> DocStoreError:
    """Return the library's error for a failed connection; it does not repeat the connection string."""
    if code(error) in MESSAGES:
        return failure(collection, MESSAGES[code(error)])
    if type(error).__name__ == "ProgrammingError":
        return failure(collection, "cannot be reached: the text of the connection is not one that PostgreSQL accepts")
    return failure(collection, f"cannot be reached: {_first_line(error)}")


def _first_line(error: Exception) -> str:
    """Return the first line of libpq's message, without the prefix that only psycopg adds."""
    return (validation.plain_message(error).splitlines() or [""])[0].removeprefix(OWN_WORDS)

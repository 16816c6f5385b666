"""What PostgreSQL says, in the words of the library (PG-4)."""

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
"""The server's code → what it says of a collection."""

OWN_WORDS = "connection failed: "
CONNECTION_CLASSES = ("08", "57P", "25P03")
"""How the codes begin with which a server ends a connection."""


def failure(collection: str, what: str) -> DocStoreError:
    """The error of a collection."""
    return DocStoreError(f"the collection {json.dumps(collection, ensure_ascii=False)} {what}")


def unknown_outcome(collection: str) -> UnknownOutcomeError:
    """The error of a batch of which it is not known whether it is stored."""
    return UnknownOutcomeError(str(failure(collection, UNKNOWN_OUTCOME)))


def code(error: BaseException) -> str:
    """The server's code; empty where the error is not the server's."""
    return str(getattr(error, "sqlstate", None) or "")


def is_lost(error: BaseException) -> bool:
    """Whether an error of an open connection says that it is one no more."""
    return not code(error) or code(error).startswith(CONNECTION_CLASSES)


def late(collection: str, timeout: float) -> DocStoreError:
    """The error of a collection whose server is not heard of in time."""
    return failure(collection, f"did not answer within {validation.describe(timeout)} seconds")


def translated(collection: str, timeout: float, error: Exception, is_late: bool = False) -> DocStoreError:
    """The error of the library for one of a statement.

    Args:
        collection: its name.
        timeout: how many seconds a statement may take.
        error: what psycopg raised.
        is_late: whether it did so because the server was silent.
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
    """The error of the library where no connection can be made; a text that tells how is not repeated."""
    if code(error) in MESSAGES:
        return failure(collection, MESSAGES[code(error)])
    if type(error).__name__ == "ProgrammingError":
        return failure(collection, "cannot be reached: the text of the connection is not one that PostgreSQL accepts")
    return failure(collection, f"cannot be reached: {_first_line(error)}")


def _first_line(error: Exception) -> str:
    """What libpq says first; psycopg's own words before it are none of Ruby's."""
    return (validation.plain_message(error).splitlines() or [""])[0].removeprefix(OWN_WORDS)

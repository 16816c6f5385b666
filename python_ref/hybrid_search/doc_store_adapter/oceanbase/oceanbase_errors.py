"""Translates errors of OceanBase into errors of this library (OB-4)."""

import json

from hybrid_search.base import validation
from hybrid_search.errors import DocStoreError, UnknownOutcomeError

UNKNOWN_OUTCOME = "did not confirm the commit: whether the batch is stored is not known"
LOST = "lost its connection; nothing of a batch is stored"
FORBIDDEN = "cannot be used: the user has not the right to do so"
FULL = "cannot be written: the disk is full; nothing of the batch is stored"
MISSING = "does not exist; a store with migrate makes it"
MESSAGES = {
    1021: FULL,
    1040: "cannot be reached: the server has too many connections",
    1044: FORBIDDEN,
    1045: "cannot be reached: the server refused the user or the password",
    1049: "cannot be reached: there is no such database",
    1054: "holds other tables than a collection has",
    1114: FULL,
    1142: FORBIDDEN,
    1146: MISSING,
    1227: FORBIDDEN,
    2026: "cannot be reached: there is no TLS connection that the certificates prove",
    4184: FULL,
}
"""The server's error code → the message about the collection."""

LATE = (1205, 4012)
"""The codes for a statement, or for waiting for another writer, that took too long."""
CONNECTION_CODES = (0, 2002, 2003, 2006, 2013, 2014, 2055)
"""The codes for a connection that failed."""
ROLLED_BACK = (1213, 6002)
"""The codes for a commit that certainly failed."""


def failure(collection: str, what: str) -> DocStoreError:
    """Return the error with a message about a collection."""
    return DocStoreError(f"the collection {json.dumps(collection, ensure_ascii=False)} {what}")


def unknown_outcome(collection: str) -> UnknownOutcomeError:
    """Return the error for a batch that may or may not be stored."""
    return UnknownOutcomeError(str(failure(collection, UNKNOWN_OUTCOME)))


def code(error: BaseException) -> int:
    """Return the server's error code, or that of the client; 0 if the error has none."""
    given = None if isinstance(error, OSError) or not error.args else error.args[0]
    return given if isinstance(given, int) else 0


def late(collection: str, timeout: float) -> DocStoreError:
    """Return the error for a server that did not respond in time."""
    return failure(collection, f"did not answer within {validation.describe(timeout)} seconds")


def translated(collection: str, timeout: float, error: Exception, is_late: bool) -> DocStoreError:
    """Return the library's error for an error of a statement.

    Args:
        collection: the name of the collection.
        timeout: the maximum number of seconds for a statement.
        error: the error that the driver raised.
        is_late: whether the server did not respond within that time.
    """
    found = code(error)
    if found in LATE or (is_late and found in CONNECTION_CODES):
        return late(collection, timeout)
    if found in MESSAGES:
        return failure(collection, MESSAGES[found])
    return failure(collection, LOST if found in CONNECTION_CODES else f"failed: {_told(error)}")


def unreachable(collection: str, timeout: float, error: Exception, is_late: bool) -> DocStoreError:
    """Return the library's error for a failed connection."""
    found = code(error)
    if found in MESSAGES:
        return failure(collection, MESSAGES[found])
    if is_late:
        return late(collection, timeout)
    if found in CONNECTION_CODES:
        return failure(collection, "cannot be reached: the server does not accept connections")
    return failure(collection, f"cannot be reached: {_told(error)}")


def _told(error: Exception) -> str:
    """Return the code of an error; the server's message may repeat a part of a statement."""
    return f"error {code(error)} of the server"

"""Translates errors of SQLite into those of the library (SQL-4)."""

import json
import sqlite3

from hybrid_search.base import validation
from hybrid_search.errors import DocStoreError, HybridSearchError, IndexCorruptError

SIGNS_OF_DAMAGE = (
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_MISMATCH,
)
"""The primary result codes that no statement of the library causes in sound tables."""
DAMAGED = "is damaged; take a copy of it, or build it again"
CANNOT_LOG = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)
"""The primary result codes for files next to the database that SQLite cannot create."""
OPEN_ELSEWHERE = (
    "cannot be opened: a process still has the file open that this one has replaced; close it there, or let it be used "
    "once, which it will refuse"
)
REPLACED = "was replaced or removed after it was opened; open it again"
WAITING = "cannot be opened: changes wait in the -wal file next to it, and this process cannot write there"
NO_INDEX = "is no index file"
MESSAGES = {
    sqlite3.SQLITE_CANTOPEN: "cannot be opened",
    sqlite3.SQLITE_FULL: "cannot be written: the disk is full; nothing of the batch is stored",
    sqlite3.SQLITE_IOERR: "cannot be read or written: the disk failed",
    sqlite3.SQLITE_NOTADB: NO_INDEX,
    sqlite3.SQLITE_PERM: "cannot be opened",
    sqlite3.SQLITE_READONLY: "can only be read",
    sqlite3.SQLITE_TOOBIG: "cannot hold a value of this size",
}
"""The primary result code → its meaning for the file."""


def failure(path: str, what: str) -> DocStoreError:
    """Return the error of a file."""
    return DocStoreError(f"the index file {json.dumps(path, ensure_ascii=False)} {what}")


def damaged(path: str) -> IndexCorruptError:
    """Return the error of a file whose contents differ from what was written."""
    return IndexCorruptError(f"the index file {json.dumps(path, ensure_ascii=False)} {DAMAGED}")


def code(error: BaseException) -> int:
    """Return SQLite's primary result code, or 0 for an error without one."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def unwritable(path: str, error: sqlite3.Error) -> DocStoreError:
    """Return the error of a read-only file.

    Args:
        path: the path of the file.
        error: the error that SQLite raised when it could not create the files that it needs to write.
    """
    full = code(error) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
    return failure(path, MESSAGES[sqlite3.SQLITE_FULL if full else sqlite3.SQLITE_READONLY])


def translated(path: str, timeout: float, error: sqlite3.Error) -> HybridSearchError:
    """Return the error of the library for one of SQLite.

    Args:
        path: the path of the file.
        timeout: the time of the wait for other writers, in seconds.
        error: the exception of SQLite.
    """
    result = code(error)
    if result in SIGNS_OF_DAMAGE:
        return damaged(path)
    if result in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        waited = validation.describe(timeout)
        return failure(path, f"is locked: another process has not let go of it for {waited} seconds")
    return failure(path, MESSAGES.get(result, f"failed: {validation.plain_message(error)}"))

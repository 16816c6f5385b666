"""The file at the path of an index, and the log that SQLite stores next to it (SQL-4)."""

import os
import stat
import struct
import sys
from contextlib import suppress

from hybrid_search.base.system_path import system_path
from hybrid_search.doc_store_adapter.sqlite import sqlite_errors
from hybrid_search.errors import DocStoreError

MAGIC = b"SQLite format 3\0"
LOG_MAGIC = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
LOG_HEADER, FRAME_HEADER = 32, 24
USED = (128, 1)
"""The bytes of the -shm file that a process locks as long as it uses the file."""
SHARED = (0x40000002, 510)
"""The bytes of the file itself that a process locks as long as it has the file open."""
LOCK = struct.Struct("hhqqi4x")
"""The format of the argument and of the result of fcntl's F_GETLK on Linux."""

FOREIGN_LOG = (
    "cannot be opened: the -wal file next to it belongs to another index file, which this one has replaced; close the "
    "programs that still have that one open, then remove the -wal and -shm files"
)

FileKey = tuple[int, int]
"""Device and inode of a file."""
Version = tuple[int, int, int, bool]
"""Inode, size and time of the last change, and whether there is a log."""


class SqlitePlace:
    """A path of an index file.

    Args:
        path: the given path.
    """

    def __init__(self, path: str) -> None:
        self._given = path
        self._path = system_path(path)
        self._log = f"{self._path}-wal"

    def check(self, read_only: bool) -> None:
        """Refuse a path at which no index file can be opened.

        Args:
            read_only: whether the file must exist.

        Raises:
            DocStoreError: no file can be opened at the path.
        """
        if os.path.isdir(self._path):
            raise self._failure("is a directory")
        if not os.path.isdir(os.path.dirname(os.path.abspath(self._path))):
            raise self._failure("cannot be opened: its directory does not exist")
        if os.path.exists(self._path):
            if not stat.S_ISREG(os.stat(self._path).st_mode):
                raise self._failure("is not a regular file")
        elif read_only:
            raise self._failure("does not exist")

    def check_content(self) -> None:
        """Refuse a file that is not a database; SQLite takes a short one for an empty database.

        Closing a file removes all locks that the process has on it. So the process must not have the file open.
        """
        if not os.path.exists(self._path):
            return
        try:
            with open(self._path, "rb") as file:
                head = file.read(len(MAGIC))
        except OSError:
            raise self._failure("cannot be opened") from None
        if head not in (b"", MAGIC):
            raise self._failure(sqlite_errors.NO_INDEX)

    def key(self) -> FileKey | None:
        """Return the identity of the file at the path, or `None` if there is no file."""
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def version(self) -> Version:
        """Return a value that changes if the file is written to or replaced.

        Raises:
            DocStoreError: there is no file, as one cannot be made at the path.
        """
        try:
            found = os.stat(self._path)
        except OSError:
            raise self._failure("cannot be opened") from None
        return found.st_ino, found.st_size, found.st_mtime_ns, self.log_size() > 0

    def log_size(self) -> int:
        """Return the size of the log, 0 if there is no log."""
        return os.path.getsize(self._log) if os.path.exists(self._log) else 0

    def is_of_another(self) -> bool:
        """Return whether the -shm file belongs to a replaced file: a process uses it, but none has this file open.

        Works on Linux only. As for `check_content`, this process must have neither file open.
        """
        return _is_locked(f"{self._path}-shm", USED) and not _is_locked(self._path, SHARED)

    def check_log(self, page: int, mark: bytes) -> None:
        """Refuse a log that was written for another file: SQLite would apply it to this one.

        Each transaction writes the page of `state`, with its own mark and that of the previous transaction. A log of
        this file therefore contains one such page with the mark that is in the file.

        Args:
            page: the number of the page of `state`.
            mark: the mark in the file.

        Raises:
            DocStoreError: the log was written for another file.
        """
        seen = False
        try:
            with open(self._log, "rb") as log:
                header = log.read(LOG_HEADER)
                if header[:4] not in LOG_MAGIC:
                    return
                size = int.from_bytes(header[8:12], "big")
                while len(frame := log.read(FRAME_HEADER)) == FRAME_HEADER and frame[8:16] == header[16:24]:
                    if int.from_bytes(frame[:4], "big") != page:
                        log.seek(size, os.SEEK_CUR)
                        continue
                    seen = True
                    if mark in log.read(size):
                        return
        except FileNotFoundError:
            return
        except OSError:
            raise self._failure("cannot be opened") from None
        if seen:
            raise self._failure(FOREIGN_LOG)

    def _failure(self, what: str) -> DocStoreError:
        return sqlite_errors.failure(self._given, what)


def _is_locked(path: str, place: tuple[int, int]) -> bool:
    """Return whether another process has a lock."""
    if sys.platform != "linux":
        return False
    import fcntl

    with suppress(OSError), open(path, "rb") as file:
        answer = fcntl.fcntl(file, fcntl.F_GETLK, LOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, *place, 0))
        return bool(LOCK.unpack(answer)[0] != fcntl.F_UNLCK)
    return False

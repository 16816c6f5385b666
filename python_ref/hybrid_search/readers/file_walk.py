"""Finds the files that paths, folders and patterns name (FIL-1)."""

import copy
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from hybrid_search.base import validation
from hybrid_search.base.system_path import shown_path, system_path
from hybrid_search.errors import InvalidInputError
from hybrid_search.readers import file_kinds
from hybrid_search.readers.glob_pattern import GlobPattern, is_magic

VERSION_CONTROL = ("CVS", "_darcs")
"""The folders of version control whose names do not begin with a full stop."""
SYMBOLIC_LINK = "a symbolic link"
NOT_REGULAR = "not a regular file"
NOT_UNICODE = "its name is not valid UTF-8"


@dataclass(frozen=True)
class FoundFile:
    """A file to read.

    Attributes:
        path: its path in plain form, as in records.
        kind: one of the kinds of `file_kinds`.
    """

    path: str
    kind: str


@dataclass(frozen=True)
class SkippedFile:
    """A file that is not read.

    Attributes:
        path: its path.
        reason: the reason why it is not read.
    """

    path: str
    reason: str


class FileWalk:
    """Finds files, in the order of the paths and, within a folder, of the names.

    Args:
        paths: files, folders, and patterns with `*`, `?` and `**`.

    Raises:
        InvalidInputError: a path is empty, or does not exist.

    Attributes:
        skipped: the files in folders that have been skipped so far.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self._files: list[str] = []
        self._places: list[tuple[str, GlobPattern | None]] = []
        self.skipped: list[SkippedFile] = []
        for path in paths:
            self._places.append(self._place(path))

    def files(self) -> Iterator[FoundFile]:
        """Find the files, each once."""
        seen: set[str] = set()
        for place, pattern in self._places:
            for path in self._named(place) if place in self._files else self._below(place):
                if path in seen or (pattern is not None and not pattern.matches(path)):
                    continue
                seen.add(path)
                kind = file_kinds.kind_of(path)
                if kind is None and place in self._files:
                    kind = file_kinds.JSONL if not file_kinds.extension_of(path) else file_kinds.UNKNOWN
                if kind is not None:
                    yield FoundFile(path, kind)
                else:
                    self.skipped.append(SkippedFile(path, f"no reader for {_end(path)}"))

    def covers(self, path: str) -> bool:
        """Return whether a file of this path would be found, if it existed."""
        for place, pattern in self._places:
            if pattern is not None:
                if pattern.matches(path):
                    return True
            elif place == path or (place not in self._files and _is_within(path, place)):
                return True
        return False

    def names(self, path: str) -> bool:
        """Return whether the paths of the walk name exactly this file."""
        return path in self._files

    @property
    def folders(self) -> list[str]:
        """The folders that contain its files; "" is the current folder."""
        return [place.rpartition("/")[0] if place in self._files else place for place, _ in self._places]

    def again(self) -> Self:
        """Return a later walk over the same paths. Files that were named may be missing by then.

        Raises:
            InvalidInputError: a folder is missing.
        """
        for place, _ in self._places:
            if place not in self._files and not os.path.isdir(system_path(place or ".")):
                raise InvalidInputError(f"{validation.describe(place)} is neither a file nor a folder")
        fresh = copy.copy(self)
        fresh.skipped = []
        return fresh

    def _named(self, path: str) -> Iterator[str]:
        if os.path.lexists(system_path(path)):  # it may have been removed since
            yield path

    def _place(self, path: str) -> tuple[str, GlobPattern | None]:
        plain = plain_path(path)
        if os.path.isdir(system_path(plain or ".")):
            return plain, None
        if os.path.exists(system_path(plain)):
            self._files.append(plain)
            return plain, None
        if is_magic(plain):
            pattern = GlobPattern(plain)
            if os.path.isdir(system_path(pattern.folder or ".")):
                return pattern.folder, pattern
        raise InvalidInputError(f"{validation.describe(path)} is neither a file nor a folder")

    def _below(self, folder: str) -> Iterator[str]:
        """Yield the regular files in a folder and its subfolders; links are never followed, so there are no circles."""
        waiting = [folder]
        while waiting:
            current = waiting.pop()
            folders = []
            for name in self._names(current):
                path = _inside(current) + name
                try:
                    mode = os.lstat(system_path(path)).st_mode
                except FileNotFoundError:  # removed meanwhile
                    continue
                if _is_hidden(name) or (name in VERSION_CONTROL and stat.S_ISDIR(mode)):
                    continue
                if stat.S_ISDIR(mode):
                    folders.append(path)
                elif stat.S_ISREG(mode) and _is_unicode(path):
                    yield path
                else:
                    self._skip(path, mode)
            waiting += reversed(folders)

    def _names(self, folder: str) -> list[str]:
        """Return the names in a folder, in the order of their bytes; a folder that cannot be read is skipped."""
        try:
            names = sorted(os.listdir(system_path(folder or ".")), key=os.fsencode)
            return [shown_path(name) for name in names]
        except OSError as problem:
            self.skipped.append(SkippedFile(folder or ".", os.strerror(problem.errno or 0)))
            return []

    def _skip(self, path: str, mode: int) -> None:
        reason = NOT_UNICODE if not _is_unicode(path) else SYMBOLIC_LINK if stat.S_ISLNK(mode) else NOT_REGULAR
        self.skipped.append(SkippedFile(path.encode("utf-8", "replace").decode("utf-8"), reason))


def plain_path(path: str) -> str:
    """Return a path in plain form: without empty segments and segments that are `.`; "" is the current folder.

    Raises:
        InvalidInputError: the value is not a path.
    """
    if not validation.text("path", path) or "\0" in path:
        raise validation.fail("path", path, "the path of a file or a folder, or a pattern")
    segments = [segment for segment in path.split("/") if segment not in ("", ".")]
    return ("/" if path.startswith("/") else "") + "/".join(segments)


def _inside(folder: str) -> str:
    return folder if folder in ("", "/") else f"{folder}/"


def _is_within(path: str, folder: str) -> bool:
    return path.startswith(_inside(folder)) if folder else not path.startswith(("/", "../"))


def _is_hidden(name: str) -> bool:
    return name.startswith(".")


def _is_unicode(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _end(path: str) -> str:
    return file_kinds.extension_of(path) or "a file without an extension"

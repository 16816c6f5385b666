"""Reads the lines of source files, but never outside their repository (CNV-5)."""

import os
import re
import stat

from hybrid_search.base.system_path import system_path

MOST_BYTES = 16 * 1024 * 1024
"""The size above which files are not read."""
LINE_END = re.compile("\r\n|\r|\n")
FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class SourceFiles:
    """The files of one repository.

    Args:
        repos_root: the folder of all repositories.
        repo_name: the folder of this repository, which must be below `repos_root` after links are resolved.
    """

    def __init__(self, repos_root: str, repo_name: str) -> None:
        self._root = system_path(repos_root)
        self._name = repo_name
        self._lines: tuple[str, list[str] | None] | None = None

    def lines(self, path: str) -> list[str] | None:
        """Return the lines of a regular file in the repository; `None` if there is no such file, or it is too large."""
        if self._lines is None or self._lines[0] != path:
            self._lines = (path, self._read(path))
        return self._lines[1]

    def _read(self, path: str) -> list[str] | None:
        try:
            content = self._content(path)
        except (OSError, ValueError):
            return None
        if content is None:
            return None
        lines = LINE_END.split(content.decode("utf-8", "replace"))
        return lines[:-1] if lines[-1] == "" else lines

    def _content(self, path: str) -> bytes | None:
        real = self._place(path)
        if real is None:
            return None
        descriptor = os.open(real, FLAGS)
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_BYTES:
                return None
            if self._place(path) != real or not os.path.samestat(found, os.lstat(real)):
                return None  # the file was replaced after the check
            content = file.read(MOST_BYTES + 1)
        return content if len(content) <= MOST_BYTES else None

    def _place(self, path: str) -> str | None:
        """Return the real path of a file of the repository; `None` if it is outside."""
        root = os.path.realpath(self._root)
        repository = _under(root, self._name)
        return None if repository is None else _under(repository, path)


def _under(folder: str, path: str) -> str | None:
    """Return the real path of a path in a folder; `None` if it is outside."""
    if os.path.isabs(path) or ".." in path.split("/"):
        return None
    place = os.path.realpath(system_path(os.path.join(folder, path)))
    return place if place.startswith(folder.rstrip("/") + "/") else None

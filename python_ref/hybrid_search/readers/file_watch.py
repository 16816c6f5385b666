"""Watches files for changes (FIL-7)."""

import importlib
import os
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Self

from hybrid_search.base.system_path import shown_path, system_path
from hybrid_search.errors import ConfigurationError
from hybrid_search.readers import file_kinds
from hybrid_search.readers.file_walk import FileWalk
from hybrid_search.readers.optional_library import EXTRA

WAIT = 500
"""The number of milliseconds after which a stop is noticed."""
QUIET = 200
"""The number of milliseconds without a further change after which changes are reported together."""
LONGEST = 2000
"""The number of milliseconds after which changes are reported even if there are further ones."""


class FileWatch:
    """Watches the files that a walk covers. Changes within the block are never missed.

    Args:
        walk: names the files.
        own: the path of the index file, whose changes are ignored; `None` without one.
        stop: returns whether to stop.

    Raises:
        ConfigurationError: the package watchfiles is not installed.
    """

    def __init__(self, walk: FileWalk, own: str | None, stop: Callable[[], object]) -> None:
        self._walk = walk
        self._own = None if own is None else _absolute(own)
        self._stop = stop
        self._roots = {_absolute(folder or "."): folder for folder in walk.folders}
        self._changes: Any = None
        try:
            self._library: Any = importlib.import_module("watchfiles")
        except ImportError:
            raise ConfigurationError(f"watching files needs watchfiles: pip install '{EXTRA}'") from None

    def __enter__(self) -> Self:
        self._changes = self._library.watch(
            *map(system_path, self._roots),
            watch_filter=None,
            debounce=LONGEST,
            step=QUIET,
            rust_timeout=WAIT,
            yield_on_timeout=True,
        )
        next(self._changes)  # the watch begins with the first wait
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._changes.close()

    def __iter__(self) -> Iterator[None]:
        """Wait for changes until `stop`; changes in quick succession count as one."""
        for changes in self._changes:
            if self._stop():
                return
            if any(self._concerns(shown_path(path)) for _, path in changes):
                yield

    def _concerns(self, path: str) -> bool:
        """Return whether a changed path may be that of a file that is read."""
        if self._own is not None and path.startswith(self._own):  # also its log
            return False
        for root, folder in self._roots.items():
            if path.startswith(f"{root.rstrip('/')}/"):
                below = path[len(root.rstrip("/")) + 1 :]
                named = f"{folder.rstrip('/')}/{below}" if folder else below
                hidden = any(name.startswith(".") for name in below.split("/"))
                if self._walk.covers(named) and not (hidden and not self._walk.names(named)):
                    return self._walk.names(named) or _may_be_read(path)
        return False


def _absolute(path: str) -> str:
    return shown_path(os.path.abspath(system_path(path)))


def _may_be_read(path: str) -> bool:
    """Return whether a path is that of a file of a known kind, a missing file, or a folder."""
    return file_kinds.kind_of(path) is not None or not os.path.isfile(system_path(path))

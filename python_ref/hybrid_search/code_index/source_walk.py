"""Finds the source files of a repository, without ignored ones (CNV-6)."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hybrid_search.base.system_path import shown_path, system_path
from hybrid_search.errors import ConfigurationError

SUFFIXES = """
.bash .c .cc .clj .cpp .cs .css .cu .dart .erl .ex .exs .f90 .go .groovy .h .hpp .hs .html .java .jl .js .json .jsx .kt
.lua .m .md .ml .mm .php .pl .pm .proto .ps1 .py .pyi .pyx .r .rb .rs .rst .scala .scss .sh .sql .svelte .swift .tcl
.toml .ts .tsx .txt .vue .xml .yaml .yml .zig
"""
MOST_BYTES = 1024 * 1024
"""The size above which files are data, and not source."""
PROBED = 8192


class SourceWalk:
    """Walks a repository in the order of paths.

    A `.gitignore` in any folder counts, as in git; `.git` and links are never entered.

    Args:
        root: the folder of the repository.

    Raises:
        ConfigurationError: `pathspec` is missing.
    """

    def __init__(self, root: str) -> None:
        self._root = Path(system_path(root))
        try:
            import pathspec
        except ImportError:
            raise ConfigurationError(
                "to walk a repository needs pathspec: pip install 'hybrid-search[locate]'"
            ) from None
        self._spec: Any = pathspec.GitIgnoreSpec

    def __iter__(self) -> Iterator[str]:
        yield from self._folder("", [])

    def _folder(self, folder: str, above: Sequence[tuple[str, Any]]) -> Iterator[str]:
        rules = [*above, *self._rules(folder)]
        with os.scandir(self._root / system_path(folder)) as entries:
            found = sorted(entries, key=lambda entry: shown_path(entry.name))
        for entry in found:
            path = f"{folder}{shown_path(entry.name)}"
            if entry.name == ".git" or entry.is_symlink():
                continue
            if entry.is_dir():
                if not _is_ignored(f"{path}/", rules):
                    yield from self._folder(f"{path}/", rules)
            elif entry.is_file() and not _is_ignored(path, rules) and _is_source(Path(entry.path)):
                yield path

    def _rules(self, folder: str) -> list[tuple[str, Any]]:
        file = self._root / system_path(folder) / ".gitignore"
        if not file.is_file() or file.is_symlink():
            return []
        return [(folder, self._spec.from_lines(file.read_text(encoding="utf-8", errors="replace").splitlines()))]


def _is_ignored(path: str, rules: Sequence[tuple[str, Any]]) -> bool:
    """Return the verdict of the deepest rule that matches."""
    for folder, spec in reversed(rules):
        verdict = spec.check_file(path[len(folder) :]).include
        if verdict is not None:
            return bool(verdict)
    return False


def _is_source(path: Path) -> bool:
    if path.suffix.lower() not in SUFFIXES.split() or path.stat().st_size > MOST_BYTES:
        return False
    with path.open("rb") as file:
        return b"\0" not in file.read(PROBED)

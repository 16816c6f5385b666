"""Files that are made: written where they differ, or only compared."""

from collections.abc import Iterable
from pathlib import Path


def differing(files: Iterable[tuple[Path, bytes]]) -> list[Path]:
    """The files that are missing or do not have the content they should."""
    return [path for path, content in files if not path.exists() or path.read_bytes() != content]


def write(files: Iterable[tuple[Path, bytes]]) -> list[Path]:
    """Write the files that do not have the content they should; returns their paths."""
    changed = []
    for path, content in files:
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            changed.append(path)
    return changed

"""Computes Hit@K: whether a file of the gold standard is among the first K (CNV-6)."""

from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.cli.record_lines import InputError, RecordLines

DEPTHS = (1, 5, 10)


class GoldFiles:
    """The gold files of instances.

    Args:
        lines: objects of `instance_id` and `files`.

    Raises:
        InputError: a line is not such an object.
    """

    def __init__(self, lines: RecordLines) -> None:
        self._files: dict[str, set[str]] = {}
        self._asked = 0
        self._hits = dict.fromkeys(DEPTHS, 0)
        for line in lines:
            content = line.content or {}
            identifier, files = content.get("instance_id"), content.get("files")
            texts = isinstance(files, list) and all(isinstance(file, str) for file in files)
            if not isinstance(identifier, str) or not texts:
                raise InputError(f"{line.place}: not an object of instance_id and files, a list of texts")
            self._files[identifier] = set(files or ())

    def count(self, identifier: str | None, found_files: Sequence[Any]) -> None:
        """Count an instance, if its files are known."""
        right = self._files.get(identifier or "")
        if not right:
            return
        self._asked += 1
        for depth in DEPTHS:
            if any(file in right for file in found_files[:depth]):
                self._hits[depth] += 1

    def rates(self) -> Mapping[str, float | None]:
        """Return the share of instances with a hit, by depth; `None` without instances."""
        return {f"hit@{depth}": hits / self._asked if self._asked else None for depth, hits in self._hits.items()}

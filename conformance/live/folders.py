"""Finds the collections in a folder (a collection itself, or a folder of such)."""

from dataclasses import dataclass
from pathlib import Path

from conformance.errors import BrokenError


@dataclass(frozen=True)
class Folder:
    """One collection on disk.

    Attributes:
        path: its folder.
        model: the folder of its embeddings, none without; a collection with two is compared with each.
        note: what will be left out, and why; empty when nothing is.
    """

    path: Path
    model: str | None
    note: str = ""

    @property
    def name(self) -> str:
        """The name in reports: the folder's, and the model's where there are several."""
        several = len(_models(self.path)) > 1
        return f"{self.path.name}/{self.model}" if several else self.path.name


def find(root: Path, names: list[str], most: int | None = None) -> tuple[list[Folder], list[str]]:
    """The collections under a folder, and why others are skipped.

    Args:
        root: a collection or a folder of collections.
        names: only these; an empty list takes all.
        most: only those with at most so many documents; none takes all.

    Raises:
        BrokenError: there is no such folder, no collection in it, or none of a name asked for.
    """
    if not root.is_dir():
        raise BrokenError(f"--data {root}: there is no such folder")
    root = root.resolve()
    candidates = [root] if _looks_like_one(root) else sorted(path for path in root.iterdir() if path.is_dir())
    found: list[Folder] = []
    skipped: list[str] = []
    for path in candidates:
        if not (path / "queries.jsonl").is_file():
            skipped.append(f"{path.name}: skipped, it has no queries.jsonl")
        elif not (path / "corpus.jsonl").is_file():
            found.append(Folder(path, None, "no corpus.jsonl: only the text queries are compared"))
        elif most is not None and (count := _documents(path)) > most:
            skipped.append(f"{path.name}: skipped, it has {count:,} documents (--most-documents {most})")
        elif not _models(path):
            found.append(Folder(path, None, "no embeddings: only the text leg and its pages are compared"))
        else:
            found += [Folder(path, model) for model in _models(path)]
    if names:
        found = [folder for folder in found if folder.name in names or folder.path.name in names]
    if not found:
        raise BrokenError(
            f"--data {root}: no collection{' of these names' if names else ''} (queries.jsonl, corpus.jsonl)"
        )
    return found, skipped


def _looks_like_one(path: Path) -> bool:
    return (path / "queries.jsonl").is_file() or (path / "corpus.jsonl").is_file()


def _documents(path: Path) -> int:
    with (path / "corpus.jsonl").open("rb") as lines:
        return sum(not line.isspace() for line in lines)


def _models(path: Path) -> list[str]:
    return sorted(
        folder.parent.name
        for folder in path.glob("*/corpus.npy")
        if (folder.parent / "queries.npy").is_file() and (folder.parent / "ids.json").is_file()
    )

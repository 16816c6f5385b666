"""Finds the block indexes for `locate` (CNV-6, CNV-7)."""

import os
from collections.abc import Mapping
from typing import Any

from hybrid_search.base import canonical_json, strict_json
from hybrid_search.base.system_path import system_path
from hybrid_search.cli import usage
from hybrid_search.cli.index_file import IndexFile
from hybrid_search.cli.instance import Instance
from hybrid_search.cli.record_lines import InputError
from hybrid_search.convergence.block_index import BlockIndex
from hybrid_search.embedding.embedding_choice import EmbeddingChoice
from hybrid_search.errors import InvalidInputError

MANIFEST = "manifest.json"
EMBEDDING = "embedding"
FIELDS = ("file_path", "start_line", "end_line", "definitions")


class BlockIndexes:
    """Finds the index of an instance, and keeps the last one open.

    Args:
        path: an index; a folder of indexes named after instances or repositories; or an index file, whose documents
            have the fields of a block in their metadata.

    Raises:
        InputError: the path is none of these.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._last: tuple[tuple[str, str], BlockIndex] | None = None
        if not self._is_index() and not _has_folder(path):
            raise InputError(f"{usage.shown(path)} is not a block index, a folder of them, or an index file")

    def of(self, instance: Instance) -> BlockIndex | None:
        """Return the index of an instance, or `None` if it has no index.

        Raises:
            HybridSearchError: the index is damaged.
        """
        place = self._place(instance)
        if place is None:
            return None
        key = (place, instance.repo_name or "")
        if self._last is None or self._last[0] != key:
            self._last = (key, self._opened(place, key[1]))
        return self._last[1]

    def missing(self, instance: Instance) -> str:
        """Return the message that an instance has no index."""
        names = _names(instance)
        if not names:
            return f"no index in {usage.shown(self._path)}: its names cannot be those of folders"
        return f"no index in {usage.shown(self._path)}: there is no folder {' or '.join(map(usage.shown, names))}"

    def _is_index(self) -> bool:
        return os.path.isfile(system_path(self._path)) or os.path.exists(
            system_path(os.path.join(self._path, MANIFEST))
        )

    def _place(self, instance: Instance) -> str | None:
        if self._is_index():
            return self._path
        places = (os.path.join(self._path, name) for name in _names(instance))
        return next((place for place in places if os.path.isdir(system_path(place))), None)

    def _opened(self, place: str, repo_name: str) -> BlockIndex:
        return _of_file(place, repo_name) if os.path.isfile(system_path(place)) else BlockIndex.open(place)


def _has_folder(path: str) -> bool:
    try:
        with os.scandir(system_path(path)) as entries:
            return any(entry.is_dir() for entry in entries)
    except (OSError, ValueError):
        return False


def _names(instance: Instance) -> list[str]:
    """Return the possible names of the folder of an instance's index, in the order in which they are tried."""
    names = dict.fromkeys((instance.identifier, instance.repo_name, instance.repository))
    return [name for name in names if name and _is_plain(name)]


def _is_plain(name: str) -> bool:
    return "/" not in name and "\0" not in name and name not in (".", "..")


def _of_file(path: str, repo_name: str) -> BlockIndex:
    """Return a block index of the documents of an index file that have a vector, by id."""
    blocks, vectors = [], []
    with IndexFile(path) as file:
        choice = file.choice()
        for identifier, _ in file.store.rank([]):
            document = file.store.get(identifier) or {}
            vector = _vector(document)
            if vector is not None:
                blocks.append(_block(document.get("metadata") or {}))
                vectors.append(vector)
    notes = {} if choice is None else {EMBEDDING: choice.to_dict()}
    return BlockIndex(blocks, vectors, repo_name, notes)


def _block(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a block; metadata cannot contain lists of objects, so definitions are a JSON text there."""
    block = {field: metadata[field] for field in FIELDS if field in metadata}
    if isinstance(block.get("definitions"), str):
        try:
            block["definitions"] = strict_json.parse(block["definitions"])
        except ValueError:
            raise InvalidInputError("metadata.definitions must be a list in JSON") from None
    return block


def _vector(document: Mapping[str, Any]) -> Any:
    names = (name for name in document if name.startswith("q_") and name.endswith("_vec"))
    return next((document[name] for name in names), None)


def choice_of(index: BlockIndex) -> EmbeddingChoice | None:
    """Return the choice of the embedding of an index; `None` if it is not stated, or not known to this program.

    Raises:
    IndexCorruptError: the stated choice has an unknown form.
    """
    told = index.notes.get(EMBEDDING)
    return None if told is None else EmbeddingChoice.of_text(canonical_json.write(told))

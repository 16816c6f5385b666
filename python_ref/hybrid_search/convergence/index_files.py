"""Stores a block index as files that both languages read and write (CNV-7)."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hybrid_search.base import canonical_json, strict_json
from hybrid_search.base.system_path import system_path
from hybrid_search.convergence.block import Block
from hybrid_search.convergence.vector_rows import VectorRows
from hybrid_search.errors import IndexCorruptError, InvalidInputError

VERSION = 1
METADATA, VECTORS, MANIFEST = "metadata.jsonl", "vectors.f32", "manifest.json"
BYTES_PER_COMPONENT = 4
FIELDS = ("blocks", "checksum", "dimension", "files", "notes", "repo_name", "version")


@dataclass(frozen=True)
class StoredIndex:
    """The contents of the files.

    Attributes:
        blocks: in the order of rows.
        rows: their vectors.
        repo_name: the folder of the repository.
        notes: further stored data.
    """

    blocks: Sequence[Block]
    rows: VectorRows
    repo_name: str
    notes: Mapping[str, Any] = field(default_factory=dict)


class IndexFiles:
    """The folder of an index: metadata.jsonl, with a line for each block; vectors.f32; and manifest.json, written last.

    Args:
        path: the folder.
    """

    def __init__(self, path: str) -> None:
        self._folder = Path(system_path(path))

    def write(self, stored: StoredIndex) -> None:
        """Write all files, each next to its place first, and then renamed. A half-written folder is not an index."""
        metadata = "".join(canonical_json.write(block.to_dict()) + "\n" for block in stored.blocks).encode()
        contents = {METADATA: metadata, VECTORS: stored.rows.to_bytes()}
        manifest = {
            "version": VERSION,
            "blocks": len(stored.blocks),
            "dimension": stored.rows.dimension,
            "repo_name": stored.repo_name,
            "notes": dict(stored.notes),
            "files": {name: _digest(content) for name, content in contents.items()},
        }
        text = _sealed(manifest)
        self._folder.mkdir(parents=True, exist_ok=True)
        for name, content in {**contents, MANIFEST: text.encode()}.items():
            self._put(name, content)

    def read(self) -> StoredIndex:
        """Return the contents of the files.

        Raises:
            IndexCorruptError: the files are damaged, half-written, or not an index.
        """
        manifest = self._manifest()
        metadata, vectors = self._content(METADATA, manifest), self._content(VECTORS, manifest)
        count, dimension = manifest["blocks"], manifest["dimension"]
        if len(vectors) != count * dimension * BYTES_PER_COMPONENT or (count > 0) != (dimension > 0):
            raise self._corrupt(f"{VECTORS} does not hold {count} vectors of {dimension} components")
        blocks = self._blocks(metadata)
        if len(blocks) != count:
            raise self._corrupt(f"{METADATA} holds {len(blocks)} blocks, not {count}")
        rows = VectorRows.of_bytes(vectors, dimension) if count else VectorRows.of([], 0)
        if not rows.is_finite():
            raise self._corrupt(f"{VECTORS} contains a number that is not finite")
        return StoredIndex(blocks, rows, manifest["repo_name"], manifest["notes"])

    def _put(self, name: str, content: bytes) -> None:
        beside = self._folder / f".{name}.{os.getpid()}.part"
        try:
            with beside.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(self._folder / name)
        finally:
            beside.unlink(missing_ok=True)
        descriptor = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _manifest(self) -> dict[str, Any]:
        content = self._bytes(MANIFEST)
        try:
            text = content.decode()
        except UnicodeDecodeError:
            raise self._corrupt(f"{MANIFEST} is not valid UTF-8") from None
        manifest = strict_json.parse_object(text)
        if manifest is None or tuple(sorted(manifest)) != FIELDS or not _is_plausible(manifest):
            raise self._corrupt(f"{MANIFEST} is not that of an index")
        checksum = manifest.pop("checksum")
        if not _is_sealed(manifest, checksum, text):
            raise self._corrupt(f"{MANIFEST} is not as it was written")
        if manifest["version"] != VERSION:
            raise self._corrupt(f"{MANIFEST} is of version {manifest['version']}; this program reads {VERSION}")
        return manifest

    def _content(self, name: str, manifest: Mapping[str, Any]) -> bytes:
        content = self._bytes(name)
        if _digest(content) != manifest["files"].get(name):
            raise self._corrupt(f"{name} is not as it was written")
        return content

    def _blocks(self, metadata: bytes) -> list[Block]:
        lines = metadata.decode("utf-8", "replace").split("\n")[:-1]
        try:
            return [Block.of(f"blocks[{place}]", strict_json.parse(line)) for place, line in enumerate(lines)]
        except (ValueError, InvalidInputError) as problem:
            raise self._corrupt(f"{METADATA} contains something that is not a block") from problem

    def _bytes(self, name: str) -> bytes:
        try:
            return (self._folder / name).read_bytes()
        except OSError as problem:
            raise self._corrupt(f"{name} cannot be read: {os.strerror(problem.errno or 0)}") from None

    def _corrupt(self, reason: str) -> IndexCorruptError:
        return IndexCorruptError(f"the block index {self._folder.name} is damaged: {reason}")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _is_plausible(manifest: Mapping[str, Any]) -> bool:
    """Return whether the values of a manifest have the required types."""
    counts = [manifest["blocks"], manifest["dimension"]]
    return (
        all(type(count) is int and count >= 0 for count in counts)
        and isinstance(manifest["repo_name"], str)
        and all(isinstance(manifest[name], dict) for name in ("files", "notes"))
    )


def _sealed(manifest: Mapping[str, Any]) -> str:
    """Return the text of a manifest, with the checksum of the rest."""
    try:
        checksum = _digest(canonical_json.write(manifest).encode())
    except ValueError as problem:
        raise InvalidInputError(f"notes: {problem}") from None
    return canonical_json.write({**manifest, "checksum": checksum}) + "\n"


def _is_sealed(manifest: Mapping[str, Any], checksum: Any, text: str) -> bool:
    try:
        written = _sealed(manifest)
    except InvalidInputError:
        return False
    return written == text and checksum == _digest(canonical_json.write(manifest).encode())

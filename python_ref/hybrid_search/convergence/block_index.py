"""The blocks of a repository with their vectors (CNV-6, CNV-7)."""

from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.convergence.block import Block
from hybrid_search.convergence.index_files import IndexFiles, StoredIndex
from hybrid_search.convergence.vector_rows import VectorRows
from hybrid_search.errors import InvalidInputError
from hybrid_search.protocols import Vectors

OPTIONS = ("blocks", "vectors", "repo_name", "notes")


class BlockIndex:
    """Numbered blocks of source code, each with a vector; immutable."""

    @validation.known_options(OPTIONS)
    def __init__(
        self,
        blocks: Sequence[Mapping[str, object]],
        vectors: Vectors,
        repo_name: str = "",
        notes: Mapping[str, object] | None = None,
    ) -> None:
        """Make an index from blocks and vectors.

        Args:
            blocks: the `file_path`, `start_line` and `end_line` of each block (from 0, both inclusive), and the
                `definitions` that overlap it, as `{qualified_name, kind, start_line, end_line}`; all are optional.
            vectors: one vector for each block, all of one length.
            repo_name: the folder of the repository; if all paths begin with it, it is removed from them.
            notes: data to store with the index, which canonical JSON must be able to represent: how it was embedded,
                for example.

        Raises:
            InvalidInputError: an argument is not acceptable, or an option unknown.
            DimensionMismatchError: vectors are not of one length.
        """
        if isinstance(blocks, str) or not isinstance(blocks, Sequence):
            raise validation.fail("blocks", blocks, "a list of objects")
        read = [Block.of(f"blocks[{place}]", block) for place, block in enumerate(blocks)]
        kept = {} if notes is None else dict(validation.mapping("notes", notes))
        self._set(read, _rows(vectors, len(read)), validation.text("repo_name", repo_name), kept)

    @classmethod
    def open(cls, path: str) -> "BlockIndex":
        """Open the index in a folder.

        Raises:
            IndexCorruptError: the index is damaged, half-written, or missing.
        """
        stored = IndexFiles(validation.text("path", path)).read()
        index = cls.__new__(cls)
        index._set(stored.blocks, stored.rows, stored.repo_name, dict(stored.notes))
        return index

    def write(self, path: str) -> None:
        """Write the index to a folder, which is created if necessary; vectors become float32.

        Raises:
            InvalidInputError: a component is too large for float32, or the notes are not plain data.
            OSError: the system refuses.
        """
        rows = VectorRows.of_bytes(self.rows.to_bytes(), self.dimension) if self.size else self.rows
        if not rows.is_finite():
            raise InvalidInputError("vectors must fit float32")
        IndexFiles(validation.text("path", path)).write(StoredIndex(self.blocks, rows, self.repo_name, self.notes))

    @property
    def size(self) -> int:
        """The number of blocks."""
        return len(self.blocks)

    @property
    def dimension(self) -> int:
        """The number of components of a vector; 0 without vectors."""
        return self.rows.dimension

    def file(self, row: int) -> str | None:
        """Return the file of a block, without the repository's name; `None` if it has no file."""
        return self._files[row]

    def _set(self, blocks: Sequence[Block], rows: VectorRows, repo_name: str, notes: dict[str, Any]) -> None:
        self.blocks = tuple(blocks)
        self.rows = rows
        self.repo_name = repo_name
        self.notes = notes
        paths = [block.file_path for block in self.blocks]
        prefix = f"{repo_name}/"
        if repo_name and all(path is None or path.startswith(prefix) for path in paths):
            paths = [None if path is None else path[len(prefix) :] or None for path in paths]
        self._files = paths


def _rows(vectors: Any, count: int) -> VectorRows:
    given = vectors.tolist() if hasattr(vectors, "tolist") else vectors
    if not isinstance(given, (list, tuple)):
        raise validation.fail("vectors", vectors, "a list of vectors")
    if len(given) != count:
        raise InvalidInputError(f"vectors must be as many as blocks, {count}, not {len(given)}")
    checked: list[list[float]] = []
    for place, vector in enumerate(given):
        checked.append(validation.vector(f"vectors[{place}]", vector, len(checked[0]) if checked else None))
    return VectorRows.of(checked, len(checked[0]) if checked else 0)

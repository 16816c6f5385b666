"""Builds and updates the block index of a repository (CNV-6, CNV-7)."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hybrid_search.base.system_path import system_path
from hybrid_search.code_index.block_cutter import BlockCutter
from hybrid_search.code_index.source_walk import SourceWalk
from hybrid_search.convergence.block_index import BlockIndex
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.errors import IndexCorruptError

SOURCES, EMBEDDING, PARSERS = "sources", "embedding", "parsers"
BATCH = 32
"""The number of texts of one request to a service; each request has the time limit of a whole call."""
Told = Callable[[Mapping[str, int], int], None]


@dataclass
class _Made:
    """Blocks with their vectors, and the digests of their files."""

    blocks: list[dict[str, Any]] = field(default_factory=list)
    vectors: list[Sequence[float]] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)


class CodeIndexer:
    """Indexes one repository; files that have not changed since the last run are not embedded again.

    Args:
        root: the folder of the repository.
        path: the folder of the index.
        embedding: makes the vectors.
        choice: the choice of the embedding as plain data; an index with another choice is rebuilt.
        cutter: makes the blocks; files of a language that was cut with another parser are cut again.
    """

    def __init__(
        self, root: str, path: str, embedding: Embedding, choice: Mapping[str, Any], cutter: BlockCutter
    ) -> None:
        self._root = Path(system_path(root)).resolve()
        self._path = path
        self._embedding = embedding
        self._choice = dict(choice)
        self._cutter = cutter
        self._parsers: Mapping[str, str] = {}
        self._counts = {"files": 0, "embedded": 0, "kept": 0, "blocks": 0}
        self._read = 0

    def files(self) -> list[tuple[str, int]]:
        """Return the files with their sizes, in order."""
        return [(path, (self._root / system_path(path)).stat().st_size) for path in SourceWalk(str(self._root))]

    def run(self, files: Sequence[tuple[str, int]], told: Told) -> Mapping[str, int]:
        """Index `files`, the result of the method `files`.

        After each file, `told` is called with the counts and the number of bytes read.

        Returns:
            The numbers of files, of embedded files, of unchanged files and of blocks.

        Raises:
            ConfigurationError: a package that a language requires is not installed.
        """
        self._parsers = self._cutter.parsers(path for path, _ in files)
        known, made = self._known(), _Made()
        waiting = _Made()
        texts: list[str] = []
        for path, size in files:
            content = (self._root / system_path(path)).read_bytes()
            digest = hashlib.sha256(content).hexdigest()
            self._counts["files"] += 1
            if path in known and known[path].sources[path] == digest:
                self._keep(made, known[path])
            else:
                cut = self._cutter.cut(path, content)
                waiting.blocks += cut.blocks
                texts += cut.texts
                self._counts["embedded"] += 1
            made.sources[path] = digest
            self._read += size
            if len(texts) >= BATCH:
                self._embed(made, waiting, texts)
            told(self._counts, self._read)
        self._embed(made, waiting, texts)
        self._write(made)
        return self._counts

    def _embed(self, made: _Made, waiting: _Made, texts: list[str]) -> None:
        for first in range(0, len(texts), BATCH):
            made.vectors += self._embedding.encode(texts[first : first + BATCH])
        made.blocks += waiting.blocks
        waiting.blocks.clear()
        texts.clear()

    def _keep(self, made: _Made, known: _Made) -> None:
        made.blocks += known.blocks
        made.vectors += known.vectors
        self._counts["kept"] += 1

    def _known(self) -> dict[str, _Made]:
        """Return file → its stored blocks, for files indexed in the same way."""
        try:
            index = BlockIndex.open(self._path)
        except IndexCorruptError:
            return {}
        if index.notes.get(EMBEDDING) != self._choice:
            return {}
        sources = index.notes.get(SOURCES, {})
        known = {path: _Made(sources={path: digest}) for path, digest in sources.items()}
        for row, block in enumerate(index.blocks):
            one = known[str(block.file_path)]
            one.blocks.append(block.to_dict())
            one.vectors.append(index.rows.row(row))
        parsers = index.notes.get(PARSERS, {})
        return {path: one for path, one in known.items() if self._is_cut_alike(path, parsers)}

    def _is_cut_alike(self, path: str, parsers: Mapping[str, str]) -> bool:
        language = self._cutter.language(path)
        return parsers.get(language) == self._parsers.get(language)

    def _write(self, made: _Made) -> None:
        order = sorted(
            range(len(made.blocks)), key=lambda row: (made.blocks[row]["file_path"], made.blocks[row]["start_line"])
        )
        self._counts["blocks"] = len(order)
        notes = {EMBEDDING: self._choice, PARSERS: dict(self._parsers), SOURCES: made.sources}
        blocks = [made.blocks[row] for row in order]
        BlockIndex(blocks, [made.vectors[row] for row in order], self._root.name, notes).write(self._path)

"""Maps blocks to locations in the code: files, modules and entities (CNV-6)."""

from collections.abc import Iterable, Sequence

from hybrid_search.convergence.block_index import BlockIndex
from hybrid_search.convergence.block_names import BlockNames
from hybrid_search.convergence.file_scores import FileScores
from hybrid_search.convergence.located import LocatedBlock
from hybrid_search.convergence.settings import Settings


class Locations:
    """Maps blocks to the files, modules and entities that contain them.

    Args:
        index: the blocks.
        settings: the parameters (CNV-2).
    """

    def __init__(self, index: BlockIndex, settings: Settings) -> None:
        self._index = index
        self._settings = settings

    def files(self, blocks: Sequence[LocatedBlock]) -> list[str]:
        """Return the best files; files with blocks that the model scored come first, by these blocks only."""
        scored = {self._index.file(block.row) for block in blocks if block.tier == 0}
        first = self._ranked((block.row, block.score) for block in blocks if block.tier == 0)
        others = self._ranked(
            (block.row, block.stage1_score) for block in blocks if self._index.file(block.row) not in scored
        )
        return [*first, *others][: self._settings["top_k_files"]]

    def modules(self, blocks: Sequence[LocatedBlock]) -> list[str]:
        """Return the classes, and the functions outside classes, to which the lines of the blocks belong."""
        found = (f"{file}:{name}" for file, names in self._names(blocks) for name in sorted(names.modules))
        return list(dict.fromkeys(found))[: self._settings["top_k_modules"]]

    def entities(self, blocks: Sequence[LocatedBlock]) -> list[str]:
        """Return the functions and methods that the lines of the blocks belong to."""
        found = (f"{file}:{name}" for file, names in self._names(blocks) for name in sorted(names.entities))
        return list(dict.fromkeys(found))[: self._settings["top_k_entities"]]

    def _ranked(self, blocks: Iterable[tuple[int, float]]) -> list[str]:
        ranked = FileScores(self._settings["file_score_agg"]).rank(
            (self._index.file(row), score) for row, score in blocks
        )
        return [file for file, _ in ranked]

    def _names(self, blocks: Sequence[LocatedBlock]) -> list[tuple[str, BlockNames]]:
        """Return the names of each block, grouped by file; files in the order of their first block."""
        files: dict[str, list[BlockNames]] = {}
        for each in blocks:
            file = self._index.file(each.row)
            if file is not None:
                files.setdefault(file, []).append(BlockNames(self._index.blocks[each.row]))
        return [(file, names) for file, of_file in files.items() for names in of_file]

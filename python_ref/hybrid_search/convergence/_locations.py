"""Where in the code the answer lies: files, modules, entities (CNV-6)."""

from collections.abc import Iterable, Sequence

from hybrid_search.convergence._block import CLASS, FUNCTION, Block, Definition
from hybrid_search.convergence._file_scores import FileScores
from hybrid_search.convergence._settings import Settings
from hybrid_search.convergence.block_index import BlockIndex
from hybrid_search.convergence.located import LocatedBlock


class Locations:
    """Maps blocks to what they are part of.

    Args:
        index: the blocks.
        settings: CNV-2.
    """

    def __init__(self, index: BlockIndex, settings: Settings) -> None:
        self._index = index
        self._settings = settings

    def files(self, blocks: Sequence[LocatedBlock]) -> list[str]:
        """The best files; those with a block that the model scored come first, by these blocks alone."""
        scored = {self._index.file(block.row) for block in blocks if block.tier == 0}
        first = self._ranked((block.row, block.score) for block in blocks if block.tier == 0)
        others = self._ranked(
            (block.row, block.stage1_score) for block in blocks if self._index.file(block.row) not in scored
        )
        return [*first, *others][: self._settings["top_k_files"]]

    def modules(self, blocks: Sequence[LocatedBlock]) -> list[str]:
        """The outermost classes and functions that blocks overlap, by first appearance."""
        found = (f"{file}:{each.qualified_name.split('.')[0]}" for file, _, each in self._definitions(blocks))
        return list(dict.fromkeys(found))[: self._settings["top_k_modules"]]

    def entities(self, blocks: Sequence[LocatedBlock]) -> list[str]:
        """The functions and methods that blocks overlap, and the classes without such, by first appearance."""
        found = (
            f"{file}:{each.qualified_name}"
            for file, block, each in self._definitions(blocks)
            if each.kind != CLASS or not _has_method(block, each)
        )
        return list(dict.fromkeys(found))[: self._settings["top_k_entities"]]

    def _ranked(self, blocks: Iterable[tuple[int, float]]) -> list[str]:
        ranked = FileScores(self._settings["file_score_agg"]).rank(
            (self._index.file(row), score) for row, score in blocks
        )
        return [file for file, _ in ranked]

    def _definitions(self, blocks: Sequence[LocatedBlock]) -> Iterable[tuple[str, Block, Definition]]:
        for each in blocks:
            file, block = self._index.file(each.row), self._index.blocks[each.row]
            if file is not None:
                for definition in sorted(block.definitions, key=lambda one: one.start_line):
                    yield file, block, definition


def _has_method(block: Block, owner: Definition) -> bool:
    return any(
        each.kind == FUNCTION and each.qualified_name.rpartition(".")[0] == owner.qualified_name
        for each in block.definitions
    )

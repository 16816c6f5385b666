"""Names the modules and entities of a block (CNV-6)."""

from collections.abc import Sequence

from hybrid_search.convergence.block import CLASS, Block, Definition


class BlockNames:
    """Names the classes and functions to which the lines of a block belong.

    Args:
        block: the block with its definitions.

    Attributes:
        modules: the classes, and the functions that are not in a class.
        entities: the functions and methods.
    """

    def __init__(self, block: Block) -> None:
        self._block = block
        self._numbers: dict[tuple[int, str], int] = {}
        self._kinds: dict[int, set[str]] = {}
        self.modules: set[str] = set()
        self.entities: set[str] = set()
        for each in block.definitions:
            self._kinds.setdefault(self._path(each.qualified_name.split("."))[-1], set()).add(each.kind)
        for each in self._owners():
            self._add(each)

    def _path(self, parts: Sequence[str]) -> list[int]:
        """Return a number for each prefix of a name, so that no name is read twice."""
        number, found = 0, []
        for part in parts:
            number = self._numbers.setdefault((number, part), len(self._numbers) + 1)
            found.append(number)
        return found

    def _owners(self) -> list[Definition]:
        """Return the innermost definition around each line of the block."""
        ordered = sorted(self._block.definitions, key=lambda one: (one.start_line, -one.end_line))
        owners = []
        taken: list[tuple[int, int]] = []  # by definitions further in; disjoint, the first one at the end
        for each in reversed(ordered):
            first, last = self._clipped(each)
            if first > last:
                continue
            if not taken or first < taken[-1][0] or last > taken[-1][1]:
                owners.append(each)
            while taken and taken[-1][0] <= last + 1:
                last = max(last, taken.pop()[1])
            taken.append((first, last))
        return owners

    def _clipped(self, definition: Definition) -> tuple[int, int]:
        """Return the lines of a definition in the block, or all its lines if those of the block are not known."""
        start, end = self._block.start_line, self._block.end_line
        if start is None:
            return definition.start_line, definition.end_line
        return max(start, definition.start_line), min(max(start, start if end is None else end), definition.end_line)

    def _add(self, definition: Definition) -> None:
        *outer, own = definition.qualified_name.split(".")
        classes = [part for part, number in zip(outer, self._path(outer), strict=True) if self._is_class(number)]
        if definition.kind == CLASS:
            self.modules.add(".".join([*classes, own]))
        elif classes:
            self.modules.add(".".join(classes))
            self.entities.add(".".join([*classes, own]))
        else:
            self.modules.add(definition.qualified_name)
            self.entities.add(definition.qualified_name)

    def _is_class(self, number: int) -> bool:
        """Return whether a name is a class: a definition states so, or no definition has this name."""
        return CLASS in self._kinds.get(number, (CLASS,))

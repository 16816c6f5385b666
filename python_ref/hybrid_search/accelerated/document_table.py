"""The documents of one state of a store, by slot and by id (DOC-1)."""

from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from hybrid_search.accelerated.living_slots import LivingSlots
from hybrid_search.accelerated.prepared import PreparedDocument

FEWEST_RELEASED = 1024
DOCUMENTS_PER_RELEASED = 8

_identifier_of: Callable[[Any], str] = itemgetter(0)


class TableEntry(NamedTuple):
    """A document in its slot; immutable.

    Attributes:
        identifier: its id.
        fields: its fields except the vectors.
        vector_fields: the names of its vector fields, as keys.
        prepared: the form that the hybrid rerank needs.
    """

    identifier: str
    fields: dict[str, Any]
    vector_fields: dict[str, None]
    prepared: PreparedDocument | None


class DocumentTable:
    """A view of tables that only grow.

    All views of a table share its entries. A change appends to them, and its slots are assigned at once. Readers cannot
    see them before the view that `changed` returns. Only one change at a time may be made, each from the view of the
    last change that was not abandoned.

    Attributes:
        living: the slots that belong to the view.
    """

    def __init__(self) -> None:
        self.living = LivingSlots()
        self._entries: list[TableEntry | None] = []
        # id → the last slot that was written for it, and the previous one.
        self._slot_of: dict[str, int] = {}
        self._earlier: dict[int, int] = {}
        self._released = 0

    def slot(self, identifier: str) -> int | None:
        """Return the slot of a document, or `None`."""
        slot = self._slot_of.get(identifier)
        while slot is not None and not self.living.holds(slot):
            slot = self._earlier.get(slot)
        return slot

    def slots(self) -> Iterator[int]:
        """Return the slots of all documents, ascending."""
        return filter(self.living.holds, range(self.living.limit))

    def entry(self, slot: int) -> TableEntry:
        """Return the document in a slot that contains one."""
        entry = self._entries[slot]
        assert entry is not None
        return entry

    def entry_if_any(self, slot: int) -> TableEntry | None:
        """Return the content of a slot, which may be a removed document; `None` if the slot has no content."""
        return self._entries[slot]

    def identifiers(self, slots: Sequence[int]) -> Iterator[str]:
        """Return the ids of the documents in some slots."""
        return map(_identifier_of, map(self._entries.__getitem__, slots))

    def changed(self, removed: Sequence[int], added: Sequence[TableEntry]) -> "tuple[DocumentTable, int]":
        """Return the view after a change, and the first slot of the new documents.

        Args:
            removed: the slots of removed documents.
            added: the new documents.
        """
        first = len(self._entries)
        self._entries.extend(added)
        for slot, entry in enumerate(added, start=first):
            earlier = self._slot_of.get(entry.identifier)
            if earlier is not None:
                self._earlier[slot] = earlier
            self._slot_of[entry.identifier] = slot
        table = DocumentTable()
        table.living = self.living.changed(removed, first, len(added))
        table._entries, table._slot_of, table._earlier = self._entries, self._slot_of, self._earlier
        table._released = self._released
        table._release()
        return table, first

    def _release(self) -> None:
        """Release the removed documents if they are many; readers of an older view keep its list."""
        dead, count = self.living.dead, self.living.count
        if dead - self._released > max(FEWEST_RELEASED, count // DOCUMENTS_PER_RELEASED):
            holds = self.living.holds
            self._entries = [entry if holds(slot) else None for slot, entry in enumerate(self._entries)]
            self._released = dead

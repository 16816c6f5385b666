"""Caches the ids of documents and their numbers, from state to state of the tables (SQL-5, PG-5)."""

from collections.abc import Mapping

from hybrid_search.accelerated.kept_by_number import KeptByNumber

BYTES_PER_IDENTIFIER = 128
"""The approximate number of bytes of a number and an id, in one direction."""

NOWHERE = -1
"""A number that no document has."""


class KeptIdentifiers(KeptByNumber[str]):
    """The ids of documents that searches have read in one state, and their numbers.

    Args:
        memory: the maximum number of bytes.
    """

    def __init__(self, memory: int) -> None:
        super().__init__()
        self._most = memory // BYTES_PER_IDENTIFIER
        self._numbers: dict[str, int] = {}

    def number(self, identifier: str) -> int | None:
        """Return the number of a document; `None` if it is not cached."""
        number = self._numbers.get(identifier, NOWHERE)  # of any state
        return number if self.find(number) == identifier else None

    def keep_all(self, identifiers: Mapping[int, str]) -> None:
        """Cache ids by the numbers of their documents; without room for them, those cached before are dropped."""
        if len(self._shared) + len(self._own) + len(self._numbers) + 2 * len(identifiers) > self._most:
            self._shared, self._own, self._numbers = {}, {}, {}
        if 2 * len(identifiers) <= self._most:
            for number, identifier in identifiers.items():
                self.keep(number, identifier)
                self._numbers[identifier] = number

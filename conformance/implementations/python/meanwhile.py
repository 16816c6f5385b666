"""Changes of a store between its reads: what one call reads in parts may be of a store that others change meanwhile."""

from collections.abc import Callable, Mapping
from typing import Any

READS = ("search", "get_many")
"""The methods that count as reads."""

Change = Callable[[], object]


class Meanwhile:
    """Makes a store change before reads of its own.

    It must be made after what uses the store, which looks at the store's class to learn what its searches take.

    Args:
        store: the store.
    """

    def __init__(self, store: Any) -> None:
        self._changes: dict[int, Change] = {}
        self._reads = 0
        for name in READS:
            setattr(store, name, self._changing(getattr(store, name)))

    def arm(self, changes: Mapping[int, Change]) -> None:
        """Make these changes, each before the read of its number, counted from now on, the first is 1."""
        self._changes = dict(changes)
        self._reads = 0

    def _changing(self, read: Callable[..., Any]) -> Callable[..., Any]:
        def changed(*arguments: Any, **options: Any) -> Any:
            self._reads += 1
            change = self._changes.pop(self._reads, None)
            if change is not None:
                change()
            return read(*arguments, **options)

        return changed

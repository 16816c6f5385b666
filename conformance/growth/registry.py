"""Where the operations that are timed are entered."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from hybrid_search.errors import HybridSearchError

Timed = Callable[[], Any]
Operation = Callable[[str], Timed]

OPERATIONS: dict[str, Operation] = {}
"""Name → operation. In those that end with `_both` document and question grow."""


def simple(name: str, function: Callable[[str], Any]) -> None:
    """Enter a function of a text."""
    OPERATIONS[name] = lambda text: lambda: function(text)


def refused(function: Callable[[], Any]) -> None:
    """Call what may refuse its input: what is refused has its cost too."""
    with suppress(HybridSearchError, ValueError):
        function()

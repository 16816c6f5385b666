"""What is told to whoever runs a program: one line for each thing that failed (LOG-1).

They go to the standard library's logger `hybrid_search`, as warnings, and nowhere unless a program sets it up.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from hybrid_search.errors import HybridSearchError

if TYPE_CHECKING:
    import logging

CONTROLS = re.compile("[\\x00-\\x1f\\x7f-\\x9f\u2028\u2029]+")


def warning(line: str) -> None:
    """Tell of something that failed; what would make another line of it becomes a blank."""
    _logger().warning("%s", CONTROLS.sub(" ", line), stacklevel=2)


@cache
def _logger() -> "logging.Logger":
    import logging  # where nothing fails nobody need wait for it

    logger = logging.getLogger("hybrid_search")
    logger.addHandler(logging.NullHandler())
    return logger


@contextmanager
def failures(kind: type[HybridSearchError]) -> Iterator[None]:
    """Tell of errors of a kind that pass."""
    try:
        yield
    except kind as problem:
        warning(str(problem))
        raise

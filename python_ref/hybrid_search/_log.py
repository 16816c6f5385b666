"""What is told to whoever runs a program: one line for each thing that failed (LOG-1).

They go to the standard library's logger `hybrid_search`, as warnings, and nowhere unless a program sets it up.
"""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager

from hybrid_search.errors import HybridSearchError

LOGGER = logging.getLogger("hybrid_search")
LOGGER.addHandler(logging.NullHandler())

CONTROLS = re.compile("[\\x00-\\x1f\\x7f-\\x9f\u2028\u2029]+")


def warning(line: str) -> None:
    """Tell of something that failed; what would make another line of it becomes a blank."""
    LOGGER.warning("%s", CONTROLS.sub(" ", line), stacklevel=2)


@contextmanager
def failures(kind: type[HybridSearchError]) -> Iterator[None]:
    """Tell of errors of a kind that pass."""
    try:
        yield
    except kind as problem:
        warning(str(problem))
        raise

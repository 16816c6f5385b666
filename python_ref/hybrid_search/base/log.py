"""Logs one warning for each failure that does not stop the program (LOG-1).

Warnings go to the standard library's logger `hybrid_search`. They are discarded unless the program configures it.
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
    """Log a failure; line breaks in the text become blanks."""
    _logger().warning("%s", CONTROLS.sub(" ", line), stacklevel=2)


@cache
def _logger() -> "logging.Logger":
    import logging  # imported late, since programs without failures need not load it

    logger = logging.getLogger("hybrid_search")
    logger.addHandler(logging.NullHandler())
    return logger


@contextmanager
def failures(kind: type[HybridSearchError]) -> Iterator[None]:
    """Log errors of one kind that the block raises, and let them pass on."""
    try:
        yield
    except kind as problem:
        warning(str(problem))
        raise

"""The lines that the library writes into its log (LOG-1)."""

import contextlib
import logging
from collections.abc import Iterator


@contextlib.contextmanager
def kept() -> Iterator[list[str]]:
    """A list of the lines that come meanwhile."""
    handler = _Lines()
    logger = logging.getLogger("hybrid_search")
    logger.addHandler(handler)
    try:
        yield handler.lines
    finally:
        logger.removeHandler(handler)


class _Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())

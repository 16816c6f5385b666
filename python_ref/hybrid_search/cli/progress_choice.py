"""Chooses the display of the progress of `index`: a bar, lines of JSON, or nothing (CUR-5)."""

from hybrid_search.cli.console import Console
from hybrid_search.cli.progress import Progress, ProgressBar, ProgressLines

BAR, LINES, NONE = "bar", "lines", "none"


def progress(how: str, console: Console, size: int | None) -> Progress:
    """Return the progress display of a kind.

    Args:
        how: "bar", "lines" or "none".
        console: the output.
        size: the number of bytes to read, `None` if it is not known.
    """
    if how == LINES:
        return ProgressLines(console)
    return ProgressBar(console, size) if how == BAR else Progress()

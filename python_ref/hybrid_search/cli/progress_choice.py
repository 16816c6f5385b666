"""How the progress of an `index` is shown: as a bar, as lines of JSON, or not at all (CUR-5)."""

from hybrid_search.cli.console import Console
from hybrid_search.cli.progress import Progress, ProgressBar, ProgressLines

BAR, LINES, NONE = "bar", "lines", "none"


def progress(how: str, console: Console, size: int | None) -> Progress:
    """The progress of that kind.

    Args:
        how: "bar", "lines" or "none".
        console: where it is shown.
        size: how many bytes are to be read, none: not known.
    """
    if how == LINES:
        return ProgressLines(console)
    return ProgressBar(console, size) if how == BAR else Progress()

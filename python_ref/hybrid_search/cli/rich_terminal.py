"""Tables and bars on a terminal, drawn by rich where it is installed (CUR-5); Python only.

Nothing of rich is loaded before something is drawn: who reads JSON in a pipe does not wait for it.
"""

import io
import re
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, cast

from hybrid_search.cli import table_view
from hybrid_search.cli.console import CONTROL, Console
from hybrid_search.cli.progress import PAUSE, WIDTH, Progress

if TYPE_CHECKING:
    from rich.text import Text

MARKS = ("\ue000", "\ue001")
"""Around a match in a cell: they are of no script, and a cell that has them of its own only looks odd."""
LEAST_ROOM = 24
MOST_LINES = 3
"""So many lines the last column takes at the most, about."""
GAP = 2


NUMBER = re.compile(r"-?[0-9.]+")


@cache
def is_there() -> bool:
    """Whether rich is installed."""
    return find_spec("rich") is not None


def table(head: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> str:
    """A table, as wide as the terminal at the most: numbers to the right, the last column wrapped to a few lines.

    Args:
        head: the names of the columns.
        rows: their texts.
        width: how many cells the terminal has in a row.
    """
    from rich.console import Console as RichConsole
    from rich.table import Table

    drawn = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    taken = 0
    for place, name in enumerate(head[:-1]):
        texts = [row[place] for row in rows]
        numbers = all(NUMBER.fullmatch(text) for text in texts)
        drawn.add_column(name, justify="right" if numbers else "left", overflow="fold")
        taken += max(map(table_view.cells, (name, *texts))) + GAP
    drawn.add_column(head[-1], overflow="fold")
    room = max(LEAST_ROOM, width - taken)
    for row in rows:
        drawn.add_row(*(_cell(text, MOST_LINES * room) for text in row))
    out = io.StringIO()
    RichConsole(file=out, force_terminal=True, width=width, highlight=False).print(drawn)
    return "".join(f"{line.rstrip(' ')}\n" for line in out.getvalue().removesuffix("\n").split("\n"))


def _cell(text: str, room: int) -> "Text":
    from rich.text import Text

    cell = Text()
    parts = table_view.cut(CONTROL.sub(" ", text), room).split(MARKS[0])
    cell.append(parts[0])
    for part in parts[1:]:
        match, _, rest = part.partition(MARKS[1])
        cell.append(match, style="bold yellow")
        cell.append(rest)
    return cell


class RichBar(Progress):
    """A bar with counts, rate and the time that is left.

    Args:
        console: the terminal is that of its standard error.
        size: how many bytes are to be read, none: not known.
        clock: tells seconds.
    """

    def __init__(self, console: Console, size: int | None, clock: Callable[[], float] = time.monotonic) -> None:
        from rich import progress
        from rich.console import Console as RichConsole

        told = progress.TextColumn("{task.fields[records]} records  {task.fields[rate]:.0f}/s")
        known: list[progress.ProgressColumn] = [progress.BarColumn(WIDTH), progress.TaskProgressColumn()]
        left = [progress.TimeRemainingColumn(), progress.TextColumn("left")]
        columns = [*known, told, *left] if size else [progress.SpinnerColumn(), told, progress.TimeElapsedColumn()]
        self._clock = clock
        self._started = clock()
        self._shown = self._started - PAUSE
        self._bar = progress.Progress(
            *columns,
            console=RichConsole(file=cast(IO[str], _Errors(console)), force_terminal=True),
            auto_refresh=False,
            get_time=clock,
        )
        self._task = self._bar.add_task("", total=size or None, records=0, rate=0.0)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def stored(self, counts: Mapping[str, Any], read: int) -> None:
        """See `Progress`."""
        now = self._clock()
        records = next(iter(counts.values()))
        rate = records / (now - self._started) if now > self._started else 0.0
        self._bar.update(self._task, completed=read, records=records, rate=rate)
        if now - self._shown >= PAUSE:
            self._shown = now
            self._bar.start()
            self._bar.refresh()


class _Errors(io.TextIOBase):
    """Standard error of a console, as rich writes to it."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def write(self, text: str) -> int:
        self._console.tell(text)
        return len(text)

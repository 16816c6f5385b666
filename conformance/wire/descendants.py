"""Processes that an implementation has started, also those that left its process group: told by a mark they inherit."""

import contextlib
import os
import signal
from pathlib import Path

MARK = "HYBRID_SEARCH_CONFORMANCE_PROCESS"
"""The variable of the environment that holds the mark."""
PROCESSES = Path("/proc")


def alive(mark: str) -> list[int]:
    """The processes that have inherited a mark and have not ended, by number; none where there is no `/proc`.

    One that has ended and whose status nobody has asked for yet does not count.
    """
    wanted = f"{MARK}={mark}".encode("ascii")
    found = []
    for folder in PROCESSES.glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended meanwhile, or belongs to somebody else
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return sorted(found)


def end(mark: str) -> None:
    """End them all, at once."""
    for process in alive(mark):
        with contextlib.suppress(OSError):
            os.kill(process, signal.SIGKILL)

"""What an implementation has started or made, told by a mark that it inherits.

Processes count also if they have left its group. One that was killed leaves files in memory, which would fill it.
"""

import contextlib
import os
import shutil
import signal
from pathlib import Path

MARK = "HYBRID_SEARCH_CONFORMANCE_PROCESS"
"""The variable of the environment that holds the mark."""
PROCESSES = Path("/proc")
MEMORY = Path("/dev/shm")
"""Where implementations make files that need no disk, on Linux, in folders whose names begin with the mark."""


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


def remove_files(mark: str) -> None:
    """Remove the folders in memory that they have left."""
    for folder in MEMORY.glob(f"{mark}*"):
        shutil.rmtree(folder, ignore_errors=True)

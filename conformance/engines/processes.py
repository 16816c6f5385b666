"""Programs that are remembered across runs, and never mistaken for another that has their number by now."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from conformance.engines.errors import EngineError

PAUSE = 0.05
_STATE, _STARTED = 0, 19  # fields 3 and 22 of /proc/PID/stat, counted behind the name in parentheses


@dataclass(frozen=True)
class Program:
    """A running program: its number alone may be given to another program later, with its beginning it is unique.

    Attributes:
        pid: its number.
        started: when it began, in ticks since the machine's own start.
        boot: which start of the machine that was.
    """

    pid: int
    started: int
    boot: str

    @classmethod
    def of(cls, pid: int) -> "Program":
        """The program that has this number now."""
        fields = _stat(pid)
        if fields is None:
            raise EngineError(f"process {pid} has ended already")
        return cls(pid, int(fields[_STARTED]), _boot())

    def alive(self) -> bool:
        """Whether it still runs."""
        fields = _stat(self.pid)
        return (
            fields is not None
            and fields[_STATE] not in "ZX"
            and int(fields[_STARTED]) == self.started
            and self.boot == _boot()
        )

    def tell(self, what: signal.Signals) -> None:
        """Send it a signal; nothing happens when it has ended."""
        try:
            handle = os.pidfd_open(self.pid)
        except ProcessLookupError:
            return
        try:
            if self.alive():  # asked while the handle is held: what gets the signal is what was asked about
                signal.pidfd_send_signal(handle, what)
        except ProcessLookupError:
            pass
        finally:
            os.close(handle)

    def wait(self, seconds: float) -> bool:
        """Wait for its end; returns whether it has ended."""
        until = time.monotonic() + seconds
        while self.alive():
            if time.monotonic() > until:
                return False
            time.sleep(PAUSE)
        return True

    def wait_reaped(self, seconds: float) -> None:
        """Wait until its number is free as well: others may take the remains of a killed program for a running one."""
        until = time.monotonic() + seconds
        while _stat(self.pid) is not None and time.monotonic() < until:
            time.sleep(PAUSE)

    def end(self, polite: signal.Signals, seconds: float) -> None:
        """Ask it to end, and kill it when it has not in time."""
        self.tell(polite)
        if not self.wait(seconds):
            self.tell(signal.SIGKILL)
            if not self.wait(seconds):
                raise EngineError(f"process {self.pid} cannot be ended")


def _stat(pid: int) -> list[str] | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text.rpartition(")")[2].split()


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()

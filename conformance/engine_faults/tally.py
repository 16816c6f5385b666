"""What was counted while a store was under load."""

import threading
import time
from dataclasses import dataclass, field

from conformance.engine_faults.workers import Answer

MOST_TOLD = 20


@dataclass
class Tally:
    """What writers and readers have seen; any thread may add to it.

    Attributes:
        acknowledged: changes that were answered.
        refused: changes that were an error, of which nothing is stored.
        unknown: changes of which the store could not tell whether they are stored.
        unknown_stored: how many of these were.
        late: documents which such a change has changed after it was last looked for.
        reads: questions that were answered.
        reads_refused: questions that were an error.
        worst_read: the most seconds a question took.
        worst_write: the most seconds a change took.
        wrong: whatever must not be.
        messages: error → how often it was seen.
        successes: worker → when it was last answered without an error.
    """

    acknowledged: int = 0
    refused: int = 0
    unknown: int = 0
    unknown_stored: int = 0
    late: int = 0
    reads: int = 0
    reads_refused: int = 0
    worst_read: float = 0.0
    worst_write: float = 0.0
    wrong: list[str] = field(default_factory=list)
    messages: dict[str, int] = field(default_factory=dict)
    successes: dict[str, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def add(self, **counts: int) -> None:
        """Count."""
        with self._lock:
            for name, count in counts.items():
                setattr(self, name, getattr(self, name) + count)

    def saw(self, worker: str, answer: Answer, write: bool) -> None:
        """Note how long an answer took, and whether it was one."""
        with self._lock:
            if write:
                self.worst_write = max(self.worst_write, answer.seconds)
            else:
                self.worst_read = max(self.worst_read, answer.seconds)
            if answer.error:
                what = f"{answer.error}: {answer.message}"
                self.messages[what] = self.messages.get(what, 0) + 1
            else:
                self.successes[worker] = time.monotonic()

    def fault(self, what: str) -> None:
        """Note what must not be."""
        with self._lock:
            if len(self.wrong) < MOST_TOLD:
                self.wrong.append(what)

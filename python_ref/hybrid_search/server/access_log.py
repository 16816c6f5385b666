"""Writes an access log, one line of JSON for each request (CUR-6)."""

import datetime
import threading
from collections.abc import Mapping
from typing import Any

from hybrid_search.base import json_writer, log, validation
from hybrid_search.base.process_lock import ProcessLock


class AccessLog:
    """Writes log entries; a failure to write is logged once and stops nothing.

    Args:
        target: an object with `write`; `None` writes nothing.
    """

    def __init__(self, target: Any) -> None:
        self._target = target
        self._lock = ProcessLock(threading.Lock)
        self._failed = False

    def write(self, entry: Mapping[str, Any]) -> None:
        """Write one entry with the current time first."""
        if self._target is None:
            return
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = json_writer.write({"time": now, **entry}) + "\n"
        try:
            with self._lock.mutex:
                self._target.write(line)
                flush = getattr(self._target, "flush", None)
                if callable(flush):
                    flush()
        except Exception as error:
            if not self._failed:
                log.warning(f"the access log cannot be written: {validation.foreign_error(error)}")
            self._failed = True

"""Reports events to an observer: the operation, its size and its duration (OBS-1)."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from hybrid_search.base import awaitable, log, validation

Observer = Callable[[str, dict[str, Any]], object]
"""A callable that receives the name of an event, such as `search.hybrid_search`, and its data."""


class Observation:
    """Reports events to an observer; without an observer, nothing is measured.

    An error that the observer raises stops nothing; only the first one is logged.

    Args:
        observer: a callable, or `None`.

    Raises:
        InvalidInputError: the observer is not a callable, or is a coroutine function.
    """

    def __init__(self, observer: Observer | None = None) -> None:
        if observer is not None and not callable(observer):
            raise validation.fail("observer", observer, "a callable")
        awaitable.refuse("observer", observer)
        self._observer = observer
        self._failed = False

    @classmethod
    def of(cls, observer: "Observation | Observer | None") -> "Observation":
        """Return the observation of an observer; an `Observation` is returned as it is."""
        return observer if isinstance(observer, Observation) else cls(observer)

    def measure(self, name: str, **data: Any) -> "_Measurement | _Unmeasured":
        """Return a context manager that measures an event; its `update` adds data that is known only at the end.

        Args:
            name: the operation: "search", "recall" …
            data: plain data that is known at the beginning.
        """
        return _UNMEASURED if self._observer is None else _Measurement(self, f"{name}.hybrid_search", data)

    def tell(self, name: str, data: dict[str, Any]) -> None:
        """Report an event to the observer."""
        try:
            if self._observer is not None:
                self._observer(name, data)
        except Exception as problem:
            if not self._failed:
                self._failed = True
                log.warning(f"the observer failed, which is told once: {validation.foreign_error(problem)}")


class _Measurement:
    """An event that is in progress."""

    def __init__(self, observation: Observation, name: str, data: dict[str, Any]) -> None:
        self._observation = observation
        self._name = name
        self._data = data

    def __enter__(self) -> "_Measurement":
        self._began = time.perf_counter()
        return self

    def update(self, **data: Any) -> None:
        """Add to the data of the event."""
        self._data.update(data)

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._data["duration"] = (time.perf_counter() - self._began) * 1000.0
        if kind is not None:
            self._data["error"] = kind.__name__
        self._observation.tell(self._name, self._data)


class _Unmeasured:
    """An event without an observer."""

    def __enter__(self) -> "_Unmeasured":
        return self

    def update(self, **data: Any) -> None:
        """Do nothing."""

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, traceback: TracebackType | None
    ) -> None:
        return None


_UNMEASURED = _Unmeasured()

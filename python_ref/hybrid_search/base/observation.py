"""What an observer is told: what was done, how much of it, and how long it took (OBS-1)."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from hybrid_search.base import awaitable, log, validation

Observer = Callable[[str, dict[str, Any]], object]
"""Called with the name of an event, `search.hybrid_search`, and its data."""


class Observation:
    """Tells an observer of events; without one nothing is measured.

    What an observer raises is logged, the first time, and stops nothing.

    Args:
        observer: a callable, or none.

    Raises:
        InvalidInputError: it is not a callable, or a coroutine function.
    """

    def __init__(self, observer: Observer | None = None) -> None:
        if observer is not None and not callable(observer):
            raise validation.fail("observer", observer, "a callable")
        awaitable.refuse("observer", observer)
        self._observer = observer
        self._failed = False

    @classmethod
    def of(cls, observer: "Observation | Observer | None") -> "Observation":
        """The observation of an observer; one that is an observation already stays."""
        return observer if isinstance(observer, Observation) else cls(observer)

    def measure(self, name: str, **data: Any) -> "_Measurement | _Unmeasured":
        """A block that is an event; what it gives takes what is known only at its end.

        Args:
            name: what is done: "search", "recall" …
            data: plain data that is known at the beginning.
        """
        return _UNMEASURED if self._observer is None else _Measurement(self, f"{name}.hybrid_search", data)

    def tell(self, name: str, data: dict[str, Any]) -> None:
        """Tell the observer of an event."""
        try:
            if self._observer is not None:
                self._observer(name, data)
        except Exception as problem:
            if not self._failed:
                self._failed = True
                log.warning(f"the observer failed, which is told once: {validation.foreign_error(problem)}")


class _Measurement:
    """An event that is under way."""

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
    """An event that nobody is told of."""

    def __enter__(self) -> "_Unmeasured":
        return self

    def update(self, **data: Any) -> None:
        """Nothing."""

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, traceback: TracebackType | None
    ) -> None:
        return None


_UNMEASURED = _Unmeasured()

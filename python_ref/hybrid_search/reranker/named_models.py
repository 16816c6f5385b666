"""The rerank models that searches name (RNK-9)."""

from collections.abc import Mapping
from typing import Any

from hybrid_search.base.process_lock import ProcessLock
from hybrid_search.reranker.rerank_choice import RerankChoice


class NamedModels:
    """Makes each named model once, so that it is loaded once for all searches.

    Safe to use from several threads.
    """

    def __init__(self) -> None:
        self._lock = ProcessLock()
        self._models: dict[str, Any] = {}

    def model(self, given: Any) -> Any:
        """Return the model of a name; anything but a text is returned unchanged.

        Raises:
            InvalidInputError: an unknown name.
            ConfigurationError: the library of the model is not installed.
        """
        if not isinstance(given, str):
            return given
        with self._lock.mutex:
            if given not in self._models:
                self._models[given] = RerankChoice.named(given).made()
            return self._models[given]

    def options(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the options of a search, with the model instead of its name."""
        given = options.get("rerank_model")
        return {**options, "rerank_model": self.model(given)} if isinstance(given, str) else options

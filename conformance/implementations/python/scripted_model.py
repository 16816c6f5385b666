"""A rerank model for cases, which say what it does."""

import time
from typing import Any


class ScriptedModel:
    """A model that gives the scores of a case, raises or is late; keeps what it was asked.

    Args:
        script: what it answers, or an object of `late` (seconds), `raise` (a message), `by_length` (a factor of the
            length of each text), `scores` (text → score) and `answer`.
    """

    def __init__(self, script: Any) -> None:
        self._script = script
        self.asked: list[Any] = []

    def similarity(self, query: str, texts: list[str]) -> Any:
        """What the script says."""
        self.asked.append([query, list(texts)])
        if not isinstance(self._script, dict):
            return self._script
        if "late" in self._script:
            time.sleep(self._script["late"])
        if "raise" in self._script:
            raise RuntimeError(self._script["raise"])
        if "by_length" in self._script:
            return [len(text) * self._script["by_length"] for text in texts]
        if "scores" in self._script:
            return [self._score(text) for text in texts]
        return self._script.get("answer")

    def reversed(self, query: str, texts: list[str]) -> Any:
        """The scores with the other sign."""
        return [-score for score in self.similarity(query, texts)]

    def _score(self, text: str) -> Any:
        if text not in self._script["scores"]:
            raise RuntimeError(f"no score for {text}")
        return self._script["scores"][text]

"""A rewrite of questions for cases, which say what it answers."""

from collections.abc import Sequence
from typing import Any


class ScriptedRewrite:
    """A rewrite that gives the answers of a case one after another; keeps what it was asked.

    Args:
        answers: what it answers, the last one from then on; an object of `raise` is a message that it raises, one of
            `repeat` a text and how often it stands in the answer, one of `append` a text that follows the question.
    """

    def __init__(self, answers: Sequence[Any]) -> None:
        self._answers = answers
        self.asked: list[str] = []

    def __call__(self, question: str) -> Any:
        """What the script says."""
        self.asked.append(question)
        answer = self._answers[min(len(self.asked), len(self._answers)) - 1]
        if isinstance(answer, dict) and "raise" in answer:
            raise RuntimeError(answer["raise"])
        if isinstance(answer, dict) and "repeat" in answer:
            text, count = answer["repeat"]
            return str(text) * int(count)
        if isinstance(answer, dict) and "append" in answer:
            return question + str(answer["append"])
        return answer

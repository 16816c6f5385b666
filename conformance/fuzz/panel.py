"""Implementations asked the same thing at once."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from conformance.implementations.listing import Implementation
from conformance.judging import differences
from conformance.judging.compare import compare, told
from conformance.wire.child import INTERNAL, NO_ANSWER, Child
from conformance.wire.protocol import Message
from conformance.wire.values import canonical

UNSUPPORTED = "unsupported"
SCRIPTED = ("requests.connections", "requests.oceanbase", "requests.postgres")
"""Operations whose cases script the rows that a server returns. A drawn case may send statements for which its script
has no rows, and nobody needs a result for what no server returns."""


class Panel:
    """Running implementations.

    Args:
        implementations: two or more; the others are compared with the first, usually the reference.
        timeout: seconds one answer may take.
    """

    def __init__(self, implementations: Sequence[Implementation], timeout: float) -> None:
        self._children = [Child(one) for one in implementations]
        self.compared = {one.name: 0 for one in implementations[1:]}
        """By implementation, how many of its answers were compared with the first one's."""
        self._timeout = timeout
        self._pool = ThreadPoolExecutor(len(self._children))

    def __enter__(self) -> "Panel":
        return self

    def __exit__(self, *_: Any) -> None:
        for child in self._children:
            child.close()
        self._pool.shutdown()

    def difference(self, operation: str, params: Any, given: Any) -> list[str] | None:
        """What differs from the first answer in that of another, as lines for people; none when all agree.

        A case that both refuse with an error that is not the library's own asks for what the operation does not have.
        If the rows of a server are scripted, it is enough that one of them does.
        Who does not have an operation by its capabilities is not asked; who has it and says that it does not support
        it differs.
        """
        able = [child for child in self._children if child.implementation.supports(operation)]
        if self._children[0] not in able or len(able) < 2:
            return None
        first, *others = self._pool.map(lambda child: self._ask(child, operation, params, given), able)
        name = able[0].implementation.name
        compared = [child.implementation for child in able[1:]]
        for implementation in compared:
            self.compared[implementation.name] += 1
        enough = any if operation in SCRIPTED else all
        found = (
            _difference(name, first, one.name, other, dict(one.ulp_when_drawn).get(operation, 0))
            for one, other in zip(compared, others, strict=True)
            if not enough(map(_is_internal, (first, other)))
        )
        return next((lines for lines in found if lines is not None), None)

    def _ask(self, child: Child, operation: str, params: Any, given: Any) -> Message:
        try:
            return child.ask(operation, params, given, want_trace=False, timeout=self._timeout)
        except NO_ANSWER as problem:
            return {"error": {"class": f"no answer ({type(problem).__name__})", "message": str(problem)}}


def _difference(name: str, first: Message, other_name: str, other: Message, ulp: int) -> list[str] | None:
    if "value" in first and "value" in other:
        verdict = compare(first["value"], other["value"], tolerance=ulp)
        if verdict.same:
            return None
        apart = f", {told(verdict.ulp)}" if verdict.ulp else ""
        head = f"{other_name} is not as {name}: value at {verdict.path}{apart}"
        return [head, *differences.describe(first["value"], other["value"])]
    if canonical(_said(first)) == canonical(_said(other)):
        return None
    return [f"{name}: {_told(first)}", f"{other_name}: {_told(other)}"]


def _said(answer: Message) -> Message:
    return {key: answer[key] for key in ("value", "error", UNSUPPORTED) if key in answer}


def _is_internal(answer: Message) -> bool:
    return bool(answer.get("error", {}).get("class", "").startswith(INTERNAL))


def _told(answer: Message) -> str:
    if "error" in answer:
        return f"{answer['error']['class']}: {answer['error']['message']}"
    if UNSUPPORTED in answer:
        return f"says that it does not support {answer[UNSUPPORTED]}, which is among its capabilities"
    text = canonical(differences.readable(answer["value"]))
    return text if len(text) <= differences.LONGEST else f"{text[: differences.LONGEST]}…"

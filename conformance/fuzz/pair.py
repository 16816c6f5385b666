"""Two implementations asked the same thing at once."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from conformance.implementations.listing import Implementation
from conformance.judging import differences
from conformance.judging.compare import compare
from conformance.wire.child import INTERNAL, NO_ANSWER, Child
from conformance.wire.protocol import Message
from conformance.wire.values import canonical

UNSUPPORTED = "unsupported"


class Pair:
    """Two running implementations.

    Args:
        first: usually the reference.
        second: usually a port.
        timeout: seconds one answer may take.
    """

    def __init__(self, first: Implementation, second: Implementation, timeout: float) -> None:
        self._children = (Child(first), Child(second))
        self._timeout = timeout
        self._pool = ThreadPoolExecutor(2)

    def __enter__(self) -> "Pair":
        return self

    def __exit__(self, *_: Any) -> None:
        for child in self._children:
            child.close()
        self._pool.shutdown()

    def difference(self, operation: str, params: Any, given: Any) -> list[str] | None:
        """What differs in the answers, as lines for people; none when they agree.

        A case that both refuse with an error that is not the library's own asks for what the operation does not have;
        one that either does not support is no comparison.
        """
        one, other = self._pool.map(lambda child: self._ask(child, operation, params, given), self._children)
        names = [child.implementation.name for child in self._children]
        if UNSUPPORTED in one or UNSUPPORTED in other:
            return None
        if _is_internal(one) and _is_internal(other):
            return None
        if "value" in one and "value" in other:
            verdict = compare(one["value"], other["value"])
            if verdict.same:
                return None
            head = [f"value at {verdict.path}" + (f", {verdict.ulp} ULP apart" if verdict.ulp else "")]
            return head + differences.describe(one["value"], other["value"])
        if canonical(_said(one)) == canonical(_said(other)):
            return None
        return [f"{name}: {_told(answer)}" for name, answer in zip(names, (one, other), strict=True)]

    def _ask(self, child: Child, operation: str, params: Any, given: Any) -> Message:
        try:
            return child.ask(operation, params, given, want_trace=False, timeout=self._timeout)
        except NO_ANSWER as problem:
            return {"error": {"class": f"no answer ({type(problem).__name__})", "message": str(problem)}}


def _said(answer: Message) -> Message:
    return {key: answer[key] for key in ("value", "error") if key in answer}


def _is_internal(answer: Message) -> bool:
    return bool(answer.get("error", {}).get("class", "").startswith(INTERNAL))


def _told(answer: Message) -> str:
    if "error" in answer:
        return f"{answer['error']['class']}: {answer['error']['message']}"
    text = canonical(differences.readable(answer["value"]))
    return text if len(text) <= differences.LONGEST else f"{text[: differences.LONGEST]}…"

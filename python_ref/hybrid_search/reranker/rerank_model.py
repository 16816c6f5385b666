"""Wraps any rerank model with checks, scaling and a time limit (RNK-3, RNK-7)."""

import math
import threading
from collections.abc import Callable, Sequence
from contextvars import copy_context
from typing import Any

import numpy as np

from hybrid_search.base import awaitable, log, object_checks, validation
from hybrid_search.errors import InvalidInputError, RerankError
from hybrid_search.fusion import normalizer
from hybrid_search.protocols import RerankSource

SMALLEST_SPREAD = 1e-3
LONGEST_WAIT = 1e9
"""The maximum wait in seconds; interpreters cannot wait for much longer."""

GRACE = 0.2
"""The seconds of grace in which a model that enforces its own time limit may still report that it was late."""

MOST_LEFT_BEHIND = 32
"""The maximum number of abandoned late calls in a process."""

_left_behind: set[threading.Thread] = set()


def accept(name: str, model: Any) -> Any:
    """Return the given model.

    Raises:
        InvalidInputError: the model is neither a callable nor an object with `similarity`, or it is asynchronous.
    """
    if not object_checks.able(model, ("similarity",)):
        raise validation.fail(name, model, "a callable or an object with similarity")
    awaitable.refuse(name, model, ("similarity",))
    return model


class RerankModel:
    """A model that scores texts against a query.

    Args:
        model: an object with `similarity(query, texts)`, or an equivalent callable, which returns one finite number for
            each text.
        fail_open: whether a failing or late model causes a warning (true) or a `RerankError`.
        rerank_timeout: maximum number of seconds for the model, over all batches; above 0. A model with
            `limited_to(seconds)`, such as `HttpReranker`, enforces the limit itself. Any other late model cannot be
            stopped: its result is discarded, and the call continues in a thread of its own. After 32 such abandoned
            calls, no model is called until one of them ends.
        rerank_batch_size: the maximum number of texts in one call, at least 1; `None` passes all texts at once. Scaling
            always considers all scores together.
        name: the name of the model in messages.

    Raises:
        InvalidInputError: an argument is not acceptable.
    """

    @validation.known_options(("model", "fail_open", "rerank_timeout", "rerank_batch_size"))
    def __init__(
        self,
        model: RerankSource,
        fail_open: bool = True,
        rerank_timeout: float = 30.0,
        rerank_batch_size: int | None = None,
        name: str = "model",
    ) -> None:
        self._model: Any = accept(name, model)
        self._fail_open = validation.boolean("fail_open", fail_open)
        self._timeout = validation.number("rerank_timeout", rerank_timeout)
        if self._timeout <= 0.0:
            raise InvalidInputError(
                f"rerank_timeout must be a number above 0, not {validation.describe(rerank_timeout)}"
            )

        self._batch_size = (
            None if rerank_batch_size is None else validation.integer("rerank_batch_size", rerank_batch_size, 1)
        )

    def attempt(self, query: str, texts: Sequence[str], scaled: bool = True) -> tuple[list[float] | None, str | None]:
        """Return the scores and no warning; or no scores and a warning, if the model fails and `fail_open` is true.

        Args:
            query: the query as typed.
            texts: the texts to score.
            scaled: whether to scale the scores to [0, 1] (RNK-3) or return the model's own (DFY-4).

        Raises:
            RerankError: the model failed or was late, and `fail_open` is false.
        """
        try:
            return (self.scores if scaled else self.raw_scores)(query, texts), None
        except RerankError as problem:
            if not self._fail_open:
                log.warning(str(problem))
                raise
            warning = f"ranked without the rerank model: {problem}"
            log.warning(warning)
            return None, warning

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the model's scores on [0, 1]; zeros for an empty query or no texts, without calling the model.

        Raises:
            RerankError: the model raised, was late, or returned a wrong number of scores or unusable ones.
        """
        return self.scale(self.raw_scores(query, texts))

    def raw_scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the model's own scores; zeros for an empty query or no texts, without calling the model.

        Raises:
            RerankError: as for `scores`.
        """
        query = validation.text("query", query)
        checked = validation.texts("texts", texts)
        if not query or not checked:
            return [0.0] * len(checked)
        return self._call(query, checked)

    @staticmethod
    def scale(scores: Sequence[float]) -> list[float]:
        """Return finite scores on [0, 1], unchanged if all are in that range.

        Otherwise they become (x - min) / (max - min), or are clamped if the spread is below 0.001. All scores are
        considered together.

        Raises:
            RerankError: the spread overflows.
        """
        if all(0.0 <= score <= 1.0 for score in scores):
            return list(scores)
        spread = max(scores) - min(scores)
        if not math.isfinite(spread):
            raise RerankError("the spread of the rerank model's scores is not finite")
        if spread < SMALLEST_SPREAD:
            return [_clamp(score) for score in scores]
        return normalizer.min_max(scores)

    def _call(self, query: str, texts: list[str]) -> list[float]:
        """Return the model's scores, computed in a thread of its own, so that a late call can be abandoned."""
        if callable(getattr(self._model, "scores_within", None)):  # an AsyncIndex has its own threads
            return self._checked(self._model.scores_within(self._timeout, query, texts), len(texts))
        function, seconds = self._function()
        scores: list[list[float]] = []
        problem: list[Exception] = []
        late = threading.Event()

        def run() -> None:
            try:
                scores.append(self._in_batches(function, query, texts, late))
            except Exception as caught:
                problem.append(caught)

        thread = self._started(run)
        thread.join(min(seconds, LONGEST_WAIT))
        if problem:
            if isinstance(problem[0], RerankError):
                raise problem[0]
            raise RerankError(f"the rerank model failed: {validation.foreign_error(problem[0])}") from problem[0]
        if not scores:
            late.set()
            _left_behind.add(thread)
            raise RerankError(f"the rerank model gave no answer within {validation.describe(self._timeout)} seconds")
        return scores[0]

    def _function(self) -> tuple[Any, float]:
        """Return the function that scores, and the number of seconds after which to abandon it."""
        if callable(getattr(self._model, "limited_to", None)):
            return self._model.limited_to(self._timeout), self._timeout + GRACE
        return (
            self._model.similarity if callable(getattr(self._model, "similarity", None)) else self._model
        ), self._timeout

    @staticmethod
    def _started(run: Callable[[], None]) -> threading.Thread:
        """Return a new thread that runs the function, unless too many calls have been abandoned."""
        _left_behind.difference_update([thread for thread in _left_behind.copy() if not thread.is_alive()])
        if len(_left_behind) >= MOST_LEFT_BEHIND:
            raise RerankError(f"the rerank model was not called: {MOST_LEFT_BEHIND} late calls are still under way")
        thread = threading.Thread(target=copy_context().run, args=(run,), name="rerank model", daemon=True)
        thread.start()
        return thread

    def _in_batches(self, function: Any, query: str, texts: list[str], late: threading.Event) -> list[float]:
        """Return the scores of all batches, in text order; no further batch begins once it is too late."""
        scores: list[float] = []
        for start in range(0, len(texts), self._batch_size or len(texts)):
            if late.is_set():
                break
            batch = texts[start : start + (self._batch_size or len(texts))]
            scores += self._checked(function(query, batch), len(batch))
        return scores

    @staticmethod
    def _checked(answer: Any, count: int) -> list[float]:
        awaitable.refuse_answer("the rerank model", answer, RerankError)
        values = answer.tolist() if isinstance(answer, np.ndarray) else answer
        if not isinstance(values, (list, tuple)):
            raise validation.fail("the rerank model's answer", values, "a list of scores", RerankError)
        if len(values) != count:
            raise RerankError(f"the rerank model gave {len(values)} scores for {count} texts")
        try:
            return [validation.number(f"scores[{index}]", value) for index, value in enumerate(values)]
        except InvalidInputError as problem:
            raise RerankError(f"the rerank model gave an unusable score: {problem}") from None


def _clamp(score: float) -> float:
    if score < 0.0:
        return 0.0
    return 1.0 if score > 1.0 else score

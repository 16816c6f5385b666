"""Wraps the providers of an `AsyncIndex` in the form that the plain library calls (ASY-2); Python only."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

from hybrid_search.base import object_checks
from hybrid_search.base.provider_proxy import ProviderProxy
from hybrid_search.concurrency.async_calls import Abandoned, AsyncCall
from hybrid_search.embedding.provider import METHODS, Provider
from hybrid_search.errors import RerankError
from hybrid_search.reranker.rerank_model import LONGEST_WAIT, RerankModel


def embedding_provider(provider: Any) -> Any:
    """Return a wrapped provider, whose methods may be asynchronous; other values are returned as they are."""
    if not object_checks.able(provider, METHODS):
        return provider
    accepted = Provider(provider)
    made: Any = _asking(provider) if accepted.is_called else _Provider()
    for name in accepted.methods:
        setattr(made, name, _asking(getattr(provider, name)))
    made.model = accepted.model
    made.dimension = getattr(provider, "dimension", None)
    made.needs_model = getattr(provider, "needs_model", True)
    return made


def rerank_model(model: Any) -> Any:
    """Return a wrapped rerank model, which may be asynchronous; other values are returned as they are."""
    if callable(model) or callable(getattr(model, "similarity", None)):
        return _Model(model)
    return model


def rewrite(function: Any) -> Any:
    """Return a rewrite that may be called or awaited; an object that cannot be called is returned, to be refused."""
    return _asking(function) if callable(function) else function


class _Provider:
    """An embedding provider with methods."""


class _Model(ProviderProxy):
    """A rerank model that gives its place to compute to others while it works; see `RerankModel`."""

    def similarity(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the scores, without a time limit."""
        return self.scores_within(LONGEST_WAIT, query, texts)

    def scores_within(self, seconds: float, query: str, texts: Sequence[str]) -> list[float]:
        """Return the scores if they arrive in time; a late awaitable is cancelled.

        Raises:
            RerankError: the model failed or was late, or returned a wrong number of scores or unusable ones.
            Abandoned: the call was cancelled.
        """
        call = AsyncCall.current()
        with call.waiting(), call.part() as part:
            model = self.original if callable(getattr(self.original, "limited_to", None)) else self._awaited(part)
            try:
                return RerankModel(model, fail_open=False, rerank_timeout=seconds).raw_scores(query, texts)
            except RerankError:
                call.check()
                raise

    def _awaited(self, part: AsyncCall) -> Callable[[str, list[str]], Any]:
        function = self.original.similarity if callable(getattr(self.original, "similarity", None)) else self.original

        def scores(query: str, texts: list[str]) -> Any:
            try:
                return part.awaited(function(query, texts))
            except Abandoned:
                raise RerankError("the rerank model was left behind") from None

        return scores


def _asking(function: Callable[[Any], Any]) -> Any:
    """Return a function that calls this one through the current call."""
    return functools.partial(_ask, function)


def _ask(function: Callable[[Any], Any], argument: Any) -> Any:
    return AsyncCall.current().ask(function, argument)

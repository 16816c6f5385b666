"""Providers of an `AsyncIndex`, in the form in which the plain library calls them (ASY-2); Python only."""

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
    """The same provider, whose methods may be called or awaited; what is no provider stays, to be refused."""
    if not object_checks.able(provider, METHODS):
        return provider
    accepted = Provider(provider)
    made: Any = _asking(provider) if accepted.is_called else _Provider()
    for name in accepted.methods:
        setattr(made, name, _asking(getattr(provider, name)))
    made.model = accepted.model
    made.dimension = getattr(provider, "dimension", None)
    return made


def rerank_model(model: Any) -> Any:
    """The same rerank model, which may be called or awaited; what is no model stays, to be refused."""
    if callable(model) or callable(getattr(model, "similarity", None)):
        return _Model(model)
    return model


class _Provider:
    """An embedding provider with methods."""


class _Model(ProviderProxy):
    """A rerank model that leaves the place to compute while it works; see `RerankModel`."""

    def similarity(self, query: str, texts: Sequence[str]) -> list[float]:
        """The scores, however long they take."""
        return self.scores_within(LONGEST_WAIT, query, texts)

    def scores_within(self, seconds: float, query: str, texts: Sequence[str]) -> list[float]:
        """The scores, if they are there in time; what is awaited and late is cancelled.

        Raises:
            RerankError: the model failed or was late, or gave another number of scores or unusable ones.
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
    """A function that asks in the place of this one."""
    return functools.partial(_ask, function)


def _ask(function: Callable[[Any], Any], argument: Any) -> Any:
    return AsyncCall.current().ask(function, argument)

"""Checks that refuse asynchronous providers where synchronous ones are expected (ASY-1); Python only."""

import functools
import inspect
from collections.abc import Sequence
from typing import Any

from hybrid_search.errors import HybridSearchError, InvalidInputError

WHO_AWAITS = "which only AsyncIndex awaits"


def refuse(name: str, provider: Any, methods: Sequence[str] = ()) -> None:
    """Refuse a provider whose calls would have to be awaited.

    Args:
        name: the argument, for the message.
        provider: a callable, or an object with some of the methods.
        methods: the methods of the provider that the caller will call.

    Raises:
        InvalidInputError: the provider, or one of these methods, is a coroutine function.
    """
    called = [(f"{name}.{method}", getattr(provider, method, None)) for method in methods]
    there = [(place, function) for place, function in called if callable(function)]
    for place, function in there or [(name, provider)]:
        if _is_coroutine_function(function):
            raise InvalidInputError(f"{place} is a coroutine function (async def), {WHO_AWAITS}")


def refuse_answer(who: str, answer: Any, error: type[HybridSearchError]) -> None:
    """Refuse a return value that would have to be awaited.

    Args:
        who: the provider that returned it, for the message: "the rerank model" …
        answer: the returned value; a coroutine is closed, since it will never be awaited.
        error: the class of the error.
    """
    if inspect.isawaitable(answer):
        if inspect.iscoroutine(answer):
            answer.close()
        raise error(f"{who} returned an awaitable, {WHO_AWAITS}")


def _is_coroutine_function(function: Any) -> bool:
    while isinstance(function, functools.partial):
        function = function.func
    called = type(function).__call__ if callable(function) else None
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called)

"""Checks of the objects that are put together, where they are given (ERR-3): what is called of them is there."""

from collections.abc import Sequence
from typing import Any, TypeVar

from hybrid_search import _validation as validation
from hybrid_search.errors import HybridSearchError

Kind = TypeVar("Kind")


def instance(name: str, value: Any, kind: type[Kind], accepted: str) -> Kind:
    """An object of a class of ours.

    Args:
        name: the argument.
        value: what was given.
        kind: the class.
        accepted: what is accepted, for the message.

    Raises:
        InvalidInputError: anything else.
    """
    if not isinstance(value, kind):
        raise validation.fail(name, value, accepted)
    return value


def having(name: str, value: Any, methods: Sequence[str], accepted: str) -> Any:
    """An object with all of some methods, whatever its class.

    Args:
        name: the argument.
        value: what was given.
        methods: what is called of it.
        accepted: what is accepted, for the message.

    Raises:
        InvalidInputError: a class, or an object without one of them; the message names those that one with others has
            not.
    """
    missing = [name for name in methods if not has(value, name)]
    if missing:
        raise failure(name, value, accepted, [] if len(missing) == len(methods) else missing)
    return value


def failure(name: str, value: Any, accepted: str, missing: Sequence[str]) -> HybridSearchError:
    """The error for an object that is not accepted, with the methods that it lacks."""
    wrong = validation.fail(name, value, accepted)
    return type(wrong)(f"{wrong}, which has no {', '.join(missing)}") if missing else wrong


def able(value: Any, methods: Sequence[str] = ()) -> bool:
    """Whether something can be called, or has one of some methods."""
    return not _is_data(value) and (callable(value) or any(has(value, name) for name in methods))


def has(value: Any, name: str) -> bool:
    """Whether there is such a method; one that is a property counts too. Data and classes have none that count."""
    return not _is_data(value) and (hasattr(type(value), name) or hasattr(value, name))


def _is_data(value: Any) -> bool:
    """Whether messages have a word for it: a text, say, whose `encode` makes no embedding of it."""
    return not validation.describe(value).startswith(validation.OTHER_TYPE)

"""Checks of the objects that are put together, where they are given (ERR-3): what is called of them is there."""

from collections.abc import Sequence
from types import MethodType
from typing import Any, TypeVar

from hybrid_search.base import validation
from hybrid_search.base.provider_proxy import ProviderProxy
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
    return not validation.is_foreign(value)


class Same:
    """An object as part of a key: another one is another key, and who keeps the key keeps the object.

    A method is the same as long as its object and its function are, and a `ProviderProxy` as long as its original is.

    Args:
        value: the object.
    """

    def __init__(self, value: Any) -> None:
        original = value.original if isinstance(value, ProviderProxy) else value
        self._parts = (original.__self__, original.__func__) if isinstance(original, MethodType) else (original,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self._ids() == other._ids()

    def __hash__(self) -> int:
        return hash(self._ids())

    def _ids(self) -> Sequence[int]:
        return tuple(id(part) for part in self._parts)

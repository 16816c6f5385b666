"""Checks that objects passed to a constructor have the methods that will be called on them (ERR-3)."""

from collections.abc import Sequence
from types import MethodType
from typing import Any, TypeVar

from hybrid_search.base import validation
from hybrid_search.base.provider_proxy import ProviderProxy
from hybrid_search.errors import HybridSearchError

Kind = TypeVar("Kind")


def instance(name: str, value: Any, kind: type[Kind], accepted: str) -> Kind:
    """Return the value if it is an instance of one of the library's classes.

    Args:
        name: the argument.
        value: the value to check.
        kind: the class.
        accepted: the accepted values, for the message.

    Raises:
        InvalidInputError: the value is not an instance of the class.
    """
    if not isinstance(value, kind):
        raise validation.fail(name, value, accepted)
    return value


def having(name: str, value: Any, methods: Sequence[str], accepted: str) -> Any:
    """Return the value if it has all of the methods; its class does not matter.

    Args:
        name: the argument.
        value: the value to check.
        methods: the methods that will be called on it.
        accepted: the accepted values, for the message.

    Raises:
        InvalidInputError: the value is a class, or lacks one of the methods. If it has some of them, the message names
            those that it lacks.
    """
    missing = [name for name in methods if not has(value, name)]
    if missing:
        raise failure(name, value, accepted, [] if len(missing) == len(methods) else missing)
    return value


def failure(name: str, value: Any, accepted: str, missing: Sequence[str]) -> HybridSearchError:
    """Return the error for an object that is not accepted, with the methods that it lacks."""
    wrong = validation.fail(name, value, accepted)
    return type(wrong)(f"{wrong}, which has no {', '.join(missing)}") if missing else wrong


def able(value: Any, methods: Sequence[str] = ()) -> bool:
    """Return whether a value can be called, or has at least one of the methods."""
    return not _is_data(value) and (callable(value) or any(has(value, name) for name in methods))


def has(value: Any, name: str) -> bool:
    """Return whether a value has a method; a property counts as one. Data and classes have no methods that count."""
    return not _is_data(value) and (hasattr(type(value), name) or hasattr(value, name))


def _is_data(value: Any) -> bool:
    """Return whether messages have a word for the value: a text, for example, has an `encode` but embeds nothing."""
    return not validation.is_foreign(value)


class Same:
    """Makes an object part of a key, compared by identity; the key keeps the object alive.

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

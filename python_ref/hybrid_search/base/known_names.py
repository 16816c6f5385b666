"""Raises errors for unknown attributes that suggest the name that was probably meant (ERR-1)."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NoReturn

from hybrid_search.base import validation


class KnownNames:
    """An object whose `AttributeError` suggests the right name, as in `page.results`; did you mean "hits"?"""

    if not TYPE_CHECKING:  # type checkers report unknown names themselves

        def __getattr__(self, name: str) -> NoReturn:
            """Raise the error for an unknown name."""
            raise no_attribute(type(self).__name__, name, dir(self))


class KnownClassNames(type):
    """A class of classes that does the same for class attributes, as in `Index.load`; did you mean "open"?"""

    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> NoReturn:
            """Raise the error for an unknown name."""
            raise no_attribute(cls.__name__, name, dir(cls))


def no_attribute(owner: str, name: str, names: Iterable[str]) -> AttributeError:
    """Return the error for a name that is not one of `names`."""
    if name.startswith("__"):
        return AttributeError(f"{owner} has no attribute {name!r}")
    public = [each for each in names if not each.startswith("_")]
    hint = validation.nearest(name, public)
    advice = f". Known: {', '.join(public)}" if hint is None else f"; did you mean {validation.describe(hint)}?"
    return AttributeError(f"unknown attribute of {owner} {validation.describe(name)}{advice}")

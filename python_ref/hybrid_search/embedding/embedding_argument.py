"""Checks an argument that makes vectors (ERR-3)."""

from enum import Enum
from typing import Any

from hybrid_search.embedding import provider as embedding_provider
from hybrid_search.embedding.embedding import Embedding


class NotGiven(Enum):
    """The default of an argument for which `None` has a meaning of its own."""

    NOT_GIVEN = "not given"

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN = NotGiven.NOT_GIVEN


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that are not `NOT_GIVEN`."""
    return {name: value for name, value in options.items() if value is not NOT_GIVEN}


ACCEPTED = f"an Embedding, {embedding_provider.ACCEPTED}"


def accept(name: str, value: Any) -> Embedding | None:
    """Return the given embedding, or one of a provider or of the name of a model; `None` for `None`.

    Raises:
        InvalidInputError: the value is none of these, or must be awaited; the message begins with `name`.
        ConfigurationError: the library of a named model is not installed.
    """
    if value is None or isinstance(value, Embedding):
        return value
    if isinstance(value, str):
        return Embedding.named(value)
    embedding_provider.accept(name, value, ACCEPTED)
    return Embedding(value)

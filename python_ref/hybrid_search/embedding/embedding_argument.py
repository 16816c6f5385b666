"""What vectors may be asked of, checked where it is given (ERR-3)."""

from enum import Enum
from typing import Any

from hybrid_search.embedding import provider as embedding_provider
from hybrid_search.embedding.embedding import Embedding


class NotGiven(Enum):
    """What stands for an argument that was not given, where none says something else."""

    NOT_GIVEN = "not given"

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN = NotGiven.NOT_GIVEN


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value is not NOT_GIVEN}


ACCEPTED = f"an Embedding, {embedding_provider.ACCEPTED}"


def accept(name: str, value: Any) -> Embedding | None:
    """Return the embedding that was given, or one of a provider or of the name of a model; None for None.

    Raises:
        InvalidInputError: neither, or a provider that has to be awaited; the message begins with `name`.
        ConfigurationError: the library of a named model is not installed.
    """
    if value is None or isinstance(value, Embedding):
        return value
    if isinstance(value, str):
        return Embedding.named(value)
    embedding_provider.accept(name, value, ACCEPTED)
    return Embedding(value)

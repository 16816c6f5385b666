"""What vectors may be asked of, checked where it is given (ERR-3)."""

from enum import Enum
from typing import Any

from hybrid_search import _awaitable as awaitable
from hybrid_search import _collaborators as collaborators
from hybrid_search import _validation as validation
from hybrid_search.embedding.embedding import METHODS, Embedding


class NotGiven(Enum):
    """What stands for an argument that was not given, where none says something else."""

    NOT_GIVEN = "not given"

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN = NotGiven.NOT_GIVEN


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value is not NOT_GIVEN}


ACCEPTED = "an Embedding, a callable, or an object with encode or encode_queries"


def accept(name: str, value: Any) -> Embedding | None:
    """The embedding that was given, or one of a provider; none of none.

    Raises:
        InvalidInputError: neither, or a provider that has to be awaited; the message begins with `name`.
    """
    if value is None or isinstance(value, Embedding):
        return value
    if not collaborators.able(value, METHODS):
        raise validation.fail(name, value, ACCEPTED)
    awaitable.refuse(name, value, METHODS)
    return Embedding(value)

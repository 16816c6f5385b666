"""What vectors may be asked of, checked where it is given (ERR-3)."""

from typing import Any

from hybrid_search import _awaitable as awaitable
from hybrid_search import _collaborators as collaborators
from hybrid_search import _validation as validation
from hybrid_search.embedding.embedding import METHODS, Embedding

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

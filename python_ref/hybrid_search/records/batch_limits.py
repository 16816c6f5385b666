"""The limits of a batch of records, which is stored at once (IDX-3)."""

from collections.abc import Mapping, Sized
from typing import Any

from hybrid_search.base import validation

MOST_RECORDS = 2048
MOST_CHARACTERS = 1 << 21
"""The number of characters of contents and components of vectors that ends a batch."""
MOST_WITHOUT_VECTOR = 256
"""The number of records whose vectors a model must compute; they are lost if the batch is."""


class BatchLimits:
    """Divides a sequence of records into batches.

    Large batches are stored faster, as each batch changes the places of all tokens that it contains.

    Args:
        size: the number of records in a batch; `None`: a batch ends with the record that reaches one of the limits
            above.
        has_model: whether a model makes the vectors of records without one.
    """

    def __init__(self, size: int | None, has_model: bool) -> None:
        self._size = size
        self._has_model = has_model
        self._begin()

    def is_whole_with(self, record: Any) -> bool:
        """Return whether a batch ends with this record, the next one of the sequence; it need not be checked yet."""
        self._records += 1
        if self._size is None:
            content, vector = _lengths(record)
            self._characters += content + vector
            self._without_vector += self._has_model and vector == 0
            is_whole = (
                self._records == MOST_RECORDS
                or self._characters >= MOST_CHARACTERS
                or self._without_vector == MOST_WITHOUT_VECTOR
            )
        else:
            is_whole = self._records == self._size
        if is_whole:
            self._begin()
        return is_whole

    def _begin(self) -> None:
        self._records = self._characters = self._without_vector = 0


def checked(size: Any, name: str = "batch_size") -> int | None:
    """Return the size of batches, or `None` for the limits above.

    Raises:
        InvalidInputError: it is neither `None` nor an integer ≥ 1.
    """
    return None if size is None else validation.integer(name, size, 1)


def _lengths(record: Any) -> tuple[int, int]:
    """Return the lengths of the content and of the vector of a record; 0 for what is neither."""
    if not isinstance(record, Mapping):
        return 0, 0
    return _length(record.get("content")), _length(record.get("vector"))


def _length(value: Any) -> int:
    return len(value) if isinstance(value, Sized) else 0

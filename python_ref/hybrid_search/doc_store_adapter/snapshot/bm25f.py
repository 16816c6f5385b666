"""BM25F: one score of a bag of tokens over several fields of a document (DOC-9)."""

import math
from typing import Any

K1 = 1.2
"""How soon repetition saturates."""
B = 0.75
"""How much long fields are held back."""


def idf(documents: int, holding: int) -> float:
    """The weight of a token; above 0.

    Args:
        documents: how many documents there are.
        holding: how many of them hold the token in a field that is looked into.
    """
    return math.log(1.0 + (documents - holding + 0.5) / (holding + 0.5))


def frequency(weight: float, count: Any, length: Any, average_length: float) -> Any:
    """What a field adds to the frequency of a token; numbers, or arrays of them over many documents.

    Args:
        weight: of the field.
        count: how often the field holds the token.
        length: how many tokens it has.
        average_length: the mean of `length` over all documents whose field is not empty.
    """
    return weight * count / ((1.0 - B) + B * length / average_length)


def score(count: int, weight: float, total: Any) -> Any:
    """The score of a token.

    Args:
        count: how often the question holds it.
        weight: its idf.
        total: its frequency in a document, over all fields.
    """
    return count * (weight * (total / (total + K1)))

"""BM25F: one score of a bag of tokens over several fields of a document (DOC-9)."""

import math
from typing import Any

K1 = 1.2
"""The saturation of repeated tokens."""
B = 0.75
"""The strength of length normalization, 0 to 1."""


def idf(documents: int, holding: int) -> float:
    """Return the weight of a token, which is above 0.

    Args:
        documents: the number of documents.
        holding: the number of documents that contain the token in one of the searched fields.
    """
    return math.log(1.0 + (documents - holding + 0.5) / (holding + 0.5))


def frequency(weight: float, count: Any, length: Any, average_length: float) -> Any:
    """Return the share of a field in a token's frequency: a number, or an array for many documents.

    Args:
        weight: the weight of the field.
        count: the number of occurrences of the token in the field.
        length: the number of tokens of the field.
        average_length: the mean of `length` over all documents whose field is not empty.
    """
    return weight * count / ((1.0 - B) + B * length / average_length)


def score(count: int, weight: float, total: Any) -> Any:
    """Return the score of a token.

    Args:
        count: the number of occurrences of the token in the question.
        weight: the idf of the token.
        total: the frequency of the token in a document, over all fields.
    """
    return count * (weight * (total / (total + K1)))

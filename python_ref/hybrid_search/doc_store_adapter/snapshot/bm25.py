"""The BM25 of `rank_bm25.BM25Okapi` and that of Lucene (DOC-3)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hybrid_search.base import validation

VARIANTS = ("okapi", "lucene")


@dataclass(frozen=True, slots=True)
class Bm25:
    """The formula of one variant.

    Attributes:
        variant: "okapi" or "lucene".
        k1: the saturation of repeated terms.
        b: the strength of length normalization, 0 to 1.
        epsilon: the part of the average idf to which a negative idf is raised; okapi only.
    """

    variant: str
    k1: float
    b: float
    epsilon: float

    @staticmethod
    def of(variant: str) -> "Bm25":
        """Return the variant of this name, with its constants (okapi k1 1.5, lucene k1 1.2, b 0.75)."""
        validation.choice("bm25", variant, VARIANTS)
        return Bm25(variant, 1.5 if variant == "okapi" else 1.2, 0.75, 0.25)

    def raw_idf(self, documents: int, holding: int) -> float:
        """Return the idf of a term before any floor.

        Args:
            documents: the number of documents that have the field.
            holding: the number of those that contain the term; at least 1.
        """
        if self.variant == "lucene":
            return math.log(1.0 + (documents - holding + 0.5) / (holding + 0.5))
        return math.log(documents - holding + 0.5) - math.log(holding + 0.5)

    def average_idf(self, documents: int, counts: Mapping[int, int]) -> float:
        """Return the mean of the raw idf over all terms of a field.

        The sum adds terms in ascending order of their document frequency, and those of equal frequency as one product
        (count · idf). This order does not depend on the order of documents (ORD-3). `rank_bm25` adds term by term in
        the order of the corpus, so that its average may differ in the last bits. Scores differ only for terms whose idf
        is raised to the floor.

        Args:
            documents: the number of documents that have the field.
            counts: document frequency → the number of terms that have it; at least one.
        """
        total = 0.0
        terms = 0
        for frequency in sorted(counts):
            total = total + counts[frequency] * self.raw_idf(documents, frequency)
            terms += counts[frequency]
        return total / terms

    def saturation_length(self, length: Any, average_length: float) -> Any:
        """Return the length normalization of a document: a number, or an array for many documents.

        Args:
            length: the number of tokens of the field.
            average_length: the mean of `length` over all documents with the field.
        """
        return self.k1 * (1 - self.b + self.b * length / average_length)

    def score(self, idf: float, frequency: Any, saturation_length: Any) -> Any:
        """Return the score of a term in a document: a number, or an array for many documents.

        Args:
            idf: the idf of the term, with the floor.
            frequency: the number of occurrences of the term, or the phrase frequency.
            saturation_length: a result of `saturation_length`.
        """
        saturation = frequency + saturation_length
        if self.variant == "lucene":
            return idf * (frequency / saturation)
        return idf * (frequency * (self.k1 + 1) / saturation)

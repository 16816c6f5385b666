"""BM25 as in `rank_bm25.BM25Okapi`, and as in Lucene (DOC-3)."""

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
        k1: how soon repetition saturates.
        b: how much long documents are held back.
        epsilon: the part of the average idf that a negative idf is raised to; okapi only.
    """

    variant: str
    k1: float
    b: float
    epsilon: float

    @staticmethod
    def of(variant: str) -> "Bm25":
        """The variant of this name, with its constants (okapi k1 1.5, lucene k1 1.2, b 0.75)."""
        validation.choice("bm25", variant, VARIANTS)
        return Bm25(variant, 1.5 if variant == "okapi" else 1.2, 0.75, 0.25)

    def raw_idf(self, documents: int, holding: int) -> float:
        """The idf of a term before any floor.

        Args:
            documents: how many documents have the field.
            holding: how many of them hold the term; at least 1.
        """
        if self.variant == "lucene":
            return math.log(1.0 + (documents - holding + 0.5) / (holding + 0.5))
        return math.log(documents - holding + 0.5) - math.log(holding + 0.5)

    def average_idf(self, documents: int, counts: Mapping[int, int]) -> float:
        """The mean of the raw idf over all terms of a field.

        Terms are taken by document frequency ascending, equal ones at once (count · idf): an order that does not
        depend on the order of documents (ORD-3). `rank_bm25` adds term by term in the order of the corpus, so its
        average may differ in the last bits; scores do only for terms that the floor raises.

        Args:
            documents: how many documents have the field.
            counts: document frequency → how many terms have it; at least one.
        """
        total = 0.0
        terms = 0
        for frequency in sorted(counts):
            total = total + counts[frequency] * self.raw_idf(documents, frequency)
            terms += counts[frequency]
        return total / terms

    def saturation_length(self, length: Any, average_length: float) -> Any:
        """How much the length of a document holds its scores back; a number, or an array of them over many documents.

        Args:
            length: how many tokens the field has.
            average_length: the mean of `length` over all documents with the field.
        """
        return self.k1 * (1 - self.b + self.b * length / average_length)

    def score(self, idf: float, frequency: Any, saturation_length: Any) -> Any:
        """The score of a term in a document; numbers, or arrays of them over many documents.

        Args:
            idf: of the term, floored.
            frequency: how often it is there, or the phrase frequency.
            saturation_length: see `saturation_length`.
        """
        saturation = frequency + saturation_length
        if self.variant == "lucene":
            return idf * (frequency / saturation)
        return idf * (frequency * (self.k1 + 1) / saturation)

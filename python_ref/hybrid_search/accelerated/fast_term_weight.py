"""Weighs the terms of a question (TW-1 … TW-9), with a cache."""

from collections.abc import Sequence
from typing import Any

from hybrid_search.query_builder import term_weight

MOST_KNOWN = 4096
LONGEST_KNOWN = 64


class FastTermWeight(term_weight.TermWeight):
    """Caches the weights of terms until words are added to the dictionary, because questions share words.

    Nothing is cached for a tokenizer without a `version`, as its changes cannot be noticed.
    """

    _kept: tuple[Any, dict[str, float]] = (None, {})
    """The version of the tokenizer, and the weights of terms in it; replaced as a whole."""

    def _raw_weights(self, terms: Sequence[str]) -> list[float]:
        version = getattr(self.tokenizer, "version", None)
        if version is None:
            return super()._raw_weights(terms)
        if version != self._kept[0] or len(self._kept[1]) >= MOST_KNOWN:
            self._kept = (version, {})
        known = self._kept[1]
        weights = []
        for term in terms:
            weight = known.get(term)
            if weight is None:
                weight = self._raw_weight(term)
                if len(term) <= LONGEST_KNOWN:
                    known[term] = weight
            weights.append(weight)
        return weights

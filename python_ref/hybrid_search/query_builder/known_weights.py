"""Weights of terms that were met before."""

from collections.abc import Callable, Sequence
from typing import Any

from hybrid_search.text.tokenizer import Tokenizer

MOST_KNOWN = 4096
LONGEST_KNOWN = 64


class KnownWeights:
    """Keeps what terms weigh, as a question's words come back in others, until words are added to the dictionary.

    Nothing is kept where the tokenizer is one that others made, which may change at any time.

    Args:
        tokenizer: what the weights depend on.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._kept: tuple[int, dict[str, float]] = (0, {})

    def of(self, terms: Sequence[str], weigh: Callable[[str], float]) -> list[float]:
        """What the terms weigh.

        Args:
            terms: in order.
            weigh: tells of one that is not known.
        """
        if type(self._tokenizer) is not Tokenizer:
            return [weigh(term) for term in terms]
        version = self._tokenizer.version
        if version != self._kept[0] or len(self._kept[1]) >= MOST_KNOWN:
            self._kept = (version, {})
        known = self._kept[1]
        weights = []
        for term in terms:
            weight = known.get(term)
            if weight is None:
                weight = weigh(term)
                if len(term) <= LONGEST_KNOWN:
                    known[term] = weight
            weights.append(weight)
        return weights

"""Wraps a rerank model that can cut texts to a number of tokens (CNV-5)."""

from collections.abc import Callable, Sequence
from typing import Any

from hybrid_search.base import validation

Scorer = Callable[[str, Sequence[str]], Any]


class TruncatingModel:
    """Lets a model cut each text before scoring; cutting shares scoring's time limit and error handling (RNK-7).

    Args:
        model: a model of RNK-3 with `truncate(text, tokens)`.
        tokens: the number of tokens to which texts are cut.
    """

    def __init__(self, model: Any, tokens: int) -> None:
        self._model = model
        self._tokens = tokens

    @staticmethod
    def of(model: Any, tokens: int) -> Any:
        """Return the wrapped model, or the model itself if it cannot cut texts."""
        if not callable(getattr(model, "truncate", None)):
            return model
        limited = callable(getattr(model, "limited_to", None))
        return (LimitedTruncatingModel if limited else TruncatingModel)(model, tokens)

    def similarity(self, query: str, texts: Sequence[str]) -> Any:
        """Return the model's scores of the texts, after it has cut them."""
        has_name = callable(getattr(self._model, "similarity", None))
        return self._asked(self._model.similarity if has_name else self._model, query, texts)

    def _asked(self, scorer: Scorer, query: str, texts: Sequence[str]) -> Any:
        cut = [self._model.truncate(text, self._tokens) for text in texts]
        return scorer(query, validation.texts("cut_texts", cut))


class LimitedTruncatingModel(TruncatingModel):
    """The same for a model that enforces a time limit itself."""

    def limited_to(self, seconds: float) -> Scorer:
        """Return the same as `similarity`, for calls that take at most `seconds` together."""
        limited: Scorer = self._model.limited_to(seconds)
        return lambda query, texts: self._asked(limited, query, texts)

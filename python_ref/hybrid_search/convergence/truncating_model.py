"""A rerank model that cuts its texts itself (CNV-5)."""

from collections.abc import Callable, Sequence
from typing import Any

from hybrid_search.base import validation

Scorer = Callable[[str, Sequence[str]], Any]


class TruncatingModel:
    """Has a model cut each text before it scores it, so that both end in its time, and fail as it does (RNK-7).

    Args:
        model: has `truncate(text, tokens)`, and is one of RNK-3.
        tokens: how many of them are left.
    """

    def __init__(self, model: Any, tokens: int) -> None:
        self._model = model
        self._tokens = tokens

    @staticmethod
    def of(model: Any, tokens: int) -> Any:
        """The model that is to be asked: where it cuts no texts it is as it was."""
        if not callable(getattr(model, "truncate", None)):
            return model
        limited = callable(getattr(model, "limited_to", None))
        return (LimitedTruncatingModel if limited else TruncatingModel)(model, tokens)

    def similarity(self, query: str, texts: Sequence[str]) -> Any:
        """The model's scores of the texts that it cut."""
        has_name = callable(getattr(self._model, "similarity", None))
        return self._asked(self._model.similarity if has_name else self._model, query, texts)

    def _asked(self, scorer: Scorer, query: str, texts: Sequence[str]) -> Any:
        cut = [self._model.truncate(text, self._tokens) for text in texts]
        return scorer(query, validation.texts("cut_texts", cut))


class LimitedTruncatingModel(TruncatingModel):
    """The same for a model that ends in time by itself."""

    def limited_to(self, seconds: float) -> Scorer:
        """The same as `similarity`, for calls that together end within so many seconds."""
        limited: Scorer = self._model.limited_to(seconds)
        return lambda query, texts: self._asked(limited, query, texts)

"""Documents scored by a rerank model (DFY-4)."""

from collections.abc import Sequence
from typing import Any

from hybrid_search.post_processor.document import Document
from hybrid_search.reranker.rerank_model import RerankModel


class ModelReranking:
    """Scores documents by a model: one call for all texts, the scores as the model gives them.

    Args:
        model: an object with `similarity(query, texts)`, or a callable (RNK-3).
        fail_open: whether a failing or late model is a warning (true) or a `RerankError` (RNK-7).
        rerank_timeout: how many seconds the model may take; above 0.

    Raises:
        InvalidInputError: an argument is not acceptable.
    """

    def __init__(self, model: Any, fail_open: bool = True, rerank_timeout: float = 30.0) -> None:
        self._model = RerankModel(model, fail_open, rerank_timeout)

    def score(self, query: str, documents: Sequence[Document]) -> tuple[list[Document] | None, str | None]:
        """Copies with the model's `score`, in the order given, and no warning; or none and what to warn of.

        Raises:
            RerankError: the model failed or was late, and `fail_open` is false.
        """
        texts = [document.page_content for document in documents]
        scores, warning = self._model.attempt(query, texts, scaled=False)
        if scores is None:
            return None, warning
        pairs = zip(documents, scores, strict=True)
        return [document.with_metadata({"score": score}) for document, score in pairs], None

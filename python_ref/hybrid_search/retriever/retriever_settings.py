"""Checks the options of a retriever before anything is built from them (ERR-3)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from hybrid_search.base import validation
from hybrid_search.reranker.named_models import NamedModels
from hybrid_search.retriever import profiles
from hybrid_search.retriever.request import DEFAULTS, RetrievalRequest

SETTINGS = ("max_page_size", "kernels", "observer")


@dataclass(frozen=True)
class RetrieverSettings:
    """The options of a retriever, which apply to all questions.

    Attributes:
        max_page_size: the largest accepted page size.
        options: defaults of requests.
        models: the rerank models that questions name.
    """

    max_page_size: int
    options: Mapping[str, Any]
    models: NamedModels = field(default_factory=NamedModels)

    @classmethod
    def of(cls, max_page_size: Any, options: Mapping[str, Any]) -> Self:
        """Check the options of a retriever.

        Raises:
            InvalidInputError: an option is unknown or not acceptable.
        """
        validation.known("option", options, (*SETTINGS, *DEFAULTS))
        settings = cls(validation.integer("max_page_size", max_page_size, 1), dict(options))
        settings.request("", {}, True)
        return settings

    def request(self, question: str, options: Mapping[str, Any], supports_bm25f: bool) -> RetrievalRequest:
        """Return the request for a question, with options that override the defaults.

        Args:
            question: the question.
            options: the options of the call.
            supports_bm25f: whether the store supports bags of tokens (DOC-8).
        """
        given = profiles.for_store({**self.options, **options}, supports_bm25f)
        return RetrievalRequest.build(question, self.models.options(given), self.max_page_size)

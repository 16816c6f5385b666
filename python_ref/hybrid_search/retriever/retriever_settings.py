"""The options of a retriever, checked before anything is built of them (ERR-3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from hybrid_search.base import validation
from hybrid_search.retriever import profiles
from hybrid_search.retriever.request import DEFAULTS, RetrievalRequest

SETTINGS = ("max_page_size", "kernels", "observer")


@dataclass(frozen=True)
class RetrieverSettings:
    """What a retriever is given once, for all questions.

    Attributes:
        max_page_size: the largest page that may be asked for.
        options: defaults of requests.
    """

    max_page_size: int
    options: Mapping[str, Any]

    @classmethod
    def of(cls, max_page_size: Any, options: Mapping[str, Any]) -> Self:
        """Check the options of a retriever.

        Raises:
            InvalidInputError: one is unknown or not acceptable.
        """
        validation.known("option", options, (*SETTINGS, *DEFAULTS))
        settings = cls(validation.integer("max_page_size", max_page_size, 1), dict(options))
        settings.request("", {}, True)
        return settings

    def request(self, question: str, options: Mapping[str, Any], exact_text: bool) -> RetrievalRequest:
        """Return the request for a question, with other options than the defaults.

        Args:
            question: the question.
            options: the options of the call.
            exact_text: whether the store promises exact text scores (DOC-8).
        """
        given = profiles.for_store({**self.options, **options}, exact_text)
        return RetrievalRequest.build(question, given, self.max_page_size)

"""The options of a retriever, checked before anything is built of them (ERR-3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from hybrid_search import _validation as validation
from hybrid_search.retriever import _profiles as profiles
from hybrid_search.retriever._cursor import CursorCodec
from hybrid_search.retriever._query_request import QUERY_DEFAULTS, QueryRequest
from hybrid_search.retriever._request import DEFAULTS, RetrievalRequest
from hybrid_search.retriever.ranking_cache import RankingCache

SETTINGS = ("max_page_size", "max_results", "cursor_secret", "ranking_cache", "kernels", "observer")
OPTION_DEFAULTS = {**DEFAULTS, **{name: value for name, value in QUERY_DEFAULTS.items() if name != "cursor"}}
"""Every option that a retriever takes as a default."""


@dataclass(frozen=True)
class RetrieverSettings:
    """What a retriever is told once, for all questions.

    Attributes:
        max_page_size: the largest page that may be asked for.
        max_results: the maximum number of results across all pages of a walk.
        codec: writes and reads cursors.
        options: defaults of requests.
    """

    max_page_size: int
    max_results: int
    codec: CursorCodec
    options: Mapping[str, Any]

    @classmethod
    def of(
        cls, max_page_size: Any, max_results: Any, cursor_secret: Any, ranking_cache: Any, options: Mapping[str, Any]
    ) -> Self:
        """Check the options of a retriever.

        Raises:
            InvalidInputError: one is unknown or not acceptable.
        """
        validation.known("option", options, (*SETTINGS, *OPTION_DEFAULTS))
        if ranking_cache is not None and not isinstance(ranking_cache, RankingCache):
            raise validation.fail("ranking_cache", ranking_cache, "a RankingCache")
        settings = cls(
            validation.integer("max_page_size", max_page_size, 1),
            validation.integer("max_results", max_results, 1),
            CursorCodec(cursor_secret),
            dict(options),
        )
        settings.request("", {}, True)
        settings.query_request("", {}, True)
        return settings

    def request(self, question: str, options: Mapping[str, Any], exact_text: bool) -> RetrievalRequest:
        """Return the request for a question, with other options than the defaults.

        Args:
            question: the question.
            options: the options of the call.
            exact_text: whether the store promises exact text scores (DOC-8).
        """
        return RetrievalRequest.build(question, self._given(DEFAULTS, options, exact_text), self.max_page_size)

    def query_request(self, question: str, options: Mapping[str, Any], exact_text: bool) -> QueryRequest:
        """Return the request for a page of a walk; arguments as for `request`."""
        return QueryRequest.build(question, self._given(QUERY_DEFAULTS, options, exact_text), self.max_results)

    def _given(self, known: Mapping[str, Any], options: Mapping[str, Any], exact_text: bool) -> Mapping[str, Any]:
        """Return the options of a call, and those defaults that the method knows and the call does not give."""
        defaults = {name: value for name, value in self.options.items() if name in known}
        return profiles.for_store({**defaults, **options}, exact_text)

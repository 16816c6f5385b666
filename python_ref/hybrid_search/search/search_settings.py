"""The options of an index's searches, checked before anything is built from them (ERR-3)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from hybrid_search.base import validation
from hybrid_search.reranker.named_models import NamedModels
from hybrid_search.retriever import profiles
from hybrid_search.search.cursor import CursorCodec
from hybrid_search.search.ranking_cache import RankingCache
from hybrid_search.search.search_options import ONCE, SEARCH_DEFAULTS
from hybrid_search.search.search_request import SearchRequest

OPTIONS = tuple(name for name in SEARCH_DEFAULTS if name not in ONCE)
"""Every option that an index takes as a default."""


@dataclass(frozen=True)
class SearchSettings:
    """The options of an index that apply to all searches.

    Attributes:
        max_results: the maximum of `limit` and of the number of candidates.
        codec: writes and reads cursors.
        ranking_cache: the cache of rankings between pages, or `None`.
        options: defaults of requests.
        models: the rerank models that searches name.
    """

    max_results: int
    codec: CursorCodec
    ranking_cache: RankingCache | None
    options: Mapping[str, Any]
    models: NamedModels = field(default_factory=NamedModels)

    @classmethod
    def of(cls, max_results: Any, cursor_secret: Any, ranking_cache: Any, options: Mapping[str, Any]) -> Self:
        """Check the options of an index's searches; their names are known.

        Raises:
            InvalidInputError: an option is not acceptable.
        """
        if ranking_cache is not None and not isinstance(ranking_cache, RankingCache):
            raise validation.fail("ranking_cache", ranking_cache, "a RankingCache")
        codec = CursorCodec(cursor_secret)
        settings = cls(validation.integer("max_results", max_results, 1), codec, ranking_cache, dict(options))
        settings.request("", {}, True)
        return settings

    def request(self, question: str, options: Mapping[str, Any], supports_bm25f: bool) -> SearchRequest:
        """Return the request for a question, with options that override the defaults.

        Args:
            question: the question.
            options: the options of the call.
            supports_bm25f: whether the store takes bags of tokens (DOC-8).
        """
        defaults = {"profile": profiles.of_index(supports_bm25f), **self.options}
        given = self.models.options(profiles.for_store({**defaults, **options}, supports_bm25f))
        return SearchRequest.build(question, given, self.max_results)

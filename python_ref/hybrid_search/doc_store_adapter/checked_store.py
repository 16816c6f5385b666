"""A store whose searches come with checked arguments (DOC-1)."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.doc_store_adapter.base import DocStoreAdapter, Ranking
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.queries.match_exprs import MatchExprs
from hybrid_search.doc_store_adapter.queries.store_search import StoreSearch
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.protocols import FilterData, OrderBy


class CheckedStore(DocStoreAdapter):
    """Checks what it is asked, in the same way for every store of this library."""

    @staticmethod
    def takes_parsed(store: DocStoreAdapter) -> bool:
        """Return whether a store's `search` takes filters that are parsed: a subclass may have another one."""
        return getattr(type(store), "search", None) is CheckedStore.search

    def search(
        self,
        select_fields: Sequence[str] | None = None,
        filters: FilterData | Filters | None = None,
        match_exprs: Sequence[Any] = (),
        order_by: OrderBy = (),
        limit: int = 10,
        offset: int = 0,
        rank_feature: Mapping[str, float] | None = None,
        *,
        highlight_fields: Sequence[str] = (),
        agg_fields: Sequence[str] = (),
        keywords: Sequence[str] = (),
    ) -> SearchResult:
        """See `DocStoreAdapter.search`."""
        wanted = StoreSearch(
            select_fields, filters, match_exprs, order_by, limit, offset, rank_feature, highlight_fields, agg_fields,
            keywords,
        )  # fmt: skip
        return self._search(wanted)

    def rank(self, match_exprs: Sequence[Any], filters: FilterData | None = None) -> Ranking:
        """See `DocStoreAdapter.rank`."""
        return self._rank(MatchExprs(match_exprs), Filters(filters))

    @abstractmethod
    def _search(self, wanted: StoreSearch) -> SearchResult:
        """The answer to a search."""

    @abstractmethod
    def _rank(self, match: MatchExprs, filters: Filters) -> Ranking:
        """The ranking of match expressions; without any, all documents by id."""

"""The base class of stores that check the arguments of their searches (DOC-1)."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.doc_store_adapter.base import DocStoreAdapter, Ranking
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.queries.match_exprs import MatchExprs
from hybrid_search.doc_store_adapter.queries.recall_features import RecallFeatures
from hybrid_search.doc_store_adapter.queries.sort_order import NO_ORDER, SortOrder
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.protocols import FilterData, OrderBy


class StoreSearch:
    """The checked arguments of `DocStoreAdapter.search`.

    Raises:
        InvalidInputError: an argument is not acceptable; the message names it.
    """

    def __init__(
        self,
        select_fields: Sequence[str] | None,
        filters: Mapping[str, Any] | Filters | None,
        match_exprs: Sequence[Any],
        order_by: OrderBy,
        limit: int,
        offset: int,
        rank_feature: Mapping[str, Any] | None,
        highlight_fields: Sequence[str],
        agg_fields: Sequence[str],
        keywords: Sequence[str],
        documents: bool = False,
    ) -> None:
        self.selected = None if select_fields is None else validation.texts("select_fields", select_fields)
        self.match = MatchExprs(match_exprs)
        self.filters = filters if isinstance(filters, Filters) else Filters(filters)
        self.order = SortOrder(order_by) if order_by != [] else NO_ORDER
        self.offset = validation.integer("offset", offset, 0)
        self.limit = validation.integer("limit", limit, 0)
        self.features = None if rank_feature is None else RecallFeatures.of(rank_feature)
        self.highlight_fields = validation.texts("highlight_fields", highlight_fields)
        self.agg_fields = validation.texts("agg_fields", agg_fields)
        self.keywords = validation.texts("keywords", keywords)
        self.documents = documents

    def shows_ids_alone(self) -> bool:
        """Return whether the search asks for nothing but the ids and scores of documents."""
        return self.selected == [] and not self.highlight_fields

    def is_listing(self) -> bool:
        """Return whether the search asks for a slice of all documents and nothing else."""
        return self.match.is_empty() and not self.agg_fields


class CheckedStore(DocStoreAdapter):
    """A store that checks the arguments of a search in the same way as every store of this library."""

    @staticmethod
    def takes_parsed(store: DocStoreAdapter) -> bool:
        """Return whether a store's `search` accepts parsed filters; a subclass may have a `search` of its own."""
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
        documents: bool = False,
    ) -> SearchResult:
        """See `DocStoreAdapter.search`; `documents` asks for `SearchResult.documents`."""
        wanted = StoreSearch(
            select_fields, filters, match_exprs, order_by, limit, offset, rank_feature, highlight_fields, agg_fields,
            keywords, documents,
        )  # fmt: skip
        return self._search(wanted)

    def rank(self, match_exprs: Sequence[Any], filters: FilterData | None = None) -> Ranking:
        """See `DocStoreAdapter.rank`."""
        return self._rank(MatchExprs(match_exprs), Filters(filters))

    @abstractmethod
    def _search(self, wanted: StoreSearch) -> SearchResult:
        """Return the result of a search."""

    @abstractmethod
    def _rank(self, match: MatchExprs, filters: Filters) -> Ranking:
        """Return the ranking of match expressions; without any, all documents by id."""

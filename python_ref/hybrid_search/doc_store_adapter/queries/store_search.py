"""What one search of a store in memory asks for (DOC-1)."""

from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.queries.match_exprs import MatchExprs
from hybrid_search.doc_store_adapter.queries.sort_order import NO_ORDER, SortOrder
from hybrid_search.protocols import OrderBy


class StoreSearch:
    """The arguments of `DocStoreAdapter.search`, checked.

    Raises:
        InvalidInputError: one of them is not acceptable; the message names it.
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
    ) -> None:
        self.selected = None if select_fields is None else validation.texts("select_fields", select_fields)
        self.match = MatchExprs(match_exprs)
        self.filters = filters if isinstance(filters, Filters) else Filters(filters)
        self.order = SortOrder(order_by) if order_by != [] else NO_ORDER
        self.offset = validation.integer("offset", offset, 0)
        self.limit = validation.integer("limit", limit, 0)
        validation.mapping("rank_feature", {} if rank_feature is None else rank_feature)
        self.highlight_fields = validation.texts("highlight_fields", highlight_fields)
        self.agg_fields = validation.texts("agg_fields", agg_fields)
        self.keywords = validation.texts("keywords", keywords)

    def shows_ids_alone(self) -> bool:
        """Whether nothing but ids and scores of documents is wanted."""
        return self.selected == [] and not self.highlight_fields

    def is_listing(self) -> bool:
        """Whether all documents are wanted, and of them a stretch alone."""
        return self.match.is_empty() and not self.agg_fields

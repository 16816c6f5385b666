"""A store whose searches read one state of its documents (DOC-1 … DOC-4)."""

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from hybrid_search.base import validation
from hybrid_search.doc_store_adapter.base import Ranking
from hybrid_search.doc_store_adapter.checked_store import CheckedStore, StoreSearch
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.queries.match_exprs import MatchExprs
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.doc_store_adapter.snapshot.store_snapshot import StoreSnapshot
from hybrid_search.protocols import FilterData
from hybrid_search.query_builder.expressions import MatchDenseExpr, MatchTextExpr


class SnapshotStore(CheckedStore):
    """A store in which each call reads one snapshot, regardless of concurrent writes; scores are the reference's."""

    @property
    def exact_text(self) -> bool:
        """See `DocStoreAdapter.exact_text`."""
        return True

    def text_leg(self, expr: MatchTextExpr, filters: FilterData | None = None) -> Ranking:
        """Return the documents that match a text query, at most its `topn`, in the order of ORD-1."""
        return self.rank([expr], filters)

    def dense_leg(self, expr: MatchDenseExpr, filters: FilterData | None = None) -> Ranking:
        """Return the documents nearest to a vector with sufficient similarity, at most `topn`, by ORD-1."""
        return self.rank([expr], filters)

    def get_many(
        self, identifiers: Sequence[str], vector_fields: Sequence[str] | None = None
    ) -> list[dict[str, Any] | None]:
        """See `DocStoreAdapter.get_many`."""
        names = validation.texts("identifiers", identifiers)
        fields = None if vector_fields is None else validation.texts("vector_fields", vector_fields)
        with self._in_one_state() as snapshot:
            return snapshot.get_many(names, fields)

    @abstractmethod
    def _in_one_state(self) -> AbstractContextManager[StoreSnapshot]:
        """Yield the documents in their latest state."""

    def _search(self, wanted: StoreSearch) -> SearchResult:
        with self._in_one_state() as snapshot:
            return snapshot.search(wanted)

    def _rank(self, match: MatchExprs, filters: Filters) -> Ranking:
        with self._in_one_state() as snapshot:
            return snapshot.rank(match, filters)

"""What the tests of every document store are written with (DOC-5)."""

from collections.abc import Callable
from typing import Any

from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.errors import DocStoreError, HybridSearchError

DOCUMENTS: tuple[dict[str, Any], ...] = (
    {"id": "d1", "kb_id": "k1", "content_ltks": "solar panel power", "available_int": 1, "q_2_vec": [1.0, 0.0]},
    {"id": "d2", "kb_id": "k1", "content_ltks": "wind power", "important_kwd": ["wind"], "q_2_vec": [0.0, 1.0]},
    {"id": "d3", "kb_id": "k2", "content_ltks": "panel of solar experts", "available_int": 0, "q_2_vec": [0.6, 0.8]},
    {"id": "d4", "kb_id": "k2", "content_ltks": "bread and water", "page_num_int": 7},
    {"id": "d5", "kb_id": "k3", "content_ltks": "flour and water", "page_num_int": 3},
    {"id": "d6", "kb_id": "k3", "content_ltks": "salt", "content_with_weight": "Salt & more. Nothing else."},
)


class ContractBase:
    """A store to test, and what says that it breaks a promise."""

    def make_store(self) -> DocStoreAdapter:
        """A new, empty store."""
        raise NotImplementedError

    def filled(self) -> DocStoreAdapter:
        """A store of `DOCUMENTS`."""
        store = self.make_store()
        store.insert(DOCUMENTS)
        return store

    def same(self, what: str, got: Any, expected: Any) -> None:
        """Fail unless two values are equal."""
        if got != expected:
            raise DocStoreError(f"the store breaks the contract: {what} should be {expected!r}, is {got!r}")

    def refused(self, error: type[HybridSearchError], call: Callable[[], Any]) -> None:
        """Fail unless a call raises this error."""
        try:
            call()
        except error:
            return
        raise DocStoreError(f"the store breaks the contract: it should raise {error.__name__}")

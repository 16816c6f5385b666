"""What the tests of every document store are written with (DOC-5)."""

from collections.abc import Callable
from typing import Any

from hybrid_search.doc_store_adapter._contract_data import DOCUMENTS
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.errors import DocStoreError, HybridSearchError


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

"""The base class and the helpers of the tests for document stores (DOC-5, DOC-8)."""

from collections.abc import Callable, Sequence
from typing import Any

from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.contract.contract_data import DOCUMENTS
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.errors import DocStoreError, HybridSearchError
from hybrid_search.query_builder.expressions import MatchDenseExpr, MatchTextExpr
from hybrid_search.query_builder.tree import Node

BROKEN = "the store breaks the contract:"
HOOKS = ("make_reference", "reopen", "open_beside", "lose_connection", "answer_in_part", "lose_answer")
"""The names of the methods that a store's tests may define in addition to `make_store`."""

Mend = Callable[[], object]
"""Ends a fault that a hook has caused."""


def text(tree: Node, field: str = "content_ltks", minimum: int | float | None = None, topn: int = 100) -> MatchTextExpr:
    """Return a text query in one field."""
    options = {} if minimum is None else {"minimum_should_match": minimum}
    return MatchTextExpr(((field, 1.0),), tree, topn, options)


def dense(
    similarity: float, topn: int = 10, vector: Sequence[float] = (1.0, 0.0), field: str = "q_2_vec"
) -> MatchDenseExpr:
    """Return a dense query."""
    return MatchDenseExpr(field, tuple(vector), topn=topn, extra_options={"similarity": similarity})


class ContractBase:
    """A store to test, and the checks that report a broken guarantee.

    The methods from `reopen` to `lose_answer` are optional: tests that need one are skipped if it returns `None`, as it
    does here. The last three cause a fault, and return a function that ends it.
    """

    def make_store(self) -> DocStoreAdapter:
        """Return a new, empty store."""
        raise NotImplementedError

    def make_reference(self) -> MemoryDocStore:
        """Return a new, empty memory store that uses the store's BM25 formula."""
        return MemoryDocStore(kernels="plain")

    def reopen(self, store: DocStoreAdapter) -> DocStoreAdapter | None:
        """Close a store, open its content again, and return the new store."""
        return None

    def open_beside(self, store: DocStoreAdapter) -> DocStoreAdapter | None:
        """Return a second store of the same content; the first one stays open."""
        return None

    def lose_connection(self, store: DocStoreAdapter) -> Mend | None:
        """Cut the connections of a store, as a server does when it ends."""
        return None

    def answer_in_part(self, store: DocStoreAdapter) -> Mend | None:
        """Make the engine of a store search only a part of the documents."""
        return None

    def lose_answer(self, store: DocStoreAdapter) -> Mend | None:
        """Make the responses to a store's changes get lost after the changes were sent."""
        return None

    def filled(self) -> DocStoreAdapter:
        """Return a store with the documents `DOCUMENTS`."""
        store = self.make_store()
        store.insert(DOCUMENTS)
        return store

    def same(self, what: str, got: Any, expected: Any) -> None:
        """Fail unless two values are equal."""
        if got != expected:
            raise DocStoreError(f"{BROKEN} {what} should be {expected!r}, is {got!r}")

    def refused(self, error: type[HybridSearchError], call: Callable[[], Any]) -> None:
        """Fail unless a call raises this error."""
        try:
            call()
        except error:
            return
        raise DocStoreError(f"{BROKEN} it should raise {error.__name__}")

"""What the tests of every document store are written with (DOC-5, DOC-8)."""

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
"""What a store's tests may give beside `make_store`: the methods of these names."""

Mend = Callable[[], object]
"""Ends a fault that was made."""


def text(tree: Node, field: str = "content_ltks", minimum: int | float | None = None, topn: int = 100) -> MatchTextExpr:
    """A text query in one field."""
    options = {} if minimum is None else {"minimum_should_match": minimum}
    return MatchTextExpr(((field, 1.0),), tree, topn, options)


def dense(
    similarity: float, topn: int = 10, vector: Sequence[float] = (1.0, 0.0), field: str = "q_2_vec"
) -> MatchDenseExpr:
    """A dense query."""
    return MatchDenseExpr(field, tuple(vector), topn=topn, extra_options={"similarity": similarity})


class ContractBase:
    """A store to test, and what says that it breaks a promise.

    What follows `make_store` need not be there: where one gives none, as here, what needs it is not tested. The last
    three make a fault, and give what ends it.
    """

    def make_store(self) -> DocStoreAdapter:
        """A new, empty store."""
        raise NotImplementedError

    def make_reference(self) -> MemoryDocStore:
        """A new, empty memory store that has the store's formula of BM25."""
        return MemoryDocStore(kernels="plain")

    def reopen(self, store: DocStoreAdapter) -> DocStoreAdapter | None:
        """The store of what another one holds, which is closed first."""
        return None

    def open_beside(self, store: DocStoreAdapter) -> DocStoreAdapter | None:
        """A second store of what another one holds, which stays open."""
        return None

    def lose_connection(self, store: DocStoreAdapter) -> Mend | None:
        """Cut the connections of a store, as a server does that ends."""
        return None

    def answer_in_part(self, store: DocStoreAdapter) -> Mend | None:
        """Make the engine of a store answer searches from a part of the documents."""
        return None

    def lose_answer(self, store: DocStoreAdapter) -> Mend | None:
        """Make the answers to the changes that a store asks for get lost, after they were sent."""
        return None

    def filled(self) -> DocStoreAdapter:
        """A store of `DOCUMENTS`."""
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

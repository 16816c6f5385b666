"""Comparisons of a store with the memory store (DOC-5, DOC-8)."""

from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.base import DocStoreAdapter, Ranking
from hybrid_search.doc_store_adapter.contract.contract_base import BROKEN, ContractBase
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.errors import DocStoreError
from hybrid_search.query_builder.expressions import MatchBm25fExpr, MatchDenseExpr, MatchTextExpr

Expr = MatchTextExpr | MatchBm25fExpr | MatchDenseExpr


class ReferenceContract(ContractBase):
    """Compares a store with a memory store of the same documents, as far as the store guarantees equal results."""

    def both(self, documents: Sequence[Mapping[str, Any]]) -> tuple[DocStoreAdapter, MemoryDocStore]:
        """Return a store and a reference store of these documents."""
        store, reference = self.make_store(), self.make_reference()
        for each in (store, reference):
            each.insert(documents)
        return store, reference

    def exactly(self, what: str, got: Any, expected: Any) -> None:
        """Fail unless two values are equal to the last bit, with the same types and the same order of keys."""
        if repr(got) != repr(expected):
            raise DocStoreError(f"{BROKEN} {what} {_difference(got, expected)}")

    def same_documents(self, store: DocStoreAdapter, reference: DocStoreAdapter) -> None:
        """Fail unless both stores contain the same documents."""
        self.same("count", store.count(), reference.count())
        listed = [identifier for identifier, _ in reference.rank([])]
        self.exactly("ids", [identifier for identifier, _ in store.rank([])], listed)
        for identifier in listed:
            self.exactly(
                f"get {identifier[:40]!r}", _ordered(store.get(identifier)), _ordered(reference.get(identifier))
            )

    def same_answers(
        self,
        what: str,
        store: DocStoreAdapter,
        reference: DocStoreAdapter,
        exprs: Sequence[Expr],
        filters: Mapping[str, Any] | None = None,
    ) -> None:
        """Fail unless both stores return the same for each expression, as far as the store guarantees it (DOC-8)."""
        for place, expr in enumerate(exprs):
            got, expected = _plain(store.rank([expr], filters)), _plain(reference.rank([expr], filters))
            self.same_ranking(f"{what}, {place}", store, expr, got, expected)
            self.same_similarities(f"{what}, {place}", store, expr, filters)

    def same_ranking(self, what: str, store: DocStoreAdapter, expr: Expr, got: Ranking, expected: Ranking) -> None:
        """Fail unless a ranking is the expected one; without exact scores, check its order and its ids only."""
        is_text = not isinstance(expr, MatchDenseExpr)
        if store.exact_text if is_text else store.exact_dense:
            self.exactly(what, got, expected)
            return
        self.exactly(f"the order of {what}", got, sorted(got, key=lambda pair: (-pair[1], pair[0])))
        found = sorted(identifier for identifier, _ in got)
        if is_text:
            self.exactly(f"what is found by {what}", found, sorted(identifier for identifier, _ in expected))
        else:
            self.same(f"how many are found by {what}", len(set(found)) <= expr.topn, True)

    def same_similarities(
        self, what: str, store: DocStoreAdapter, expr: Expr, filters: Mapping[str, Any] | None
    ) -> None:
        """Fail unless the fields that a reranker reads are the stored ones, and reported cosines are exact."""
        result = store.search(filters=filters, match_exprs=[expr], limit=5)
        for identifier in result.ids:
            stored = store.get(identifier) or {}
            self.exactly(f"fields of {what}", _ordered(result.fields[identifier]), _ordered(stored))
            told = None if result.dense_scores is None else result.dense_scores.cosine(identifier)
            if told is not None and isinstance(expr, MatchDenseExpr):
                cosine = numeric.cosine(expr.vector, stored[expr.field])
                self.exactly(f"the cosine told by {what}", float(told), cosine)


def _plain(ranking: Ranking) -> Ranking:
    return [(identifier, score) for identifier, score in ranking]


def _ordered(document: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return a document with its vectors at the end; the order of vectors is not tested."""
    if document is None:
        return None
    vectors = sorted(name for name in document if name.endswith("_vec"))
    return {name: document[name] for name in (*(name for name in document if name not in vectors), *vectors)}


def _difference(got: Any, expected: Any) -> str:
    """Describe the first difference of two values."""
    if isinstance(got, (list, tuple)) and isinstance(expected, (list, tuple)) and len(got) == len(expected):
        pairs = zip(got, expected, strict=True)
        place, left, right = next((n, *pair) for n, pair in enumerate(pairs) if repr(pair[0]) != repr(pair[1]))
        return f"should be {right!r} at {place}, is {left!r}"
    if isinstance(got, list) and isinstance(expected, list):
        return f"should be {len(expected)} items, is {len(got)}"
    return f"should be {expected!r}, is {got!r}"

"""The tests of BM25F queries for every document store (DOC-5, DOC-8, DOC-9)."""

from hybrid_search.doc_store_adapter.contract.contract_base import BROKEN
from hybrid_search.doc_store_adapter.contract.reference_contract import ReferenceContract
from hybrid_search.errors import DocStoreError, InvalidInputError
from hybrid_search.query_builder.expressions import MatchBm25fExpr

FIELDS = (("title_tks", 3.0), ("content_ltks", 1.0), ("important_kwd", 0.5))


class Bm25fContract(ReferenceContract):
    """The tests of BM25F queries. A store with `supports_bm25f` must support them; other stores may refuse them."""

    def test_bags_of_tokens(self) -> None:
        """Tokens in one field, in several, in none, repeated, and in every document. Filters do not change scores."""
        store, reference = self.both(
            [
                {"id": "b1", "title_tks": "solar power", "content_ltks": "solar panels give power and power"},
                {"id": "b2", "title_tks": "wind", "content_ltks": "wind and water " * 40 + "power", "kb_id": "k2"},
                {"id": "b3", "title_tks": "", "content_ltks": "and solar", "important_kwd": ["solar", "solar power"]},
                {"id": "b4", "content_ltks": "and nothing", "kb_id": "k2"},
                {"id": "b5", "title_tks": "solar power", "content_ltks": "solar panels give power and power"},
            ]
        )
        bags: list[tuple[str, ...]] = [
            ("power",),
            ("solar", "and", "power"),
            ("wind", "water", "wind"),
            ("solar power", "nowhere"),
            (),
        ]
        exprs = [MatchBm25fExpr(FIELDS, tokens) for tokens in bags]
        exprs += [MatchBm25fExpr(FIELDS[1:2], bags[1]), MatchBm25fExpr(FIELDS, bags[1], topn=1)]
        try:
            store.rank(exprs[:1])
        except InvalidInputError as problem:
            if store.supports_bm25f:
                raise DocStoreError(
                    f"{BROKEN} it promises supports_bm25f, and refuses a MatchBm25fExpr: {problem}"
                ) from None
            for expr in exprs:
                self.refused(InvalidInputError, lambda expr=expr: store.rank([expr]))  # type: ignore[misc]
            return
        self.same_answers("bags of tokens", store, reference, exprs)
        self.same_answers("bags of tokens, filtered", store, reference, exprs, {"kb_id": "k2"})

"""The tests of features that count in recall, for every document store (DOC-5, RNK-10)."""

from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.contract.reference_contract import ReferenceContract
from hybrid_search.fusion.fusion_expr import FusionExpr
from hybrid_search.query_builder.expressions import MatchDenseExpr, MatchTextExpr
from hybrid_search.query_builder.tree import Term

FEATURED: tuple[dict[str, Any], ...] = (
    {"id": "f1", "content_ltks": "solar power", "pagerank_fea": 3.0, "q_2_vec": [1.0, 0.0]},
    {"id": "f2", "content_ltks": "solar solar", "tag_feas": {"v1.2": 2, "good": 500}, "q_2_vec": [0.0, 1.0]},
    {"id": "f3", "content_ltks": "solar", "kb_id": "k2"},
    {"id": "f4", "content_ltks": "solar and wind and water", "pagerank_fea": 9.0, "tag_feas": {"good": -1}},
    {"id": "f5", "content_ltks": "wind", "pagerank_fea": 99.0, "q_2_vec": [0.6, 0.8]},
    *({"id": f"g{place}", "content_ltks": "other words"} for place in range(9)),
)
WEIGHTS: tuple[tuple[Mapping[str, float], list[str]], ...] = (
    ({"pagerank_fea": 1000.0}, ["f4", "f1"]),
    ({"good": 1000.0, "pagerank_fea": 10.0}, ["f2", "f1"]),
    ({"v1.2": 1000.0, "pagerank_fea": 100.0}, ["f2", "f4"]),
    ({"v1.2": 1000.0, "nothing": 1.0}, ["f2"]),
)
"""Weights of features, and the documents that they bring to the head of a text leg of two."""


class FeaturesContract(ReferenceContract):
    """The tests of features in recall."""

    def test_features_bring_documents_in(self) -> None:
        """The documents with the highest sums are in the text leg; one that does not match the text is not."""
        store, reference = self.both(FEATURED)
        query = MatchTextExpr((("content_ltks", 1.0),), Term("solar"), topn=2)
        both = [
            query,
            MatchDenseExpr("q_2_vec", (0.8, 0.6), topn=2),
            FusionExpr("weighted_sum", 3, {"weights": "1,0.5"}),
        ]
        for weights, expected in WEIGHTS:
            self.same(f"found with {weights}", self._found(store, [query], weights)[: len(expected)], expected)
            if store.exact_text:
                for exprs in ([query], both):
                    what = f"{len(exprs)} expressions with {weights}"
                    self.exactly(what, self._scores(store, exprs, weights), self._scores(reference, exprs, weights))
        self.same("filtered", self._found(store, [query], WEIGHTS[0][0], {"kb_id": "k2"}), ["f3"])

    @staticmethod
    def _found(
        store: DocStoreAdapter,
        exprs: Sequence[Any],
        weights: Mapping[str, float],
        filters: Mapping[str, Any] | None = None,
    ) -> list[str]:
        return list(store.search(["id"], filters, exprs, rank_feature=weights).ids)

    @staticmethod
    def _scores(store: DocStoreAdapter, exprs: Sequence[Any], weights: Mapping[str, float]) -> Any:
        found = store.search(["id"], match_exprs=exprs, rank_feature=weights)
        return list(found.scores.items()), sorted(found.features.items())

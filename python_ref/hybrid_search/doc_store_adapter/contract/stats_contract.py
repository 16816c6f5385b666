"""The tests of a store's counts and of the models of its vectors (DOC-5, DOC-6, DOC-7)."""

import functools
from typing import Any

from hybrid_search.doc_store_adapter.contract.contract_base import ContractBase
from hybrid_search.doc_store_adapter.contract.contract_data import DOCUMENTS
from hybrid_search.errors import InvalidInputError

STATS: dict[str, Any] = {
    "tokens": 16,
    "fields": {
        "available_int": {"documents": 2, "tokens": None},
        "content_ltks": {"documents": 5, "tokens": 15},
        "id": {"documents": 5, "tokens": None},
        "important_kwd": {"documents": 1, "tokens": 1},
        "kb_id": {"documents": 5, "tokens": None},
        "page_num_int": {"documents": 2, "tokens": None},
    },
    "vectors": {"q_2_vec": {"dimension": 2, "count": 3, "missing": 2, "model": None, "origin": None}},
    "without_vectors": 2,
}
STATS_PARTS = (*STATS, "documents", "generation", "memory")


class StatsContract(ContractBase):
    """The tests of `stats`, and of the models of vectors."""

    def test_stats_tell_of_the_content(self) -> None:
        """The reported parts are right; a part that is `None` is not tested."""
        store = self.filled()
        store.delete(["d6"])
        told = store.stats()
        self.same("parts", sorted(told), sorted(STATS_PARTS))
        self.same("documents", told["documents"], len(DOCUMENTS) - 1)
        self.same("generation", told["generation"], store.generation)
        for part, expected in STATS.items():
            if told[part] is not None:
                self.same(part, told[part], expected)
        memory = told["memory"] or {}
        wrong = {part: count for part, count in memory.items() if type(count) is not int or count < 0}
        self.same("memory that is no number of bytes", wrong, {})

    def test_stats_of_a_new_store(self) -> None:
        """A new store reports no content."""
        told = self.make_store().stats()
        for part, expected in (("documents", 0), ("tokens", 0), ("fields", {}), ("vectors", {})):
            if told[part] is not None:
                self.same(part, told[part], expected)

    def test_the_models_of_vectors_are_kept(self) -> None:
        """A model's name stays while there are vectors, and another name is refused; a store may store no names."""
        store = self.filled()
        before = store.generation
        known = STATS["vectors"]["q_2_vec"]
        store.keep_vector_model("q_2_vec", "small")
        fields = store.vector_fields()
        if fields is None:
            return
        store.keep_vector_model("q_2_vec", "small")
        store.keep_vector_model("q_2_vec", None, "records")
        store.keep_vector_model("q_3_vec", "other")
        told = {"q_2_vec": {**known, "missing": 3, "model": "small", "origin": "both"}, "q_3_vec": _unused("other", 6)}
        self.same("vectors known", store.vector_fields(), told)
        self.same("generation", store.generation, before)
        self.same("vectors in stats", store.stats()["vectors"], told)
        for field, model in (("q_2_vec", "large"), ("q_2_vec", ""), ("kb_id", "small"), ("q_2_vec", 1)):
            call = functools.partial(store.keep_vector_model, field, model)  # type: ignore[arg-type]
            self.refused(InvalidInputError, call)
        self.refused(InvalidInputError, functools.partial(store.keep_vector_model, "q_2_vec", "small", "both"))
        store.keep_vector_model("q_3_vec", "large")
        store.delete(["d1", "d2", "d3"])
        store.keep_vector_model("q_2_vec", "large", "records")
        told = {"q_2_vec": _unused("large", 3, "records", 2), "q_3_vec": _unused("large", 3)}
        self.same("vectors known later", store.vector_fields(), told)


def _unused(model: str, missing: int, origin: str = "index", dimension: int = 3) -> dict[str, Any]:
    """Return the facts about a field without vectors."""
    return {"dimension": dimension, "count": 0, "missing": missing, "model": model, "origin": origin}

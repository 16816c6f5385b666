"""The tests that every document store must pass (DOC-5), for any test framework.

With pytest:

```python
class TestMyStore(DocStoreContract):
    def make_store(self) -> DocStoreAdapter:
        return MyStore()
```

Without a framework, `DocStoreContract.run(MyStore)` returns the names of the tests that passed, or raises an error.
"""

import threading
from collections.abc import Callable
from typing import Any

from hybrid_search.base import validation
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.contract.bm25f_contract import Bm25fContract
from hybrid_search.doc_store_adapter.contract.contract_base import HOOKS, dense, text
from hybrid_search.doc_store_adapter.contract.contract_data import ATTRIBUTES, DOCUMENTS, FILTERS, WRONG_FILTERS
from hybrid_search.doc_store_adapter.contract.features_contract import FeaturesContract
from hybrid_search.doc_store_adapter.contract.limits_contract import LimitsContract
from hybrid_search.doc_store_adapter.contract.sharing_contract import SharingContract
from hybrid_search.doc_store_adapter.contract.stats_contract import StatsContract
from hybrid_search.doc_store_adapter.contract.values_contract import ValuesContract
from hybrid_search.errors import DimensionMismatchError, InvalidInputError
from hybrid_search.fusion.fusion_expr import FusionExpr
from hybrid_search.query_builder.expressions import MatchDenseExpr
from hybrid_search.query_builder.tree import AnyOf, Phrase, Term


class DocStoreContract(StatsContract, ValuesContract, LimitsContract, Bm25fContract, FeaturesContract, SharingContract):
    """One test method per guarantee, each with a new store. Guarantees that a store denies are not tested (DOC-8)."""

    @classmethod
    def names(cls) -> list[str]:
        """Return the names of the tests, sorted."""
        return sorted(name for name in dir(cls) if name.startswith("test_"))

    @classmethod
    def run(cls, make_store: Callable[[], DocStoreAdapter], **hooks: Callable[..., Any]) -> list[str]:
        """Run all tests and return their names.

        Args:
            make_store: returns a new, empty store.
            hooks: `make_reference`, `reopen`, `open_beside`, `lose_connection`, `answer_in_part`, `lose_answer`; they
                replace the methods of these names.

        Raises:
            InvalidInputError: an unknown hook.
            DocStoreError: the store breaks a guarantee.
        """
        validation.known("hook", hooks, HOOKS)
        contract = cls()
        for name, hook in {"make_store": make_store, **hooks}.items():
            setattr(contract, name, hook)
        for name in cls.names():
            getattr(contract, name)()
        return cls.names()

    def test_a_new_store_is_empty(self) -> None:
        """A new store contains no documents, and searching it is not an error."""
        store = self.make_store()
        self.same("count", store.count(), 0)
        self.same("ids", list(store.search().ids), [])
        self.same("rank", store.rank([text(Term("solar"))]), [])

    def test_documents_come_back_as_they_were(self) -> None:
        """`get` returns every field, and `None` for an unknown id."""
        store = self.filled()
        self.same("count", store.count(), len(DOCUMENTS))
        for document in DOCUMENTS:
            self.same(f"get {document['id']}", store.get(document["id"]), document)
        self.same("get of an unknown id", store.get("nowhere"), None)

    def test_insert_is_all_or_nothing(self) -> None:
        """A batch with one bad document changes nothing."""
        store = self.filled()
        before = store.generation
        for bad in (
            [{"id": "n1"}, {"id": "d1"}],
            [{"id": "n1"}, {"id": "n1"}],
            [{"id": "n1"}, {"content_ltks": "x"}],
            [{"id": "n1"}, {"id": ""}],
            [{"id": "n1"}, {"id": "n2", "q_2_vec": [1.0, float("nan")]}],
            [{"id": "n1"}, {"id": "n2", "pagerank_fea": "high"}],
        ):
            self.refused(InvalidInputError, lambda bad=bad: store.insert(bad))  # type: ignore[misc]
        self.refused(DimensionMismatchError, lambda: store.insert([{"id": "n1"}, {"id": "n2", "q_2_vec": [1.0]}]))
        if store.atomic_batches:
            self.same("count", store.count(), len(DOCUMENTS))
            self.same("generation", store.generation, before)

    def test_update_replaces_fields(self) -> None:
        """Given fields replace the stored ones, null removes a field, and other fields stay."""
        store = self.filled()
        self.same("changed", store.update([{"id": "d4", "content_ltks": "solar bread", "page_num_int": None}]), 1)
        self.same("document", store.get("d4"), {"id": "d4", "kb_id": "k2", "content_ltks": "solar bread"})
        found = {identifier for identifier, _ in store.rank([text(Term("solar"))])}
        self.same("found", sorted(found), ["d1", "d3", "d4"])
        self.refused(InvalidInputError, lambda: store.update([{"id": "d1", "kb_id": "x"}, {"id": "nowhere"}]))
        if store.atomic_batches:
            self.same("kept", (store.get("d1") or {})["kb_id"], "k1")

    def test_upsert_adds_and_replaces(self) -> None:
        """New documents are added and stored ones replaced as a whole; unchanged documents do not count."""
        store = self.filled()
        given: list[dict[str, Any]] = [
            {"id": "d1", "kb_id": "k2", "content_ltks": "moon", "page_num_int": None},
            {"id": "d7", "content_ltks": "solar tide", "q_2_vec": [0.8, 0.6]},
            DOCUMENTS[1],
        ]
        self.same("added or changed", store.upsert(given), 2)
        self.same("count", store.count(), len(DOCUMENTS) + 1)
        self.same("replaced", store.get("d1"), {"id": "d1", "kb_id": "k2", "content_ltks": "moon"})
        self.same("added", store.get("d7"), given[1])
        self.same("text", self.found(store, text(Term("solar"))), ["d3", "d7"])
        self.same("new text", self.found(store, text(Term("moon"))), ["d1"])
        self.same("dense", [identifier for identifier, _ in store.rank([dense(-1.0)])], ["d7", "d3", "d2"])
        self.same("filtered", [identifier for identifier, _ in store.rank([], {"kb_id": "k2"})], ["d1", "d3", "d4"])
        before = store.generation
        self.same("the same once more", store.upsert(given), 0)
        self.same("generation", store.generation, before)

    def test_upsert_is_all_or_nothing(self) -> None:
        """A batch with one bad document changes nothing."""
        store = self.filled()
        before = store.generation
        for bad in (
            [{"id": "d1", "kb_id": "k9"}, {"id": "n1"}, {"id": "d1"}],
            [{"id": "d1", "kb_id": "k9"}, {"content_ltks": "x"}],
            [{"id": "n1"}, {"id": "d1", "pagerank_fea": "high"}],
        ):
            self.refused(InvalidInputError, lambda bad=bad: store.upsert(bad))  # type: ignore[misc]
        self.refused(DimensionMismatchError, lambda: store.upsert([{"id": "n1"}, {"id": "d1", "q_2_vec": [1.0]}]))
        self.same("count", store.count(), len(DOCUMENTS))
        self.same("kept", store.get("d1"), DOCUMENTS[0])
        self.same("generation", store.generation, before)

    def test_delete_removes(self) -> None:
        """A search no longer finds a deleted document, and the document can be stored again."""
        store = self.filled()
        self.same("removed", store.delete(["d1", "nowhere"]), 1)
        self.same("get", store.get("d1"), None)
        self.same("text", [identifier for identifier, _ in store.rank([text(Term("solar"))])], ["d3"])
        self.same("dense", [identifier for identifier, _ in store.rank([dense(0.0)])], ["d3", "d2"])
        store.insert([DOCUMENTS[0]])
        self.same("get again", store.get("d1"), DOCUMENTS[0])

    def test_the_generation_follows_the_content(self) -> None:
        """The generation differs after each change, and stays the same when nothing changes."""
        store = self.make_store()
        seen = [store.generation]
        store.insert(DOCUMENTS)
        seen.append(store.generation)
        store.update([{"id": "d1", "kb_id": "k9"}])
        seen.append(store.generation)
        store.upsert([{"id": "d1", "kb_id": "k8"}])
        seen.append(store.generation)
        store.delete(["d1"])
        seen.append(store.generation)
        self.same("different generations", len({str(generation) for generation in seen}), len(seen))
        store.delete(["nowhere"])
        store.search(match_exprs=[text(Term("solar"))])
        self.same("generation", store.generation, seen[-1])

    def test_health(self) -> None:
        """A working store is green."""
        health = self.filled().health()
        self.same("status", health["status"], "green")
        self.same("documents", health["documents"], len(DOCUMENTS))

    def test_listing_without_a_query(self) -> None:
        """Documents are sorted by id, or by fields with missing values last."""
        store = self.filled()
        self.same("ids", list(store.search(limit=100).ids), [document["id"] for document in DOCUMENTS])
        ascending = store.search(order_by=[["page_num_int", "asc"]], limit=3)
        self.same("ascending", list(ascending.ids), ["d5", "d4", "d1"])
        descending = store.search(order_by=[["page_num_int", "desc"]], limit=3)
        self.same("descending", list(descending.ids), ["d4", "d5", "d1"])

    def test_filters(self) -> None:
        """Filters by equality, any value of a list, availability, a missing field and ids."""
        store = self.filled()
        for filters, expected in (
            ({"kb_id": "k1"}, ["d1", "d2"]),
            ({"kb_id": ["k1", "k3"]}, ["d1", "d2", "d5", "d6"]),
            ({"kb_id": []}, []),
            ({"available_int": 1}, ["d1", "d2", "d4", "d5", "d6"]),
            ({"available_int": 0}, ["d3"]),
            ({"must_not": {"exists": "q_2_vec"}}, ["d4", "d5", "d6"]),
            ({"id": ["d6", "d1", "nowhere"]}, ["d1", "d6"]),
            ({"important_kwd": "wind", "page_num_int": 7}, []),
            ({"page_num_int": 7.0}, ["d4"]),
            ({"kb_id": "k1' OR 'a'='a"}, []),
        ):
            found = [identifier for identifier, _ in store.rank([], filters)]
            self.same(f"filters {filters}", found, expected)
        self.refused(InvalidInputError, lambda: store.rank([], {"kb_id": {"is": "k1"}}))

    def test_filters_are_data(self) -> None:
        """Filters with paths into objects, ranges, existence, any, all and not."""
        store = self.make_store()
        store.insert(ATTRIBUTES)
        for filters, expected in FILTERS:
            found = [identifier for identifier, _ in store.rank([], filters)]
            self.same(f"filters {filters}", found, expected)
        for wrong in WRONG_FILTERS:
            self.refused(InvalidInputError, lambda wrong=wrong: store.rank([], wrong))  # type: ignore[misc]

    def test_attributes_order_and_are_counted(self) -> None:
        """Values in `metadata` are sorted and counted like those of a field."""
        store = self.make_store()
        store.insert(ATTRIBUTES)
        ascending = store.search(order_by=[["metadata.year", "asc"]], agg_fields=["metadata.lang", "metadata.in"])
        self.same("ascending", list(ascending.ids), ["a1", "a2", "a3", "a4"])
        self.same("counts", [list(pair) for pair in ascending.aggs["metadata.lang"]], [["en", 2], ["zh", 2]])
        self.same("counts of an object", list(ascending.aggs["metadata.in"]), [])
        descending = store.search(order_by=[["metadata.year", "desc"], ["tag_feas.good", "asc"]], offset=1, limit=3)
        self.same("descending", list(descending.ids), ["a2", "a1", "a4"])

    def test_text_queries(self) -> None:
        """Terms, phrases, near phrases, keywords and minimum_should_match."""
        store = self.filled()
        either = AnyOf((Term("solar"), Term("panel"), Term("power")))
        self.same("terms", self.found(store, text(either)), ["d1", "d2", "d3"])
        self.same("best", store.rank([text(either)])[0][0], "d1")
        self.same("phrase", self.found(store, text(Phrase(("solar", "panel")))), ["d1"])
        self.same("slop 2", self.found(store, text(Phrase(("solar", "panel"), 2))), ["d1"])
        self.same("slop 3", self.found(store, text(Phrase(("solar", "panel"), 3))), ["d1", "d3"])
        self.same("keyword", self.found(store, text(Term("wind"), field="important_kwd")), ["d2"])
        self.same("two of three", self.found(store, text(either, minimum=2)), ["d1", "d3"])
        self.same("all of three", self.found(store, text(either, minimum=1.0)), ["d1"])
        self.same("nothing", self.found(store, text(AnyOf(()))), [])
        self.same("filtered", self.found(store, text(either), {"kb_id": "k2"}), ["d3"])

    def test_rankings_are_ordered(self) -> None:
        """Rankings are sorted by score descending, then by id ascending; a limit returns the first entries."""
        store = self.make_store()
        store.insert([{"id": identifier, "content_ltks": "x"} for identifier in ("b", "é", "a", "B", "10", "9")])
        store.insert([{"id": f"other {place}", "content_ltks": "y"} for place in range(9)])
        ranking = store.rank([text(Term("x"))])
        self.same("ids", [identifier for identifier, _ in ranking], ["10", "9", "B", "a", "b", "é"])
        self.same("head", store.rank([text(Term("x"), topn=2)]), ranking[:2])

    def test_dense_queries(self) -> None:
        """Cosines, `topn` and the lowest similarity of a dense query."""
        store, reference = self.both(DOCUMENTS)
        self.same("cosines", reference.rank([dense(-1.0)]), [("d1", 1.0), ("d3", 0.6), ("d2", 0.0)])
        self.same_answers("cosines", store, reference, [dense(-1.0), dense(0.6), dense(-1.0, topn=1)])
        self.same_answers("filtered", store, reference, [dense(-1.0)], {"kb_id": "k2"})
        other = MatchDenseExpr("q_2_vec", (1.0, 0.0, 0.0))
        self.refused(DimensionMismatchError, lambda: store.rank([other]))

    def test_fusion(self) -> None:
        """Both legs are fused by weighted sums and by reciprocal ranks."""
        store = self.filled()
        legs = [text(Term("wind")), dense(0.1)]
        weighted = store.rank([*legs, FusionExpr("weighted_sum", 10, {"weights": "0.5,0.5"})])
        if store.exact_dense:
            self.same("weighted", weighted, [("d1", 0.5), ("d2", 0.5), ("d3", 0.3)])
        ranks = store.rank([*legs, FusionExpr("rrf", 2, {"k": 60})])
        self.same("rrf", ranks, [("d1", 1.0 / 61.0), ("d2", 1.0 / 61.0)])
        self.refused(InvalidInputError, lambda: store.rank(legs))

    def test_pages_are_slices_of_the_ranking(self) -> None:
        """The pages together are the whole ranking, and the total is the same on each."""
        store = self.filled()
        exprs = [text(AnyOf((Term("solar"), Term("water"), Term("and"), Term("power"))))]
        ranking = store.rank(exprs)
        joined: list[tuple[str, float]] = []
        for offset in range(0, len(ranking) + 2, 2):
            page = store.search(match_exprs=exprs, offset=offset, limit=2)
            self.same("total", page.total, len(ranking))
            joined += [(identifier, page.scores[identifier]) for identifier in page.ids]
        self.same("pages joined", joined, ranking)

    def test_results_carry_what_was_asked_for(self) -> None:
        """A result contains the selected fields, highlights, counts, the query vector and the keywords."""
        store = self.filled()
        result = store.search(
            select_fields=["kb_id", "q_2_vec", "nowhere"],
            match_exprs=[dense(0.1)],
            agg_fields=["kb_id"],
            keywords=["solar"],
            limit=1,
        )
        self.same("fields", dict(result.fields["d1"]), {"kb_id": "k1", "q_2_vec": [1.0, 0.0]})
        self.same("query vector", list(result.query_vector or ()), [1.0, 0.0])
        self.same("aggs", [list(pair) for pair in result.aggs["kb_id"]], [["k1", 1], ["k2", 1]])
        self.same("keywords", list(result.keywords), ["solar"])
        marked = store.search(
            match_exprs=[text(Term("salt"))], highlight_fields=["content_with_weight"], keywords=["salt"]
        )
        self.same("highlight", dict(marked.highlight), {"d6": "<em>Salt</em> &amp; more."})

    def test_results_do_not_depend_on_history(self) -> None:
        """Scores do not depend on the order of insertion or on updates and deletes, if the store guarantees this."""
        expr = text(AnyOf((Term("solar"), Term("water"), Phrase(("solar", "panel"), 3))))
        expected = self.filled().rank([expr])
        store = self.make_store()
        for document in reversed(DOCUMENTS):
            store.insert([{**document, "content_ltks": "solar solar"}])
        store.insert([{"id": "gone", "content_ltks": "solar water"}])
        store.delete(["gone"])
        store.update([{"id": document["id"], "content_ltks": document["content_ltks"]} for document in DOCUMENTS[:3]])
        store.upsert(DOCUMENTS[3:])
        if store.history_free:
            self.same("ranking", store.rank([expr]), expected)

    def test_what_goes_in_and_out_is_a_copy(self) -> None:
        """Changing a document outside the store does not change the stored one."""
        store = self.make_store()
        document: dict[str, Any] = {"id": "a", "important_kwd": ["x"]}
        store.insert([document])
        document["important_kwd"].append("y")
        document["kb_id"] = "k"
        self.same("after changing what went in", store.get("a"), {"id": "a", "important_kwd": ["x"]})
        found = store.get("a") or {}
        found["kb_id"] = "k"
        self.same("after changing what came out", store.get("a"), {"id": "a", "important_kwd": ["x"]})

    def test_unacceptable_arguments_are_refused(self) -> None:
        """Invalid arguments raise the library's own error."""
        store = self.filled()
        for call in (
            lambda: store.search(limit=-1),
            lambda: store.search(offset=-1),
            lambda: store.search(limit="ten"),  # type: ignore[arg-type]
            lambda: store.search(filters="k1"),  # type: ignore[arg-type]
            lambda: store.search(select_fields="kb_id"),
            lambda: store.search(order_by=[["kb_id", "up"]]),
            lambda: store.search(match_exprs=["solar"]),
            lambda: store.insert("abc"),  # type: ignore[arg-type]
            lambda: store.insert([None]),  # type: ignore[list-item]
            lambda: store.upsert("abc"),  # type: ignore[arg-type]
            lambda: store.upsert([None]),  # type: ignore[list-item]
            lambda: store.delete("d1"),
            lambda: store.get(1),  # type: ignore[arg-type]
        ):
            self.refused(InvalidInputError, call)

    def test_readers_see_whole_batches(self) -> None:
        """Readers never see half of a pair of documents that another thread stores, if batches are atomic."""
        store = self.make_store()
        odd: list[int] = []
        done = threading.Event()

        def read() -> None:
            while not done.is_set():
                found = len(store.rank([text(Term("x"))]))
                if found % 2:
                    odd.append(found)

        reader = threading.Thread(target=read)
        reader.start()
        for place in range(0, 100, 2):
            store.insert([{"id": f"{number}", "content_ltks": "x"} for number in (place, place + 1)])
        done.set()
        reader.join()
        if store.atomic_batches:
            self.same("half batches seen", odd, [])

    def found(self, store: DocStoreAdapter, expr: Any, filters: dict[str, Any] | None = None) -> list[str]:
        """Return the ids that an expression finds, sorted."""
        return sorted(identifier for identifier, _ in store.rank([expr], filters))

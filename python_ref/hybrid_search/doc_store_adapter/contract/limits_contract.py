"""The tests of counts and sizes beyond the limits of common engines (DOC-5)."""

from typing import Any

from hybrid_search.doc_store_adapter.contract.contract_base import dense, text
from hybrid_search.doc_store_adapter.contract.reference_contract import ReferenceContract
from hybrid_search.query_builder.tree import AnyOf, Node, Phrase, Term

FREQUENCY = 300
"""A frequency that does not fit into a byte."""
PLACES = 16_400
"""A position beyond those that some engines store."""
CLAUSES = 1_100
"""A number of clauses beyond the limit of some engines."""
LISTED = 10_001
"""A number of documents beyond those that some engines list."""


class LimitsContract(ReferenceContract):
    """The tests of sizes: a store has no limit on frequencies, positions, clauses and listed documents."""

    def test_frequencies_and_places_have_no_limit(self) -> None:
        """A token that occurs 300 times, a phrase after 16,400 other tokens, and a phrase that occurs many times."""
        documents = [
            {"id": "often", "content_ltks": "sun " * FREQUENCY},
            {"id": "less often", "content_ltks": "sun " * (FREQUENCY - 50) + "moon " * 50},
            {"id": "late", "content_ltks": "and " * PLACES + "sun over moon"},
            {"id": "twice", "content_ltks": "sun moon " * FREQUENCY},
            {"id": "apart", "content_ltks": "moon " + "and " * PLACES + "sun"},
            {"id": "empty", "content_ltks": ""},
            *({"id": f"other {place}", "content_ltks": f"other {place}"} for place in range(9)),
        ]
        phrases = [
            Phrase(("over", "moon")),
            Phrase(("sun", "moon")),
            Phrase(("sun", "moon"), 1),
            Phrase(("sun", "moon"), 3),
        ]
        trees: list[Node] = [Term("sun"), Term("and"), *phrases, AnyOf((Term("moon"), Phrase(("over", "moon"))))]
        store, reference = self.both(documents)
        self.same_answers("frequencies and places", store, reference, [text(tree) for tree in trees])

    def test_terms_that_most_documents_hold(self) -> None:
        """Terms of most documents score as the formula states, with and without filters."""
        documents = [
            {"id": f"{place}", "content_ltks": "common " * (place % 3 + 1) + f"rare{place % 4} half" * (place % 2)}
            for place in range(9)
        ]
        store, reference = self.both(documents)
        trees: list[Node] = [
            Term("common"),
            AnyOf((Term("common"), Term("rare1"))),
            AnyOf((Term("rare3"), Term("half"))),
        ]
        exprs = [text(tree) for tree in trees]
        self.same_answers("common terms", store, reference, exprs)
        self.same_answers("common terms, filtered", store, reference, exprs, {"id": {"lt": "5"}})

    def test_queries_of_many_clauses(self) -> None:
        """A query of more than a thousand clauses searches for each of them."""
        documents = [
            {
                "id": f"{place:02}",
                "content_ltks": " ".join(f"w{number}" for number in range(place, CLAUSES, 50 - place)),
            }
            for place in range(40)
        ]
        store, reference = self.both(documents)
        tree = AnyOf(tuple(Term(f"w{number}") for number in range(CLAUSES)))
        exprs = [text(tree), text(tree, minimum=30), text(tree, minimum=0.05)]
        self.same_answers("many clauses", store, reference, exprs)

    def test_listing_has_no_end(self) -> None:
        """More than ten thousand documents are listed, found and counted, from any offset."""
        documents: list[dict[str, Any]] = [
            {"id": f"{place:05}", "content_ltks": "x", "page_num_int": -place, "kb_id": "k", "q_2_vec": [1.0, 1.0]}
            for place in range(LISTED)
        ]
        store, reference = self.both(documents)
        last = [document["id"] for document in documents[-2:]]
        for exprs in ([], [text(Term("x"), topn=LISTED)], [dense(0.0, LISTED)]):
            found = store.search(
                select_fields=["id"], match_exprs=exprs, offset=LISTED - 2, limit=10, agg_fields=["kb_id"]
            )
            if not exprs or (store.exact_dense and store.exact_text):
                self.exactly("the last ids", list(found.ids), last)
                self.same("total", found.total, LISTED)
                self.same("counts", [list(pair) for pair in found.aggs["kb_id"]], [["k", LISTED]])
        ordered = store.search(select_fields=["id"], order_by=[["page_num_int", "asc"]], offset=LISTED - 1, limit=5)
        self.exactly("the last by a field", list(ordered.ids), ["00000"])
        self.same_answers("all", store, reference, [text(Term("x"), topn=LISTED)])
        self.same("removed", store.delete(last), len(last))
        self.same("count", store.count(), LISTED - len(last))

"""The tests of unusual values, ids, names, tokens and vectors for every document store (DOC-5)."""

from typing import Any

from hybrid_search.doc_store_adapter.contract.contract_base import dense, text
from hybrid_search.doc_store_adapter.contract.reference_contract import ReferenceContract
from hybrid_search.query_builder.tree import AnyOf, Phrase, Term

NUMBERS: tuple[int | float, ...] = (
    10**16, 1e16, 2**53 + 1, -(2**70), 0, 0.0, -0.0, 5e-324, 1.7976931348623157e308, 0.1, 1e-7, 3.0, 1e23,
)  # fmt: skip
TEXTS = (
    "",
    "\0",
    "a\0b",
    "'; --",
    '"\\/',
    "%_",
    "\u2028\u2029",
    "é",
    "e\u0301",
    "\uff61",
    "😀",
    "\x7f\x1b\r\n\t",
    "太阳",
)
IDS = (*(text for text in TEXTS if text), " ", "A", "a", "10", "9", "_", "../x", "<em>", "a" * 300, "\uffff", "\ue000")
FIELDS = (
    "a' or 'a'='a_kwd", 'x"y_kwd', "a\0b_kwd", "%_kwd", "$1_kwd", "%s_kwd", "a.b_kwd", "ü;--_kwd", "a b_kwd", "{}_kwd",
    "\\_kwd", "_source_kwd", "A_kwd", "a_kwd", "😀_kwd", f"{'x' * 300}_kwd", "metadata_kwd", "?_kwd", ":a_kwd",
)  # fmt: skip
_DIGITS = "".join(map(str, range(3_000)))
TOKENS = (
    "a" * 255, "a" * 256, "b" * 2_046, "b" * 2_047, "太" * 400, "太" * 700, _DIGITS[:9_000], _DIGITS[:8_999] + "x",
    "OR", "AND", "NOT", "_exists_:id", "a&b", "&&", "!", "*", "a*", "~2", '"', "'", "\\", "%", "a\0b", "\0", "a\tb",
    "a\u3000b", "(", "<->", "é", "e\u0301", "😀", "A", "a",
)  # fmt: skip
VECTORS: tuple[tuple[float, float], ...] = (
    (0.0, 0.0), (1.0, 2.0**-40), (1.0, 2.0**-41), (0.1, 0.2), (0.1, 0.2000000000000001), (-0.0, 1.0), (-1.0, -0.0),
    (1e-200, 1e-200), (1e150, -1e150), (5e-324, 0.0), (3e38, 4e38), (1e-46, 1e-46), (16777217.0, 1.0),
)  # fmt: skip
LONG = 2_048
"""A number of components beyond the limit of some engines' vector indexes."""


class ValuesContract(ReferenceContract):
    """The tests of values: each is returned as it was stored, and is distinct from all others."""

    def test_values_come_back_as_they_were(self) -> None:
        """A store preserves the types and bits of numbers, every character and the order of keys."""
        documents: list[dict[str, Any]] = [
            {"id": "numbers", **{f"n{place}": value for place, value in enumerate(NUMBERS)}, "all": list(NUMBERS)},
            {"id": "texts", "metadata": {"z": list(TEXTS), "a": dict(zip(TEXTS, TEXTS, strict=True))}},
            {"id": "mixed", "z": [None, True, False, [], {}, [[1], {"b": 1, "a": 1.0}]], "a": 1, "important_kwd": []},
        ]
        store, reference = self.both(documents)
        self.same_documents(store, reference)
        found = store.search(limit=10).fields
        for document in documents:
            self.exactly("fields found", list(found[document["id"]].items()), list(document.items()))
        self.same("changed by the same", store.upsert(documents), 0)
        for value, other in ((10**16, 1e16), (0, 0.0), (True, 1)):
            store.upsert([{"id": "one", "value": value}])
            self.same(f"changed from {value} to {other}", store.update([{"id": "one", "value": other}]), 1)
            self.exactly("value", store.get("one"), {"id": "one", "value": other})

    def test_ids_are_told_apart(self) -> None:
        """Ids with any characters are distinct, and are sorted by code points."""
        store, reference = self.both([{"id": identifier, "kb_id": identifier} for identifier in IDS])
        self.same_documents(store, reference)
        self.exactly("ids in order", list(store.search(limit=100).ids), sorted(IDS))
        for identifier in IDS:
            for field in ("id", "kb_id"):
                found = store.rank([], {field: identifier})
                self.exactly(f"ids with {field} {identifier[:40]!r}", [each for each, _ in found], [identifier])
        self.same("removed", store.delete(IDS[::2]), len(IDS[::2]))
        self.exactly("ids that stay", list(store.search(limit=100).ids), sorted(IDS[1::2]))

    def test_names_of_fields_are_told_apart(self) -> None:
        """Names of fields are distinct and have no special meaning in queries, filters, orders and counts."""
        documents = [{"id": f"{place:02}", field: "word"} for place, field in enumerate(FIELDS)]
        store, reference = self.both(documents)
        self.same_documents(store, reference)
        everything = [document["id"] for document in documents]
        for place, field in enumerate(FIELDS):
            own, shown = everything[place], repr(field[:40])
            self.same_answers(f"queries in {shown}", store, reference, [text(Term("word"), field=field)])
            for filters in ({field: "word"}, {field: {"exists": True}}, {"not": {"must_not": {"exists": field}}}):
                self.exactly(f"ids with {shown}", [each for each, _ in store.rank([], filters)], [own])
            result = store.search(select_fields=[field], order_by=[[field, "asc"]], agg_fields=[field], limit=1)
            self.exactly(f"first by {shown}", list(result.ids), [own])
            self.exactly(f"fields selected, {shown}", dict(result.fields[own]), {field: "word"})
            self.exactly(f"counts of {shown}", [list(pair) for pair in result.aggs[field]], [["word", 1]])

    def test_tokens_are_told_apart(self) -> None:
        """Long tokens are distinct up to their last character, and no token or keyword is an operator."""
        documents = [
            {"id": f"{place:02}", "content_ltks": f"{token} and", "important_kwd": [token]}
            for place, token in enumerate(TOKENS)
        ]
        store, reference = self.both(documents)
        for place, token in enumerate(TOKENS):
            exprs = [text(Term(token)), text(Phrase((token, "and"))), text(Term(token), field="important_kwd")]
            self.same_answers(f"queries of token {place}", store, reference, exprs)
            self.exactly(
                f"keyword {place}", [each for each, _ in store.rank([], {"important_kwd": token})], [f"{place:02}"]
            )
        self.same_answers("all tokens", store, reference, [text(AnyOf(tuple(map(Term, TOKENS))))])

    def test_vectors_of_every_kind(self) -> None:
        """Vectors of zeros, of components that 32-bit floats cannot represent, and of many components."""
        ramp = [float(place % 7) + 0.1 for place in range(LONG)]
        documents: list[dict[str, Any]] = [
            *({"id": f"{place:02}", "q_2_vec": list(vector)} for place, vector in enumerate(VECTORS)),
            {"id": "long", f"q_{LONG}_vec": ramp},
            {"id": "long reversed", f"q_{LONG}_vec": ramp[::-1]},
            {"id": "none"},
        ]
        store, reference = self.both(documents)
        self.same_documents(store, reference)
        for vector in VECTORS:
            exprs = [dense(-1.0, 50, vector), dense(-1.0, 3, vector), dense(0.5, 50, vector)]
            self.same_answers(f"nearest to {vector}", store, reference, exprs)
        self.same_answers("filtered", store, reference, [dense(-1.0, 3)], {"id": {"gte": "05"}})
        self.same_answers("many components", store, reference, [dense(-1.0, 5, ramp, f"q_{LONG}_vec")])

"""The tests of concurrent use and of faults for every document store (DOC-5, DOC-8)."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.contract.contract_base import BROKEN, dense, text
from hybrid_search.doc_store_adapter.contract.contract_data import DOCUMENTS
from hybrid_search.doc_store_adapter.contract.reference_contract import ReferenceContract
from hybrid_search.errors import DocStoreError, InvalidInputError, UnknownOutcomeError
from hybrid_search.query_builder.tree import AnyOf, Phrase, Term

WRITERS = 4
ROUNDS = 4
TRIES = 10
"""The number of times that a store may fail after it lost its connections, before it works again."""
EXPRS = (
    text(AnyOf((Term("solar"), Term("water"), Term("and"), Phrase(("solar", "panel"), 3)))),
    text(Term("power")),
    dense(-1.0),
)
PAIR: tuple[dict[str, Any], ...] = (
    {"id": "n1", "content_ltks": "solar water", "q_2_vec": [0.8, 0.6]},
    {"id": "n2", "content_ltks": "solar power"},
)


class SharingContract(ReferenceContract):
    """The tests of several threads, of several stores with the same content, and of faults."""

    def test_writers_end_as_one_would(self) -> None:
        """Threads that write concurrently, through several stores, have the same effect as one after another."""
        store = self.make_store()
        beside = self.open_beside(store)
        stores = [store, beside or store]
        first: list[int] = []
        wrong: list[BaseException] = []

        def write(writer: int) -> None:
            try:
                first.extend(_changes(stores[writer % 2], writer))
            except Exception as problem:
                wrong.append(problem)

        _at_once([lambda writer=writer: write(writer) for writer in range(WRITERS)])  # type: ignore[misc]
        self.same("errors of writers", wrong, [])
        reference = self.make_reference()
        for writer in range(WRITERS):
            _changes(reference, writer)
        self.same("who was the first to store an id, by turns", sorted(first), list(range(ROUNDS)))
        for each in stores:
            self.same_documents(each, reference)
            if each.history_free:
                self.same_answers("after many writers", each, reference, EXPRS)

    def test_content_outlives_the_store(self) -> None:
        """Documents, results, names of models and the generation survive, if a store can be reopened."""
        store = self.filled()
        store.keep_vector_model("q_2_vec", "small")
        store.delete(["d6"])
        before = (store.generation, store.vector_fields(), [store.rank([expr]) for expr in EXPRS])
        opened = self.reopen(store)
        if opened is None:
            return
        after = (opened.generation, opened.vector_fields(), [opened.rank([expr]) for expr in EXPRS])
        self.exactly("the reopened store", after, before)
        reference = self.make_reference()
        reference.insert(DOCUMENTS[:5])
        self.same_documents(opened, reference)
        opened.insert(DOCUMENTS[5:])
        self.same("another generation", opened.generation != before[0], True)

    def test_stores_of_one_content_see_each_other(self) -> None:
        """Each of two open stores finds what the other writes, and the generation shows it."""
        store = self.filled()
        beside = self.open_beside(store)
        if beside is None:
            return
        reference = self.make_reference()
        reference.insert(DOCUMENTS)
        for writer, reader in ((store, beside), (beside, store)):
            before = reader.generation
            for each in (writer, reference):
                each.upsert([*PAIR, {"id": "d4", "content_ltks": f"water {each.count()}"}])
                each.delete(["d1"])
            self.same("another generation", reader.generation != before, True)
            self.same("generations", reader.generation, writer.generation)
            self.same_documents(reader, reference)
            if reader.history_free:
                self.same_answers("what another wrote", reader, reference, EXPRS)
            for each in (writer, reference):
                each.delete(["n1", "n2"])
                each.insert([DOCUMENTS[0]])
        self.refused(InvalidInputError, lambda: beside.insert([DOCUMENTS[0]]))

    def test_a_lost_connection_loses_nothing(self) -> None:
        """Calls raise the library's error or return the right result; afterwards all stored documents are available."""
        store = self.filled()
        mend = self.lose_connection(store)
        if mend is None:
            return
        self._whole_or_refused(store)
        mend()
        self._works_again(store, len(DOCUMENTS))
        self.same("stored", store.insert(PAIR), len(PAIR))
        reference = self.make_reference()
        reference.insert([*DOCUMENTS, *PAIR])
        self.same_documents(store, reference)

    def test_no_answer_is_silently_short(self) -> None:
        """If an engine reports a partial result, the store returns the whole result or raises the library's error."""
        store = self.filled()
        mend = self.answer_in_part(store)
        if mend is None:
            return
        self._whole_or_refused(store)
        mend()
        self._works_again(store, len(DOCUMENTS))

    def test_an_unknown_outcome_says_so(self) -> None:
        """A change whose response was lost raises `UnknownOutcomeError`; it took effect or not, and can be repeated."""
        store = self.filled()
        mend = self.lose_answer(store)
        if mend is None:
            return
        self.refused(UnknownOutcomeError, lambda: store.insert(PAIR))
        mend()
        self._works_again(store, None)
        added = store.count() - len(DOCUMENTS)
        self.same("documents added", added in ((0, len(PAIR)) if store.atomic_batches else range(len(PAIR) + 1)), True)
        store.upsert(PAIR)
        reference = self.make_reference()
        reference.insert([*DOCUMENTS, *PAIR])
        self.same_documents(store, reference)

    def _whole_or_refused(self, store: DocStoreAdapter) -> None:
        """Call every method that reads; each must return the right result or raise the library's error."""
        reference = self.make_reference()
        reference.insert(DOCUMENTS)
        asked: tuple[Callable[[DocStoreAdapter], Any], ...] = (
            lambda each: each.count(),
            lambda each: list(each.search(limit=100).ids),
            lambda each: each.search(limit=1).total,
            lambda each: sorted(identifier for identifier, _ in each.rank([EXPRS[0]])),
            lambda each: sorted(identifier for identifier, _ in each.rank([], {"kb_id": ["k1", "k3"]})),
            lambda each: each.search(agg_fields=["kb_id"]).aggs["kb_id"],
            lambda each: each.get("d4"),
        )
        for place, ask in enumerate(asked):
            try:
                got = ask(store)
            except DocStoreError:
                continue
            self.same(f"answer {place} of a failing engine", got, ask(reference))

    def _works_again(self, store: DocStoreAdapter, count: int | None) -> None:
        for _ in range(TRIES):
            try:
                found = store.count()
            except DocStoreError:
                continue
            self.same("count", count is None or found == count, True)
            return
        raise DocStoreError(f"{BROKEN} it should work again")


def _changes(store: DocStoreAdapter, writer: int) -> list[int]:
    """Make the changes of one writer; return the turns in which it was the first to store the turn's shared id."""
    first = []
    for turn in range(ROUNDS):
        ids = [f"{writer} {turn} {place}" for place in range(3)]
        store.insert([{"id": each, "content_ltks": f"solar panel {turn}", "q_2_vec": [1.0, turn]} for each in ids])
        store.update([{"id": ids[0], "content_ltks": f"water and power {writer}"}])
        store.upsert([{"id": ids[1], "content_ltks": "and power"}, {"id": "shared", "content_ltks": f"solar {turn}"}])
        store.delete([ids[2]])
        try:
            store.insert([{"id": f"first {turn}", "content_ltks": "power"}])
        except InvalidInputError:
            continue
        first.append(turn)
    return first


def _at_once(calls: Sequence[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

"""Every store of the library fulfils the contract."""

import atexit
import importlib
import inspect
import pkgutil
import tempfile
from functools import partial
from itertools import product

import pytest

import hybrid_search
from hybrid_search import doc_store_adapter
from hybrid_search.base.kernels import INCLUDED
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.contract.doc_store_contract import DocStoreContract
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from hybrid_search.errors import DocStoreError, InvalidInputError
from hybrid_search.query_builder.expressions import MatchBm25fExpr


def stores():
    """The classes of stores in the library, by their names."""
    found = pkgutil.walk_packages(doc_store_adapter.__path__, f"{doc_store_adapter.__name__}.")
    modules = [importlib.import_module(module.name) for module in found]
    classes = {one for module in modules for _, one in inspect.getmembers(module, inspect.isclass)}
    return sorted((one for one in classes if issubclass(one, DocStoreAdapter) and is_public(one)), key=str)


def is_public(store):
    """Return whether a class is public; the common base of stores has no public name."""
    return store.__name__ in hybrid_search.__all__ and store is not DocStoreAdapter


def in_file(**options):
    """A store in its own file, which is removed at the end."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return SqliteDocStore(f"{folder.name}/index.hsx", synchronous="normal", **options)


def reopened(store):
    """The store of a file that was closed."""
    if not isinstance(store, SqliteDocStore):
        return None
    store.close()
    return SqliteDocStore(store.path)


def beside(store):
    """A second store of a file."""
    return SqliteDocStore(store.path) if isinstance(store, SqliteDocStore) else None


WAYS = {"MemoryDocStore": MemoryDocStore} | {
    f"MemoryDocStore, {bm25}, {kernels}": partial(MemoryDocStore, bm25, kernels)
    for bm25 in ("okapi", "lucene")
    for kernels in INCLUDED
}
WAYS |= {f"SqliteDocStore, {kernels}": partial(in_file, kernels=kernels) for kernels in INCLUDED}


def test_the_stores_are_found():
    assert [one.__name__ for one in stores()] == [
        "MemoryDocStore",
        "OceanBaseDocStore",
        "OpenSearchDocStore",
        "PostgresDocStore",
        "SqliteDocStore",
    ]
    assert not any(map(inspect.isabstract, stores()))


def asked():
    """Every guarantee of every store; the walk of tens of thousands of documents is only for some stores."""
    for promise, way in product(DocStoreContract.names(), WAYS):
        later = promise == "test_listing_has_no_end" and way not in ("MemoryDocStore", "SqliteDocStore, fast")
        yield pytest.param(way, promise, marks=pytest.mark.nightly if later else ())


@pytest.mark.parametrize(("way", "promise"), list(asked()))
def test_stores_fulfil_the_contract(way, promise):
    contract = DocStoreContract()
    contract.make_store, contract.reopen, contract.open_beside = WAYS[way], reopened, beside
    contract.make_reference = partial(MemoryDocStore, "lucene" if "lucene" in way else "okapi", "plain")
    getattr(contract, promise)()


class TestSubclass(DocStoreContract):
    """Users can test their own store as the documentation describes."""

    def make_store(self):
        return MemoryDocStore()


def test_the_contract_reports_what_a_store_violates():
    class Forgetful(MemoryDocStore):
        def delete(self, identifiers):
            return 0

    with pytest.raises(DocStoreError, match="the store breaks the contract: removed should be 1, is 0"):
        DocStoreContract.run(Forgetful)


class Short(MemoryDocStore):
    """Lists as many documents as some engines do, and can return results from only some of them."""

    part = 10_000

    def rank(self, match_exprs, filters=None):
        return super().rank(match_exprs, filters)[: self.part]


class Rounded(MemoryDocStore):
    """A store whose scores and values have lost their last digits."""

    def rank(self, match_exprs, filters=None):
        found = [(identifier, round(score, 12)) for identifier, score in super().rank(match_exprs, filters)]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))

    def get(self, identifier):
        found = super().get(identifier)
        return found and {name: value + 0.0 if isinstance(value, int) else value for name, value in found.items()}


class Inexact(Rounded):
    """A store that returns wrong scores."""

    get = MemoryDocStore.get
    exact_text = exact_dense = False


@pytest.mark.parametrize(
    ("store", "promise"),
    [
        (Short, "test_listing_has_no_end"),
        (Rounded, "test_bags_of_tokens"),
        (Rounded, "test_values_come_back_as_they_were"),
        (Rounded, "test_terms_that_most_documents_hold"),
        (Rounded, "test_vectors_of_every_kind"),
        (Rounded, "test_writers_end_as_one_would"),
    ],
)
def test_the_contract_finds_lost_documents(store, promise):
    contract = DocStoreContract()
    contract.make_store = store
    with pytest.raises(DocStoreError, match="the store breaks the contract: "):
        getattr(contract, promise)()


@pytest.mark.parametrize(
    "promise", ["test_bags_of_tokens", "test_terms_that_most_documents_hold", "test_vectors_of_every_kind"]
)
def test_guarantees_that_are_not_promised_are_not_checked(promise):
    contract = DocStoreContract()
    contract.make_store = Inexact
    getattr(contract, promise)()


class Treelike(MemoryDocStore):
    """Refuses bags of tokens, as an engine without BM25F does; some may be accepted."""

    exact_text = False
    most = 0

    def rank(self, match_exprs, filters=None):
        if any(isinstance(expr, MatchBm25fExpr) and not 0 < len(expr.tokens) <= self.most for expr in match_exprs):
            raise InvalidInputError("this store answers no MatchBm25fExpr")
        return super().rank(match_exprs, filters)


def bags_of(store):
    """Check a store with bags of tokens as the contract does."""
    contract = DocStoreContract()
    contract.make_store = lambda: store
    contract.test_bags_of_tokens()


def test_bags_of_tokens_are_refused_only_without_the_promise():
    bags_of(Treelike())
    promising = type("Promising", (Treelike,), {"exact_text": True})
    with pytest.raises(DocStoreError, match="it promises supports_bm25f, and refuses a MatchBm25fExpr: this"):
        bags_of(promising())


def test_bags_of_tokens_are_all_accepted_or_all_refused():
    answering_some = type("AnsweringSome", (Treelike,), {"most": 1})
    with pytest.raises(InvalidInputError, match="this store answers no MatchBm25fExpr"):
        bags_of(answering_some())
    lying = type("Lying", (MemoryDocStore,), {"rank": lambda self, exprs, filters=None: []})
    with pytest.raises(DocStoreError, match="bags of tokens, 0 should be 3 items, is 0"):
        bags_of(lying())


def test_the_contract_finds_results_from_only_some_documents():
    def answer_in_part(store):
        store.part = 2
        return lambda: setattr(store, "part", 10_000)

    contract = DocStoreContract()
    contract.make_store, contract.answer_in_part = Short, answer_in_part
    with pytest.raises(DocStoreError, match=r"answer 3 of a failing engine should be "):
        contract.test_no_answer_is_silently_short()


def test_the_contract_finds_changes_that_hide_their_outcome():
    contract = DocStoreContract()
    contract.make_store, contract.lose_answer = MemoryDocStore, lambda store: lambda: None
    with pytest.raises(DocStoreError, match="it should raise UnknownOutcomeError"):
        contract.test_an_unknown_outcome_says_so()


def test_the_contract_refuses_an_unknown_hook():
    with pytest.raises(InvalidInputError, match='unknown hook "reopn"; did you mean "reopen"'):
        DocStoreContract.run(MemoryDocStore, reopn=lambda store: store)

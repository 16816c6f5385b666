"""The document store and the retriever of Haystack: Haystack's own suite, and tests that it lacks."""

import asyncio
import importlib

import pytest

pytest.importorskip("haystack", reason="the gates frameworks and frameworks-oldest run it with the package")

from haystack import Document, Pipeline
from haystack.dataclasses import ByteStream, SparseEmbedding
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy, FilterPolicy
from haystack.errors import FilterError
from haystack.testing import document_store as sync_suite

from hybrid_search import ConfigurationError, HashingEmbedder, Index, InvalidInputError
from hybrid_search.integrations.haystack import (
    HybridSearchDocumentStore,
    HybridSearchRetriever,
    from_filters,
    to_filters,
)

SYNC = (
    "DeleteAllTest", "DeleteByFilterTest", "UpdateByFilterTest", "CountDocumentsByFilterTest",
    "CountUniqueMetadataByFilterTest", "GetMetadataFieldsInfoTest", "GetMetadataFieldMinMaxTest",
    "GetMetadataFieldUniqueValuesTest",
)  # fmt: skip
"""The parts of Haystack's suite that its base tests do not include; older versions have fewer."""
ASYNC = (
    "CountDocumentsAsyncTest", "WriteDocumentsAsyncTest", "DeleteDocumentsAsyncTest", "FilterDocumentsAsyncTest",
    "DeleteAllAsyncTest", "DeleteByFilterAsyncTest", "UpdateByFilterAsyncTest", "CountDocumentsByFilterAsyncTest",
)  # fmt: skip


def parts(module, names):
    return tuple(getattr(module, name) for name in names if hasattr(module, name))


try:
    async_suite = importlib.import_module("haystack.testing.document_store_async")
except ModuleNotFoundError:  # added in 2.20
    async_suite = None


class OurStore:
    """What differs from the suite's expectations: documents are ordered by id, and the default policy is FAIL."""

    @pytest.fixture(params=["memory", "file"])
    def document_store(self, request, tmp_path):
        path = str(tmp_path / "haystack.hsx") if request.param == "file" else None
        store = HybridSearchDocumentStore(path)
        yield store
        store.index.close()

    @staticmethod
    def assert_documents_are_equal(received, expected):
        assert received == sorted(expected, key=lambda document: document.id)

    def test_documents_are_written(self, document_store):
        document = Document(content="test doc")
        assert document_store.write_documents([document]) == 1
        with pytest.raises(DuplicateDocumentError):
            document_store.write_documents([document])
        assert document_store.filter_documents() == [document]


class TestSuite(OurStore, sync_suite.DocumentStoreBaseTests, *parts(sync_suite, SYNC)):
    pass


if async_suite is not None:

    class TestSuiteOfAsync(OurStore, *parts(async_suite, ASYNC)):
        async def test_documents_are_written_asynchronously(self, document_store):
            document = Document(content="test doc")
            assert await document_store.write_documents_async([document]) == 1
            with pytest.raises(DuplicateDocumentError):
                await document_store.write_documents_async([document])


DOCUMENTS = [
    Document(id="rule", content="MISRA rule 6-2-1: no assignment", meta={"lang": "en", "year": 2020}),
    Document(id="wind", content="Wind turbines off the coast", meta={"lang": "en", "tags": ["sea"], "a": {"b": 1}}),
    Document(id="solar", content="太阳能发电与储能", meta={"lang": "zh", "year": 2023}),
]


@pytest.fixture
def store():
    made = HybridSearchDocumentStore()
    made.write_documents(DOCUMENTS)
    return made


def ids(documents):
    return [document.id for document in documents]


def test_documents_are_found_by_text_with_scores(store):
    found = HybridSearchRetriever(store, top_k=2).run("rule 6-2-1")["documents"]
    assert ids(found) == ["rule"]
    assert (found[0].content, found[0].meta, found[0].score) == (DOCUMENTS[0].content, DOCUMENTS[0].meta, 1.0)
    assert ids(HybridSearchRetriever(store).run("太阳能")["documents"]) == ["solar"]


def test_documents_are_found_by_text_and_embedding():
    store = HybridSearchDocumentStore()
    store.write_documents(
        [
            Document(id="a", content="red", embedding=[1.0, 0.0]),
            Document(id="b", content="blue", embedding=[0.0, 1.0]),
        ]
    )
    retriever = HybridSearchRetriever(store)
    assert ids(retriever.run("", query_embedding=[0.1, 1.0])["documents"]) == ["b", "a"]
    assert ids(retriever.run("red", query_embedding=[1.0, 0.1], top_k=1)["documents"]) == ["a"]
    assert asyncio.run(retriever.run_async("red", top_k=1)) == retriever.run("red", top_k=1)


def test_an_index_computes_embeddings_itself():
    store = HybridSearchDocumentStore(index=Index(embedding=HashingEmbedder(dimension=8)))
    store.write_documents(DOCUMENTS)
    assert len(store.filter_documents()[0].embedding) == 8
    assert ids(HybridSearchRetriever(store, top_k=1).run("wind")["documents"]) == ["wind"]


def test_filters_of_a_call_replace_or_extend_those_of_the_retriever(store):
    en = {"field": "meta.lang", "operator": "==", "value": "en"}
    late = {"field": "meta.year", "operator": ">", "value": 2000}
    replacing = HybridSearchRetriever(store, filters=en, options={"match_all": True})
    assert set(ids(replacing.run("")["documents"])) == {"rule", "wind"}
    assert set(ids(replacing.run("", filters=late)["documents"])) == {"rule", "solar"}
    merging = HybridSearchRetriever(store, filters=en, filter_policy=FilterPolicy.MERGE, options={"match_all": True})
    assert ids(merging.run("", filters=late)["documents"]) == ["rule"]


def test_pipelines_are_serialized_and_deserialized(tmp_path):
    path = str(tmp_path / "pipeline.hsx")
    store = HybridSearchDocumentStore(path, options={"profile": "dify"}, record_keys=["title"])
    store.write_documents([Document(id="1", content="turbines", meta={"title": "Wind", "page": 3})])
    assert store.index.get("1")["title"] == "Wind"
    pipeline = Pipeline()
    pipeline.add_component("retriever", HybridSearchRetriever(store, top_k=3, filter_policy=FilterPolicy.MERGE))
    allowed = {"allowed_modules": [HybridSearchRetriever.__module__]} if async_suite is not None else {}
    read = Pipeline.loads(pipeline.dumps(), **allowed)
    store.index.close()
    (document,) = read.run({"retriever": {"query": "wind"}})["retriever"]["documents"]
    assert (document.id, document.meta) == ("1", {"title": "Wind", "page": 3})
    assert read.get_component("retriever").filter_policy is FilterPolicy.MERGE
    read.get_component("retriever").document_store.index.close()
    with pytest.raises(ConfigurationError, match="pass a path"):
        HybridSearchDocumentStore(index=Index()).to_dict()


COMPARISONS = [
    ("==", "en", {"metadata.f": "en"}),
    ("==", None, {"metadata.f": None}),
    ("!=", "en", {"metadata.f": {"not": "en"}}),
    ("!=", None, {"metadata.f": {"not": None}}),
    (">", 1, {"metadata.f": {"gt": 1}}),
    (">=", "2024-05-01", {"metadata.f": {"gte": "2024-05-01"}}),
    ("<", 1.5, {"metadata.f": {"lt": 1.5}}),
    ("<=", 1, {"metadata.f": {"lte": 1}}),
    (">", None, {"metadata.f": []}),
    ("in", ["a", None], {"metadata.f": ["a", None]}),
    ("not in", ["a", "b"], {"metadata.f": {"not": ["a", "b"]}}),
]


@pytest.mark.parametrize(("operator", "value", "filters"), COMPARISONS)
def test_every_operator_is_translated_both_ways(operator, value, filters):
    given = {"field": "meta.f", "operator": operator, "value": value}
    assert to_filters(given) == filters
    assert to_filters({**given, "field": "f"}) == filters
    index = Index()
    values = ["en", "a", "b", 1, 2, 1.5, None, "2024-05-01", "2023-01-01", [1, "a"], True]
    index.add([{"id": number, "content": "x", "metadata": {"f": one}} for number, one in enumerate(values)])
    back = from_filters(filters)
    assert index.count(filters=to_filters(back)) == index.count(filters=filters)
    if operator in ("==", "!=", ">", ">=", "<", "<=", "not in") and value is not None:
        assert back == given


def test_logic_is_translated_both_ways():
    one = {"field": "meta.lang", "operator": "==", "value": "zh"}
    two = {"field": "id", "operator": "in", "value": ["a", "b"]}
    both = {"operator": "AND", "conditions": [one, two]}
    given = {
        "operator": "OR",
        "conditions": [both, {"operator": "NOT", "conditions": [both]}],
    }
    meant = {"all": [{"metadata.lang": "zh"}, {"id": ["a", "b"]}]}
    filters = {"any": [meant, {"not": meant}]}
    assert to_filters(given) == filters
    assert from_filters(filters) == given
    assert to_filters(None) == to_filters({}) == {}
    assert from_filters({}) is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"field": "embedding", "operator": "==", "value": 1}, "filters.field cannot be embedding"),
        ({"field": "meta.a", "operator": "==", "value": [1]}, "filters.value must be one value"),
        ({"field": "meta.a", "operator": "~", "value": 1}, "filters.operator must be"),
        ({"operator": "AND", "conditions": []}, "filters.conditions must be a list"),
        ({"operator": "AND", "conditions": [{"operator": "=="}]}, r"conditions\[0\] must have operator and conditions"),
        ({"field": "id", "operator": "==", "value": None}, "id"),
    ],
)
def test_filters_without_a_translation_are_refused(store, given, said):
    with pytest.raises(InvalidInputError, match=said):
        store.filter_documents(given)
    with pytest.raises(FilterError, match=said):
        store.filter_documents(given)


def test_operators_that_haystack_does_not_have_are_refused():
    with pytest.raises(InvalidInputError, match="Haystack have no ends_with, which content has"):
        from_filters({"content": {"ends_with": "bus"}})


@pytest.mark.parametrize("filters", [{"tags.safety": 1}, {"page_rank": {"gt": 1}}, {"title": None}])
def test_fields_that_haystack_does_not_have_are_refused(filters):
    with pytest.raises(InvalidInputError, match="Haystack know only metadata"):
        from_filters(filters)


def test_documents_that_cannot_be_stored_are_refused(store):
    with pytest.raises(InvalidInputError, match=r"documents\[0\] must have neither a blob"):
        store.write_documents([Document(content="a", blob=ByteStream(b"x"))])
    with pytest.raises(InvalidInputError, match=r"documents\[0\] must have neither a blob"):
        store.write_documents([Document(content="a", sparse_embedding=SparseEmbedding([0], [1.0]))])
    with pytest.raises(InvalidInputError, match=r"documents\[0\].content must be a text"):
        store.write_documents([Document(id="x")])
    assert store.count_documents() == 3


def test_policies_for_duplicates_apply_within_a_call(store):
    twice = [Document(id="n", content="one"), Document(id="n", content="two")]
    with pytest.raises(DuplicateDocumentError, match=r"documents\[1\]"):
        store.write_documents(twice)
    assert store.write_documents(twice, policy=DuplicatePolicy.SKIP) == 1
    assert store.index.get("n")["content"] == "one"
    assert store.write_documents(twice, policy=DuplicatePolicy.OVERWRITE) == 2
    assert store.index.get("n")["content"] == "two"


def test_updating_metadata_preserves_the_rest(store):
    assert store.update_by_filter({"field": "id", "operator": "==", "value": "wind"}, {"seen": True}) == 1
    (document,) = store.filter_documents({"field": "meta.seen", "operator": "==", "value": True})
    assert document.meta == {"lang": "en", "tags": ["sea"], "a": {"b": 1}, "seen": True}
    assert document.content == "Wind turbines off the coast"


def test_wrong_arguments_are_refused(store):
    with pytest.raises(InvalidInputError, match="document_store must be a HybridSearchDocumentStore"):
        HybridSearchRetriever(Index())
    with pytest.raises(InvalidInputError, match="top_k must be"):
        HybridSearchRetriever(store, top_k=0)
    with pytest.raises(InvalidInputError, match="index excludes path and options"):
        HybridSearchDocumentStore("a.hsx", Index())
    with pytest.raises(InvalidInputError, match="index must be an Index"):
        HybridSearchDocumentStore(index="a.hsx")
    with pytest.raises(InvalidInputError, match="option"):
        HybridSearchDocumentStore(options={"titel_weight": 1})

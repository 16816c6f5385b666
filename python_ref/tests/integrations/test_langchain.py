"""The vector store and the retriever of LangChain: LangChain's own suite, and tests that it lacks."""

import asyncio

import pytest

WHY = "the gates frameworks and frameworks-oldest run it with the package"
pytest.importorskip("langchain_core", reason=WHY)
pytest.importorskip("langchain_tests", reason=WHY)

from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.structured_query import Comparator, Comparison, Operation, Operator, StructuredQuery
from langchain_tests.integration_tests import RetrieversIntegrationTests, VectorStoreIntegrationTests

from hybrid_search import HashingEmbedder, Index, InvalidInputError
from hybrid_search.integrations.langchain import (
    HybridSearchRetriever,
    HybridSearchTranslator,
    HybridSearchVectorStore,
    from_filters,
    to_filters,
)

TEXTS = ["MISRA rule 6-2-1: no assignment in sub-expressions", "Wind turbines off the coast", "太阳能发电与储能"]
METADATA = [{"lang": "en", "year": 2020}, {"lang": "en", "year": 2023, "tags": ["sea", "wind"]}, {"lang": "zh"}]


class TestSuiteInMemory(VectorStoreIntegrationTests):
    @pytest.fixture
    def vectorstore(self):
        return HybridSearchVectorStore(embedding=self.get_embeddings())


class TestSuiteInAFile(VectorStoreIntegrationTests):
    @pytest.fixture
    def vectorstore(self, tmp_path):
        with Index(path=tmp_path / "langchain.hsx", embedding=self.get_embeddings()) as index:
            yield HybridSearchVectorStore(index, embedding=self.get_embeddings())


class TestSuiteOfRetrievers(RetrieversIntegrationTests):
    @property
    def retriever_constructor(self):
        return HybridSearchRetriever

    @property
    def retriever_constructor_params(self):
        index = Index(embedding=HashingEmbedder(dimension=64))
        index.add([{"id": number, "content": f"{text} {number}"} for number, text in enumerate(TEXTS * 2)])
        return {"index": index}

    @property
    def retriever_query_example(self):
        return "wind turbines"


@pytest.fixture
def store():
    embedding = DeterministicFakeEmbedding(size=16)
    return HybridSearchVectorStore.from_texts(TEXTS, embedding, METADATA, ids=["rule", "wind", "solar"])


def ids(documents):
    return [document.id for document in documents]


def test_texts_are_found_with_their_metadata_and_scores(store):
    (document, score), *_ = store.similarity_search_with_score("rule 6-2-1", k=2)
    assert document == Document(id="rule", page_content=TEXTS[0], metadata=METADATA[0])
    assert score == 1.0
    scored = store.similarity_search_with_relevance_scores("太阳能", k=3)
    assert scored[0][0].id == "solar"
    assert all(0.0 <= score <= 1.0 for _, score in scored)


def test_filters_are_native_or_structured(store):
    assert ids(store.similarity_search("power", filter={"metadata.lang": "zh"})) == ["solar"]
    structured = Comparison(comparator=Comparator.GT, attribute="year", value=2020)
    assert ids(store.similarity_search("power", filter=structured)) == ["wind"]
    assert ids(store.as_retriever(search_kwargs={"filter": structured, "k": 5}).invoke("power")) == ["wind"]
    with pytest.raises(InvalidInputError, match="metadata"):
        store.similarity_search("power", filter={"lang": "zh"})
    with pytest.raises(InvalidInputError, match="filter must be filters as data"):
        store.similarity_search("power", filter=StructuredQuery(query="", filter=structured).filter and _Other())


class _Other(Comparison.__bases__[0]):
    """A directive that LangChain may add."""


@pytest.mark.parametrize(
    ("structured", "filters", "found"),
    [
        (("eq", "lang", "en"), {"metadata.lang": "en"}, {"rule", "wind"}),
        (("ne", "lang", "en"), {"metadata.lang": {"not": "en"}}, {"solar"}),
        (("gt", "year", 2020), {"metadata.year": {"gt": 2020}}, {"wind"}),
        (("gte", "year", 2020), {"metadata.year": {"gte": 2020}}, {"rule", "wind"}),
        (("lt", "year", 2023), {"metadata.year": {"lt": 2023}}, {"rule"}),
        (("lte", "year", 2023), {"metadata.year": {"lte": 2023}}, {"rule", "wind"}),
        (("in", "year", [2020, 2021]), {"metadata.year": [2020, 2021]}, {"rule"}),
        (("nin", "year", [2020, 2021]), {"metadata.year": {"not": [2020, 2021]}}, {"wind", "solar"}),
        (("contain", "tags", "sea"), {"metadata.tags": "sea"}, {"wind"}),
        (("like", "lang", "%n%"), {"metadata.lang": {"contains": "n"}}, {"rule", "wind"}),
        (("like", "lang", "z%"), {"metadata.lang": {"starts_with": "z"}}, {"solar"}),
        (("like", "lang", "%n"), {"metadata.lang": {"ends_with": "n"}}, {"rule", "wind"}),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_every_comparator_is_translated_both_ways(store, structured, filters, found):
    name, attribute, value = structured
    comparison = Comparison(comparator=Comparator(name), attribute=attribute, value=value)
    assert to_filters(comparison) == filters
    assert {hit.id for hit in store.index.each(match_all=True, filters=filters)} == found
    back = from_filters(filters)
    assert {hit.id for hit in store.index.each(match_all=True, filters=to_filters(back))} == found
    if name != "contain":
        assert back == comparison


def test_operations_are_translated_both_ways(store):
    zh = Comparison(comparator=Comparator.EQ, attribute="lang", value="zh")
    late = Comparison(comparator=Comparator.GTE, attribute="year", value=2023)
    operation = Operation(
        operator=Operator.AND,
        arguments=[
            Operation(operator=Operator.OR, arguments=[zh, late]),
            Operation(operator=Operator.NOT, arguments=[Operation(operator=Operator.AND, arguments=[zh, late])]),
        ],
    )
    filters = to_filters(operation)
    assert filters == {
        "all": [
            {"any": [{"metadata.lang": "zh"}, {"metadata.year": {"gte": 2023}}]},
            {"not": {"all": [{"metadata.lang": "zh"}, {"metadata.year": {"gte": 2023}}]}},
        ]
    }
    assert from_filters(filters) == operation
    assert from_filters({}) is None
    assert HybridSearchTranslator().visit_structured_query(StructuredQuery(query="q", filter=operation)) == (
        "q",
        {"filter": filters},
    )
    assert HybridSearchTranslator().visit_structured_query(StructuredQuery(query="q", filter=None)) == ("q", {})


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"metadata.lang": None}, "LangChain have no exists"),
        ({"id": "rule"}, "LangChain know only metadata, not id"),
        ({"tags.safety": 1}, "LangChain know only metadata, not tags.safety"),
        ({"must_not": {"exists": "metadata.lang"}}, "have no exists"),
        ({"metadata.lang": {"contains": "50%"}}, "LangChain have no contains, which metadata.lang has"),
        ({"any": [{}]}, "no condition that always holds"),
        ({"lang": 1}, "metadata.lang"),
    ],
)
def test_filters_without_a_translation_are_refused(filters, said):
    with pytest.raises(InvalidInputError, match=said):
        from_filters(filters)


@pytest.mark.parametrize("pattern", ["e", "%", "%%", "%e%n%", "e_%", "", 5])
def test_patterns_without_a_translation_are_refused(pattern):
    with pytest.raises(InvalidInputError, match=r"the pattern of metadata.lang must be a text"):
        to_filters(Comparison(comparator=Comparator.LIKE, attribute="lang", value=pattern))


def test_record_keys_are_stored_as_record_keys_and_returned():
    store = HybridSearchVectorStore(record_keys=("title", "keywords"))
    store.add_texts(["no assignment"], [{"title": "Expressions", "keywords": ["6-2-1"], "lang": "en"}], ids=["a"])
    assert store.index.get("a") == {
        "id": "a", "content": "no assignment", "title": "Expressions", "keywords": ["6-2-1"],
        "metadata": {"lang": "en"},
    }  # fmt: skip
    (document,) = store.similarity_search("expressions")
    assert document.metadata == {"title": "Expressions", "keywords": ["6-2-1"], "lang": "en"}
    assert store.get_by_ids(["a"])[0].metadata == document.metadata
    with pytest.raises(InvalidInputError, match="record_keys"):
        HybridSearchVectorStore(record_keys=("titel",))


def test_marginal_relevance_selects_documents_that_differ():
    embedding = DeterministicFakeEmbedding(size=16)
    texts = ["wind power", "wind power", "solar power"]
    store = HybridSearchVectorStore.from_texts(texts, embedding, ids=["1", "2", "3"])
    assert ids(store.max_marginal_relevance_search("wind power", k=2, lambda_mult=0.1)) == ["1", "3"]
    vector = embedding.embed_query("solar power")
    assert ids(store.max_marginal_relevance_search_by_vector(vector, k=1)) == ["3"]
    assert ids(store.similarity_search_by_vector(vector, k=1)) == ["3"]
    with pytest.raises(InvalidInputError, match="embedding"):
        HybridSearchVectorStore(Index()).max_marginal_relevance_search("x")


def test_retriever_returns_records_of_any_index_with_scores():
    index = Index()
    index.add({"id": "1", "doc_id": "handbook", "title": "Wind", "content": "turbines", "metadata": {"page": 3}})
    retriever = HybridSearchRetriever(index=index, options={"highlight": True})
    expected = [
        Document(
            id="1",
            page_content="turbines",
            metadata={
                "page": 3,
                "title": "Wind",
                "doc_id": "handbook",
                "relevance_score": 1.0,
            },
        )
    ]
    assert retriever.invoke("turbines") == expected
    assert asyncio.run(retriever.ainvoke("turbines")) == expected
    assert retriever.invoke("turbines", filter={"metadata.page": 4}) == []


def test_wrong_arguments_are_refused():
    with pytest.raises(InvalidInputError, match="index must be an Index"):
        HybridSearchVectorStore("handbook.hsx")
    with pytest.raises(InvalidInputError, match="metadatas must have as many members as texts, 2, not 1"):
        HybridSearchVectorStore().add_texts(["a", "b"], [{}])
    with pytest.raises(InvalidInputError, match="unknown option"):
        HybridSearchVectorStore().delete(["a"], filter={})


def test_a_deletion_without_ids_removes_everything(store):
    store.delete()
    assert store.index.count() == 0

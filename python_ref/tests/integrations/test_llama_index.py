"""The vector store and the retriever of LlamaIndex, compared with LlamaIndex's own store.

LlamaIndex has no suite for vector stores. Its `SimpleVectorStore` does the same here with the same nodes, queries and
filters.
"""

import asyncio

import pytest

pytest.importorskip("llama_index.core", reason="the gates frameworks and frameworks-oldest run it with the package")

from llama_index.core import MockEmbedding, StorageContext, VectorStoreIndex
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import Document, ImageNode, NodeRelationship, QueryBundle, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores import SimpleVectorStore
from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)

from hybrid_search import HashingEmbedder, Index, InvalidInputError
from hybrid_search.integrations.llama_index import (
    HybridSearchRetriever,
    HybridSearchVectorStore,
    from_filters,
    to_filters,
)

TEXTS = {
    "rule": ("MISRA rule 6-2-1: no assignment in sub-expressions", {"lang": "en", "year": 2020}),
    "wind": ("Wind turbines off the coast", {"lang": "en", "year": 2023, "tags": ["sea", "wind"]}),
    "solar": ("太阳能发电与储能", {"lang": "zh", "year": 2024, "tags": []}),
    "note": ("A note about nothing", {}),
}
VECTORS = HashingEmbedder(dimension=32).encode([text for text, _ in TEXTS.values()])
HAS_NOT = "not" in [condition.value for condition in FilterCondition]


def nodes():
    made = []
    for (name, (text, metadata)), vector in zip(TEXTS.items(), VECTORS, strict=True):
        document = "handbook" if name != "note" else "other"
        source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=document)}
        made.append(TextNode(id_=name, text=text, metadata=metadata, embedding=vector, relationships=source))
    return made


@pytest.fixture(params=["memory", "file"])
def store(request, tmp_path):
    with Index(path=tmp_path / "llama.hsx" if request.param == "file" else None) as index:
        made = HybridSearchVectorStore(index)
        assert made.add(nodes()) == list(TEXTS)
        yield made


@pytest.fixture
def theirs():
    made = SimpleVectorStore()
    made.add(nodes())
    return made


def asked(text, **options):
    embedding = HashingEmbedder(dimension=32).encode([text])[0]
    return VectorStoreQuery(query_str=text, query_embedding=embedding, **options)


def one(key, operator, value):
    return MetadataFilters(filters=[MetadataFilter(key=key, operator=FilterOperator(operator), value=value)])


@pytest.mark.parametrize("text", ["wind off the coast", "rule 6-2-1", "太阳能", "nothing of these words"])
@pytest.mark.parametrize("count", [1, 3])
def test_the_default_mode_returns_the_results_of_llama_index(store, theirs, text, count):
    ours, expected = (one.query(asked(text, similarity_top_k=count)) for one in (store, theirs))
    assert ours.similarities == pytest.approx(expected.similarities)
    untied = [place for place, value in enumerate(expected.similarities) if expected.similarities.count(value) == 1]
    assert [ours.ids[place] for place in untied] == [expected.ids[place] for place in untied]


OPERATORS = [
    ("lang", "==", "en"), ("lang", "!=", "en"), ("year", ">", 2020), ("year", ">=", 2023), ("year", "<", 2023),
    ("year", "<=", 2020), ("lang", "in", ["zh", "fr"]), ("lang", "nin", ["zh", "fr"]), ("tags", "contains", "sea"),
    ("tags", "any", ["sea", "land"]), ("tags", "all", ["sea", "wind"]), ("tags", "all", ["sea", "land"]),
    ("tags", "is_empty", None), ("lang", "text_match", "n"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "operator", "value"), OPERATORS)
def test_operators_match_as_in_llama_index(store, theirs, key, operator, value):
    given = one(key, operator, value)
    expected = set(theirs.query(asked("wind", similarity_top_k=4, filters=given)).ids)
    if operator in ("!=", "nin"):
        expected.add("note")  # since LlamaIndex 0.13, a missing value differs from every value
    assert set(store.query(asked("wind", similarity_top_k=4, filters=given)).ids) == expected
    back = from_filters(to_filters(given))
    assert {node.node_id for node in store.get_nodes(filters=back)} == expected
    if operator not in ("contains", "any", "all"):
        assert back == given


@pytest.mark.parametrize("condition", [condition.value for condition in FilterCondition])
def test_conditions_match_as_in_llama_index(store, theirs, condition):
    members = [one("lang", "==", "en").filters[0], one("year", ">", 2022).filters[0]]
    given = MetadataFilters(filters=members, condition=FilterCondition(condition))
    expected = set(theirs.query(asked("wind", similarity_top_k=4, filters=given)).ids)
    assert expected
    assert {node.node_id for node in store.get_nodes(filters=given)} == expected
    assert from_filters(to_filters(given)) == given
    nested = MetadataFilters(filters=[given, one("lang", "in", ["en", "zh"]).filters[0]])
    assert from_filters(to_filters(nested)) is not None
    assert {node.node_id for node in store.get_nodes(filters=nested)} == expected - {"note"}


@pytest.mark.skipif(not HAS_NOT, reason="this version of LlamaIndex has no condition NOT")
def test_present_values_are_not_empty(store):
    back = from_filters({"metadata.year": {"exists": True}})
    assert {node.node_id for node in store.get_nodes(filters=back)} == {"rule", "wind", "solar"}


def test_filters_without_a_translation_are_refused():
    if "text_match_insensitive" in [operator.value for operator in FilterOperator]:
        with pytest.raises(InvalidInputError, match=r"no operator 'text_match_insensitive' \(key 'lang'\)"):
            to_filters(one("lang", "text_match_insensitive", "e"))
    with pytest.raises(InvalidInputError, match=r"LlamaIndex have no starts_with, which metadata.lang has"):
        from_filters({"metadata.lang": {"starts_with": "e"}})
    with pytest.raises(InvalidInputError, match="the value of lang in must be a list"):
        to_filters(one("lang", "in", "en"))
    with pytest.raises(InvalidInputError, match="LlamaIndex know only metadata, not id"):
        from_filters({"id": "a"})
    with pytest.raises(InvalidInputError, match=r"the value of metadata.a must be a text, a number"):
        from_filters({"metadata.a": True})
    assert from_filters({}) is None
    assert to_filters(None) == to_filters(MetadataFilters(filters=[])) == {}


def test_nodes_are_stored_completely(store):
    for stored, given in zip(store.get_nodes(node_ids=list(TEXTS)), sorted(nodes(), key=lambda n: n.id_), strict=True):
        assert stored == given
    image = ImageNode(id_="image", text="a picture", image_url="picture.png", metadata={"lang": "en"})
    store.add([image])
    assert store.get_nodes(node_ids=["image"]) == [image]


def test_the_other_modes_search_the_text(store):
    found = store.query(asked("6-2-1", mode=VectorStoreQueryMode.HYBRID, similarity_top_k=1))
    assert (found.ids, found.similarities) == (["rule"], [1.0])
    text = VectorStoreQuery(query_str="turbines", mode=VectorStoreQueryMode.TEXT_SEARCH, similarity_top_k=3)
    assert store.query(text).ids == ["wind"]
    dense = asked("turbines", mode=VectorStoreQueryMode.HYBRID, similarity_top_k=1, alpha=1.0, hybrid_top_k=2)
    assert len(store.query(dense).ids) == 2
    with pytest.raises(InvalidInputError, match="mode must be one of default, hybrid"):
        store.query(asked("x", mode=VectorStoreQueryMode.MMR))
    with pytest.raises(InvalidInputError, match="needs a query_embedding"):
        store.query(VectorStoreQuery(query_str="x"))
    with pytest.raises(InvalidInputError, match="alpha must be"):
        store.query(asked("x", mode=VectorStoreQueryMode.HYBRID, alpha=2.0))


def test_queries_are_limited_to_nodes_and_documents(store):
    assert store.query(asked("x", similarity_top_k=4, node_ids=["wind", "note"], doc_ids=["other"])).ids == ["note"]
    found = store.query(asked("x", similarity_top_k=4, doc_ids=["handbook"], filters=one("lang", "==", "zh")))
    assert found.ids == ["solar"]


def test_nodes_are_removed(store):
    store.delete("handbook")
    assert [node.node_id for node in store.get_nodes()] == ["note"]
    store.add(nodes())
    store.delete_nodes(filters=one("lang", "==", "en"))
    assert [node.node_id for node in store.get_nodes()] == ["note", "solar"]
    store.delete_nodes(["note"])
    assert store.client.count() == 1
    with pytest.raises(InvalidInputError, match="clear removes all nodes"):
        store.delete_nodes()
    store.clear()
    assert store.get_nodes() == []


def test_everything_can_be_awaited(store):
    async def work():
        await store.aclear()
        added = await store.async_add(nodes())
        await store.adelete("other")
        await store.adelete_nodes(["rule"])
        found = await store.aquery(asked("wind", similarity_top_k=1))
        return added, found.ids, [node.node_id for node in await store.aget_nodes()]

    assert asyncio.run(work()) == (list(TEXTS), ["wind"], ["solar", "wind"])


def test_a_vector_store_index_uses_it():
    store = HybridSearchVectorStore(record_keys=("title",))
    model = MockEmbedding(embed_dim=4)
    documents = [
        Document(id_="a", text="Wind turbines off the coast", metadata={"title": "Wind"}),
        Document(id_="b", text="Solar panels", metadata={"title": "Solar"}),
    ]
    context = StorageContext.from_defaults(vector_store=store)
    index = VectorStoreIndex.from_documents(documents, storage_context=context, embed_model=model)
    retriever = index.as_retriever(vector_store_query_mode="text_search", similarity_top_k=1)
    (found,) = retriever.retrieve("solar")
    assert (found.node.get_content(), found.node.ref_doc_id, found.node.metadata) == (
        "Solar panels", "b", {"title": "Solar"},
    )  # fmt: skip
    assert store.client.get(found.node.node_id)["title"] == "Solar"
    index.delete_ref_doc("b")
    assert store.client.count() == 1


def test_the_retriever_accepts_any_index():
    index = Index(embedding=HashingEmbedder(dimension=64))
    index.add(
        [
            {"id": "1", "doc_id": "handbook", "title": "Wind", "content": "turbines", "metadata": {"page": 3}},
            {"id": "2", "content": "panels", "metadata": {"page": 4}},
        ]
    )
    retriever = HybridSearchRetriever(index, similarity_top_k=1)
    assert isinstance(retriever, BaseRetriever)
    (found,) = retriever.retrieve("turbines")
    assert (found.node.node_id, found.score, found.node.ref_doc_id) == ("1", 1.0, "handbook")
    assert found.node.metadata == {"title": "Wind", "page": 3}
    assert asyncio.run(retriever.aretrieve(QueryBundle("turbines")))[0].node == found.node
    filtered = HybridSearchRetriever(index, filters=one("page", ">", 3), options={"match_all": True})
    assert [found.node.node_id for found in filtered.retrieve("")] == ["2"]


def test_wrong_arguments_are_refused():
    with pytest.raises(InvalidInputError, match="index must be an Index"):
        HybridSearchVectorStore("handbook.hsx")
    with pytest.raises(InvalidInputError, match="index must be an Index"):
        HybridSearchRetriever("handbook.hsx")
    with pytest.raises(InvalidInputError, match="similarity_top_k must be"):
        HybridSearchRetriever(Index(), similarity_top_k=0)
    with pytest.raises(InvalidInputError, match="unknown option"):
        HybridSearchVectorStore().delete("a", refdocid="a")

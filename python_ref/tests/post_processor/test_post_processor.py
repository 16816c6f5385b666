"""Post-processing in use; fixtures contain the numbers."""

import pytest

from hybrid_search import ConfigurationError, InvalidInputError, KeywordExtractor
from hybrid_search.post_processor.document import Document
from hybrid_search.post_processor.post_processor import PostProcessor
from hybrid_search.text.keyword_cache import KeywordCache

SEED = "MisraC++ 2008 Rule 6-2-1 这个规则 怎么修改"
ROWS = [
    Document("规则编号：6-2-11 一行一条语句", {"doc_id": "near", "vector_score": 0.9}),
    Document("规则编号：6-2-1 将赋值操作移到独立语句中", {"doc_id": "right", "vector_score": 0.8}),
]


def test_the_exact_number_outweighs_a_higher_cosine():
    found = PostProcessor("weighted_score", weights="0.3,0.7").process(SEED, ROWS)
    assert [document.doc_id for document in found.documents] == ["right", "near"]
    best = found.documents[0].metadata
    assert best["score"] == 0.3 * best["vector_score"] + 0.7 * best["keyword_score"]
    assert "6-2-1" in best["keywords"]


def test_returned_documents_share_no_data_with_the_input():
    given = [{"page_content": "rule", "metadata": {"doc_id": "a", "tags": ["x"]}}]
    found = PostProcessor("weighted_score", weights=[1, 1]).process("rule", given)
    found.documents[0].metadata["tags"].append("y")
    assert given == [{"page_content": "rule", "metadata": {"doc_id": "a", "tags": ["x"]}}]
    document = Document("rule", {"tags": ["x"]})
    again = PostProcessor("weighted_score", weights=[1, 1]).process("rule", [document]).documents[0]
    again.metadata["tags"].append("y")
    assert document.metadata["tags"] == ["x"]
    with pytest.raises(AttributeError):
        document.page_content = "other"


def test_the_parts_of_a_dumped_document_are_copies_too():
    child = {"page_content": "part", "metadata": {}}
    given = {"page_content": "rule", "metadata": {"doc_id": "a"}, "provider": "dify", "children": [child]}
    found = PostProcessor("weighted_score", weights=[1, 1]).process("rule", [given]).documents[0]
    found.parts["children"][0]["page_content"] = "other"
    found.to_dict()["children"].clear()
    assert child["page_content"] == "part"
    assert found.to_dict()["children"] == [{"page_content": "other", "metadata": {}}]
    with pytest.raises(InvalidInputError, match='did you mean "provider"'):
        Document("rule", parts={"provder": "dify"})


def test_children_that_contain_themselves_are_refused_with_a_clear_error():
    children: list = []
    children.append(children)
    with pytest.raises(InvalidInputError, match="children must not be nested deeper than 100 levels"):
        Document.build("document", {"page_content": "x", "children": children})


def test_metadata_that_contains_itself_is_refused_with_a_clear_error():
    metadata: dict = {}
    metadata["me"] = metadata
    with pytest.raises(Exception, match="must not be nested deeper than 100 levels"):
        Document("x", metadata)


def test_a_model_is_found_by_its_name():
    settings = {
        "reranking_mode": "reranking_model",
        "reranking_model": {"reranking_provider_name": "here", "reranking_model_name": "length"},
    }
    models = {"length": lambda _query, texts: [float(len(text)) for text in texts]}
    found = PostProcessor.from_configuration(settings, models).process("q", ROWS)
    assert [document.number("score") for document in found.documents] == [
        float(len(row.page_content)) for row in reversed(ROWS)
    ]
    with pytest.raises(ConfigurationError, match='did you mean "lengths"'):
        PostProcessor.from_configuration(settings, {"lengths": len})


def test_keywords_are_extracted_once():
    class Counting(KeywordExtractor):
        calls = 0

        def extract(self, text, limit=10):
            Counting.calls += 1
            return super().extract(text, limit)

    cache = KeywordCache(Counting(), capacity=2)
    assert cache.extract("alpha beta") == cache.extract("alpha beta")
    assert (Counting.calls, cache.size) == (1, 1)
    cache.extract("alpha beta", 1)
    cache.extract("gamma")
    cache.extract("alpha beta")
    assert (Counting.calls, cache.size) == (4, 2)
    cache.clear()
    assert cache.size == 0

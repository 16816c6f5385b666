"""An index made as RAGFlow makes it, read by both languages: similarities have the bits of a store in memory."""

import json
import random
import struct
import subprocess
from pathlib import Path

import pytest

from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.doc_store_adapter.opensearch.opensearch_doc_store import OpenSearchDocStore
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.retriever.retriever import Retriever
from python_ref.tests.doc_store_adapter import random_stores

pytestmark = pytest.mark.engines


def listed(store, filters):
    """Return the ids of the documents that match filters."""
    return sorted(identifier for identifier, _ in store.rank([], filters))


def ragflow_mapping():
    """Return the description of RAGFlow's indexes, with the engine named: a type for each suffix of a name."""
    stored = {"store": True}
    text = {"type": "text", "analyzer": "whitespace", **stored}
    vector = {"type": "knn_vector", "dimension": 512, "method": {"name": "hnsw", "engine": "lucene"}}
    vector["method"]["space_type"] = "cosinesimil"
    similarity = (
        "double idf = Math.log(1+(field.docCount-term.docFreq+0.5)/(term.docFreq + 0.5))/"
        "Math.log(1+((field.docCount-0.5)/1.5)); return query.boost * idf * Math.min(doc.freq, 1);"
    )
    kinds = {
        "*_int": {"type": "integer", **stored},
        "*_flt": {"type": "float", **stored},
        "*_tks": {**text, "similarity": "scripted_sim"},
        "*_ltks": text,
        "*_fea": {"type": "rank_feature"},
        "*_feas": {"type": "rank_features"},
        "*_512_vec": vector,
    }
    templates = [{name: {"match": name, "mapping": mapping}} for name, mapping in kinds.items()]
    keyword = {"type": "keyword", "similarity": "boolean", **stored}
    names = {"match_pattern": "regex", "match": "^(.*_(kwd|id|ids|uid|uids)|uid)$", "mapping": keyword}
    weighted = {"type": "text", "index": False, **stored}
    contents = {"match_pattern": "regex", "match": "^.*_(with_weight|list)$", "mapping": weighted}
    return {
        "settings": {
            "index": {
                "number_of_shards": 2,
                "number_of_replicas": 0,
                "knn": True,
                "similarity": {"scripted_sim": {"type": "scripted", "script": {"source": similarity}}},
            }
        },
        "mappings": {"date_detection": True, "dynamic_templates": [*templates, {"kwd": names}, {"text": contents}]},
    }


def chunk(source, place):
    """Return a document as RAGFlow writes it."""
    words = source.choices(["solar", "wind", "panel", "power", "roof", "太阳", "能"], k=12)
    vector = [source.gauss(0, 1) for _ in range(512)]
    return {
        "id": f"c{place:03}",
        "doc_id": f"d{place // 10}",
        "kb_id": f"k{place % 2}",
        "docnm_kwd": f"file {place // 10}.pdf",
        "content_with_weight": " ".join(words),
        "content_ltks": " ".join(words),
        "content_sm_ltks": " ".join(words),
        "title_tks": source.choice(["solar", "wind", "manual"]),
        "important_kwd": [source.choice(words)],
        "question_tks": "",
        "available_int": 0 if place % 17 == 0 else 1,
        "page_num_int": [place, place + 1],
        "pagerank_fea": 1 + place % 3,
        "q_512_vec": vector,
    }


@pytest.mark.filterwarnings("ignore:dynamic template")
def test_an_index_made_by_ragflow_is_read_unchanged(indexes):
    source = random.Random(7)
    name = indexes.name()
    indexes.ask("PUT", f"/{name}", ragflow_mapping())
    chunks = [chunk(source, place) for place in range(120)]
    for one in chunks:
        indexes.ask("PUT", f"/{name}/_doc/{one['id']}", one)
    indexes.ask("POST", f"/{name}/_refresh")
    store = OpenSearchDocStore.ragflow_index(indexes.urls, name)
    memory = MemoryDocStore("lucene")
    memory.insert(chunks)
    assert store.count() == 120
    assert random_stores.exact(sorted(store.get("c007").items())) == random_stores.exact(
        sorted(memory.get("c007").items())
    )
    for filters in RAGFLOW_FILTERS:
        assert listed(store, filters) == listed(memory, filters), filters
    embedding = {text: [source.gauss(0, 1) for _ in range(512)] for text in ("solar panel", "wind power 太阳")}
    asked = [(question, {**PAGE, **options}) for question in embedding for options in RAGFLOW_OPTIONS]
    pages = {each: pages_of(each, embedding, asked) for each in (store, memory)}
    for found, expected in zip(pages[store], pages[memory], strict=True):
        compare(found, expected)
    given = {"urls": indexes.urls, "name": name, "vectors": embedding, "asked": asked, "filters": RAGFLOW_FILTERS}
    told = subprocess.run(["ruby", RAGFLOW_READER], input=json.dumps(given), capture_output=True, text=True, check=True)
    ruby = json.loads(told.stdout)
    assert ruby["count"] == 120
    assert random_stores.exact(ruby["document"]) == random_stores.exact(store.get("c007"))
    assert ruby["filtered"] == [listed(store, filters) for filters in RAGFLOW_FILTERS]
    assert ruby["pages"] == [shown(page) for page in pages[store]]
    assert ruby["refused"] == "an index that RAGFlow made can only be read"


PAGE = {"similarity_threshold": 0.0, "page_size": 10}
RAGFLOW_OPTIONS = (
    {}, {"filters": {"kb_id": ["k1"]}}, {"vector_similarity_weight": 0.9}, {"rank_feature": {}}, {"page": 2},
    {"vector_similarity_weight": 0.0},
)  # fmt: skip
RAGFLOW_READER = Path(__file__).with_name("opensearch_ragflow.rb")


def pages_of(store, embedding, asked):
    """Return the results of a store for questions."""
    retriever = Retriever(store, QueryBuilder(), embedding=lambda texts: [embedding[text] for text in texts])
    return [retriever.retrieve(question, **options) for question, options in asked]


def shown(page):
    """Return a page as plain data, with the digits of its similarities."""
    parts = ("similarity", "term_similarity", "vector_similarity")
    rows = [
        [chunk.chunk_id, *(struct.pack(">d", getattr(chunk, part)).hex() for part in parts)] for chunk in page.chunks
    ]
    return {"total": page.total, "chunks": rows}


RAGFLOW_FILTERS = (
    {"kb_id": "k1"}, {"kb_id": ["k0", "none"], "available_int": 1}, {"available_int": 0}, {"doc_id": {"gte": "d3"}},
    {"page_num_int": {"gt": 5, "lte": 7}}, {"page_num_int": [3, 2**40, 2.5, "3"]}, {"id": ["c001", "c099", "x"]},
    {"page_num_int": {"gte": -(2**70), "lt": 1e300}}, {"must_not": {"exists": ["page_num_int"]}}, {"kb_id": 1},
    {"not": {"any": [{"kb_id": "k1"}, {"page_num_int": 4}]}}, {"page_num_int": {"gt": "a"}}, {"kb_id": {"lt": 7}},
    {"q_512_vec": {"exists": True}, "none_kwd": {"exists": False}}, {"page_num_int": {"gt": 3, "gte": 9, "lt": 10}},
    {"kb_id": {"contains": "1"}}, {"doc_id": {"starts_with": "d", "ends_with": "3"}}, {"kb_id": {"contains": "k*"}},
    {"page_num_int": {"contains": "3"}}, {"doc_id": {"ends_with": "1", "gte": "d2"}},
)  # fmt: skip


def compare(found, expected):
    """Check that common hits have similarities with the same bits, and are ordered by them."""
    shown = {chunk.chunk_id: chunk for chunk in expected.chunks}
    both = [chunk for chunk in found.chunks if chunk.chunk_id in shown]
    assert both
    for one in both:
        other = shown[one.chunk_id]
        for part in ("similarity", "term_similarity", "vector_similarity"):
            assert getattr(one, part).hex() == getattr(other, part).hex()
    pairs = [(-chunk.similarity, chunk.chunk_id) for chunk in found.chunks]
    assert pairs == sorted(pairs)

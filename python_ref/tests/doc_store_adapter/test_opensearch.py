"""A store in OpenSearch finds what one in memory finds; what it shows of a document has the same bits."""

import dataclasses
import json
import random
import threading
import uuid

import pytest

from hybrid_search.adapter_kit import DocStoreContract, MatchDenseExpr, MatchTextExpr
from hybrid_search.doc_store_adapter._opensearch_transport import Answer, OpenSearchTransport, TransportError
from hybrid_search.doc_store_adapter.memory import MemoryDocStore
from hybrid_search.doc_store_adapter.opensearch import OpenSearchDocStore
from hybrid_search.errors import HybridSearchError, InvalidInputError
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.query_builder.tree import Phrase, Term
from hybrid_search.retriever.retriever import Retriever
from python_ref.tests.doc_store_adapter import random_stores

pytestmark = pytest.mark.engines

CLOSE = 1e-5


class Faulty:
    """A transport that can lose answers, or tell of shards that did not answer."""

    def __init__(self, urls):
        self._transport = OpenSearchTransport(urls, None, None, None)
        self.loses = self.shortens = self.cuts = False

    def request(self, method, path, body, timeout):
        if self.cuts:
            self.cuts = False
            raise TransportError("cannot be reached, or cut the connection", False)
        answer = self._transport.request(method, path, body, timeout)
        if self.loses and "_bulk" in path:
            raise TransportError("cannot be reached, or cut the connection", True)
        if self.shortens and "search" in path:
            return Answer(answer.status, answer.text.replace('"_shards":{"total":1', '"_shards":{"total":2'))
        return answer


class Indexes:
    """Makes stores, each of an index of its own; they are removed at the end."""

    def __init__(self, url):
        self.urls = url.split(",")
        self.transport = OpenSearchTransport(self.urls, None, None, None)
        self._names = []

    def name(self):
        self._names.append(f"t{uuid.uuid4().hex}")
        return self._names[-1]

    def make(self, name=None, **options):
        faulty = Faulty(self.urls)
        given = {"replicas": 0, "transport": faulty, **options}
        store = OpenSearchDocStore(self.urls, self.name() if name is None else name, **given)
        store.faulty = faulty
        return store

    def beside(self, store):
        return self.make(store._index.name)

    def ask(self, method, path, body=None):
        answer = self.transport.request(method, path, None if body is None else json.dumps(body), 30.0)
        assert answer.status < 300, answer.text
        return json.loads(answer.text)

    def remove(self):
        for name in self._names:
            self.transport.request("DELETE", f"/{name}*", None, 30.0)


@pytest.fixture(scope="module")
def indexes(opensearch_url):
    made = Indexes(opensearch_url)
    yield made
    made.remove()


def switch(store, fault):
    setattr(store.faulty, fault, True)
    return lambda: setattr(store.faulty, fault, False)


@pytest.mark.parametrize("promise", DocStoreContract.names())
def test_the_contract_is_kept_as_declared(indexes, promise):
    contract = DocStoreContract()
    contract.make_store, contract.reopen, contract.open_beside = indexes.make, indexes.beside, indexes.beside
    contract.lose_connection = lambda store: switch(store, "cuts")
    contract.answer_in_part = lambda store: switch(store, "shortens")
    contract.lose_answer = lambda store: switch(store, "loses")
    getattr(contract, promise)()


@pytest.mark.parametrize("dense", ["approximate", "exact"])
@pytest.mark.parametrize("seed", range(2))
def test_the_same_documents_are_found_as_in_memory(indexes, dense, seed):
    source = random.Random(seed)
    memory, store = MemoryDocStore("lucene"), indexes.make(dense=dense, shards=2)
    for _ in range(6):
        method, argument = random_stores.change(source, [identifier for identifier, _ in memory.rank([])])
        assert told(store, method, argument) == told(memory, method, argument)
        for _ in range(12):
            check(store, memory, whole(random_stores.search(source)))
    for identifier, _ in memory.rank([]):
        assert random_stores.exact(store.get(identifier)) == random_stores.exact(memory.get(identifier))


def told(store, method, argument):
    """What a change gives, and what is said against it."""
    try:
        return getattr(store, method)(argument)
    except InvalidInputError as problem:
        return str(problem)


def whole(wanted):
    """A search without a bound, as the engine's scores decide what is within one."""
    exprs = []
    for expr in wanted["match_exprs"]:
        dense = isinstance(expr, MatchDenseExpr)
        exprs.append(dataclasses.replace(expr, topn=100) if dense else expr.with_topn(100))
    return {**wanted, "match_exprs": exprs, "limit": 100}


def check(store, memory, wanted):
    """The same documents, values and counts; the same order where no score of the engine decides; near cosines."""
    found, expected = store.search(**wanted), memory.search(**wanted)
    assert found.total == expected.total, wanted
    assert sorted(found.ids) == sorted(expected.ids), wanted
    assert random_stores.exact(dict(sorted(found.fields.items()))) == random_stores.exact(
        dict(sorted(expected.fields.items()))
    )
    assert random_stores.exact(dict(found.aggs)) == random_stores.exact(dict(expected.aggs))
    assert dict(found.highlight) == dict(expected.highlight)
    exprs = wanted["match_exprs"]
    if not exprs:
        assert list(found.ids) == list(expected.ids)
    elif len(exprs) == 1 and isinstance(exprs[0], MatchDenseExpr):
        assert all(abs(found.scores[one] - expected.scores[one]) < CLOSE for one in found.ids)


HOSTILE = [
    "a OR _exists_:id", '"', "\\", "&& ||", "%", "*", "x:y", "\0", "[1 TO 2]", "x" * 5_000, "é" * 9_000, "..", "\u2028",
    "/.*/", "\t", "a\nb", "&#39;", "\U0001f600",
]  # fmt: skip


def test_hostile_texts_are_found_as_texts_and_as_nothing_else(indexes):
    memory, store = MemoryDocStore("lucene"), indexes.make()
    documents = [
        {"id": f"{place}{text[:80]}", "content_ltks": f"a {text} b", "important_kwd": [text], "metadata": {"k": text}}
        for place, text in enumerate(HOSTILE)
    ]
    documents.append({"id": "plain", "content_ltks": "solar", "kb_id": "k"})
    for each in (memory, store):
        each.insert(documents)
    for text in HOSTILE:
        for tree in (Term(text), Phrase(("a", text)), Phrase((text, "b"), 2)):
            for field in ("content_ltks", "important_kwd"):
                expr = MatchTextExpr(((field, 1.0),), tree)
                assert same_ids(store, [expr]) == same_ids(memory, [expr]), (text, tree, field)
        for filters in ({"metadata.k": text}, {"id": {"gte": text}}, {"important_kwd": {"lt": text}}, {text: text}):
            assert same_ids(store, [], filters) == same_ids(memory, [], filters), filters


def same_ids(store, exprs, filters=None):
    """What is found."""
    return sorted(identifier for identifier, _ in store.rank(exprs, filters))


@pytest.mark.parametrize("question", [*HOSTILE, "solar panels OR wind", "太阳能 怎么 安装"])
def test_questions_of_any_kind_are_answered(indexes, question):
    store = indexes.make()
    store.insert([{"id": "a", "content_ltks": "solar panel", "content_with_weight": "Solar panels"}])
    retriever = Retriever(store, QueryBuilder(), vector_similarity_weight=0)
    found = [chunk.chunk_id for chunk in retriever.retrieve(question).chunks]
    assert found == (["a"] if "solar" in question else [])
    assert retriever.retrieve(question, filters={"kb_id": question}).chunks == ()


def test_what_an_engine_cannot_hold_is_refused_before_anything_is_stored(indexes):
    store = indexes.make()
    for bad in ({"id": "x" * 513}, {"id": "b", "q_16001_vec": [1.0] * 16_001}):
        with pytest.raises(InvalidInputError, match=r"documents\[1\]\.\w+ must have at most"):
            store.insert([{"id": "a"}, bad])
    assert store.count() == 0
    assert store.get("x" * 513) is None
    assert store.delete(["x" * 513, "none"]) == 0


def test_an_index_is_made_anew_while_others_read_and_write(indexes):
    store, writer = indexes.make(), None
    store.keep_vector_model("q_2_vec", "small")
    store.insert([document(place) for place in range(300)])
    writer = indexes.beside(store)
    writing, problems, found = threading.Event(), [], []

    def write():
        place = 300
        while not writing.is_set() and place < 2_000:
            try:
                writer.insert([document(place)])
                writer.delete([f"d{place - 300}"])
                writer.update([{"id": f"d{place - 1}", "kb_id": "changed"}])
            except HybridSearchError as problem:
                problems.append(problem)
            place += 1
        found.append(place)

    def read():
        while not writing.is_set():
            if len(writer.search(match_exprs=[MatchTextExpr((("content_ltks", 1.0),), Term("solar"))]).ids) != 10:
                problems.append("a short answer")

    threads = [threading.Thread(target=write), threading.Thread(target=read)]
    for thread in threads:
        thread.start()
    before = store.generation
    try:
        name = store.reindex(shards=2)
    finally:
        writing.set()
        for thread in threads:
            thread.join()
    assert problems == []
    assert name.endswith("-000002")
    assert store.generation != before
    assert store.vector_models() == {"q_2_vec": "small"}
    last = found[0]
    assert sorted(store.search(limit=3_000).ids) == sorted(f"d{place}" for place in range(last - 300, last))
    assert store.get(f"d{last - 2}")["kb_id"] == "changed"
    assert len(indexes.ask("GET", f"/{store._index.name}*")) == 1


def document(place):
    """A document of a number."""
    return {"id": f"d{place}", "content_ltks": "solar power", "q_2_vec": [1.0, float(place)]}


def ragflow_mapping():
    """How RAGFlow makes an index, with the engine named: a type for each ending of a name."""
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
    """A document as RAGFlow writes it."""
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
def test_an_index_that_ragflow_made_is_read_as_it_is(indexes):
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
        assert same_ids(store, [], filters) == same_ids(memory, [], filters), filters
    embedding = {text: [source.gauss(0, 1) for _ in range(512)] for text in ("solar panel", "wind power 太阳")}
    for question in embedding:
        for options in ({}, {"filters": {"kb_id": ["k1"]}}, {"vector_similarity_weight": 0.9}, {"rank_feature": {}}):
            given = {"similarity_threshold": 0.0, "page_size": 10, **options}
            answers = [
                Retriever(each, QueryBuilder(), embedding=lambda texts: [embedding[text] for text in texts]).retrieve(
                    question, **given
                )
                for each in (store, memory)
            ]
            compare(*answers)


RAGFLOW_FILTERS = (
    {"kb_id": "k1"}, {"kb_id": ["k0", "none"], "available_int": 1}, {"available_int": 0}, {"doc_id": {"gte": "d3"}},
    {"page_num_int": {"gt": 5, "lte": 7}}, {"page_num_int": [3, 2**40, 2.5, "3"]}, {"id": ["c001", "c099", "x"]},
    {"page_num_int": {"gte": -(2**70), "lt": 1e300}}, {"must_not": {"exists": ["page_num_int"]}}, {"kb_id": 1},
    {"not": {"any": [{"kb_id": "k1"}, {"page_num_int": 4}]}}, {"page_num_int": {"gt": "a"}}, {"kb_id": {"lt": 7}},
    {"q_512_vec": {"exists": True}, "none_kwd": {"exists": False}}, {"page_num_int": {"gt": 3, "gte": 9, "lt": 10}},
)  # fmt: skip


def compare(found, expected):
    """The similarities of what both show have the same bits, and the order is that of the similarities."""
    shown = {chunk.chunk_id: chunk for chunk in expected.chunks}
    both = [chunk for chunk in found.chunks if chunk.chunk_id in shown]
    assert both
    for one in both:
        other = shown[one.chunk_id]
        for part in ("similarity", "term_similarity", "vector_similarity"):
            assert getattr(one, part).hex() == getattr(other, part).hex()
    pairs = [(-chunk.similarity, chunk.chunk_id) for chunk in found.chunks]
    assert pairs == sorted(pairs)

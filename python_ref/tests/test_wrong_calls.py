"""Wrong calls are refused with one message that names the argument, the accepted values, and the type (ERR-3)."""

import asyncio
import datetime
import json
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from hybrid_search import (
    AsyncIndex,
    DocumentBuilder,
    Embedding,
    HashingEmbedder,
    Index,
    MemoryDocStore,
    QueryBuilder,
    Reranker,
    RetrievalService,
    Retriever,
    Segmenter,
    Synonyms,
    TermWeight,
    Tokenizer,
)
from hybrid_search.errors import HybridSearchError
from hybrid_search.index import OPTIONS

CASES = Path(__file__).parents[2] / "fixtures/wrong_calls"
TOKENIZER = "a callable, or an object with tokenize, fine_grained, frequency, tag and normalize"
PROVIDER = (
    "a callable, or an object with encode, encode_queries, encode_document, embed_documents, "
    "get_text_embedding_batch, passage_embed or embed"
)
EMBEDDING = f"an Embedding, {PROVIDER}"
MODEL = "a callable or an object with similarity"
STORE = "a document store, as a subclass of DocStoreAdapter is"


class Half:
    """Some methods of a store, of a tokenizer and of a term weight."""

    def insert(self, documents):
        raise AssertionError

    def tokenize(self, text):
        raise AssertionError

    def weights(self, tokens):
        raise AssertionError


async def awaited(texts):
    raise AssertionError


NAME = f"{Half.__module__}.Half"
NO_STORE = (
    "update, upsert, delete, get, count, generation, health, stats, vector_fields, keep_vector_model, search, rank, "
    "fuses_scores"
)
SYNONYMS = "Synonyms, or an object of words, each with a word or a list of words"


def wrong(name, accepted, given):
    """Return the message for a value that is not accepted."""
    return f"{name} must be {accepted}, not {given}"


# Calls that exist only in Python: the call, and the whole message.
CALLS = [
    (lambda: Index(store=Half()), wrong("store", f"{STORE}", f"a value of the type {NAME}, which has no {NO_STORE}")),
    (lambda: Index(store=MemoryDocStore), wrong("store", f"{STORE}", "the class MemoryDocStore")),
    (lambda: Index(store=object()), wrong("store", f"{STORE}", "a value of the type object")),
    (
        lambda: Index(tokenizer=Half()),
        wrong(
            "tokenizer",
            f"{TOKENIZER}",
            f"a value of the type {NAME}, which has no fine_grained, frequency, tag, normalize",
        ),
    ),
    (lambda: Index(tokenizer=Tokenizer), wrong("tokenizer", f"{TOKENIZER}", "the class Tokenizer")),
    (lambda: Index(tokenizer={1, 2}), wrong("tokenizer", f"{TOKENIZER}", "a value of the type set")),
    (lambda: Index(tokenizer=awaited), "tokenizer is a coroutine function (async def), which only AsyncIndex awaits"),
    (
        lambda: Index(tokenizer=len).add([{"id": "1", "content": "a"}]),
        wrong("the tokenizer's answer", "a text or a list of texts", "1"),
    ),
    (
        lambda: Index(tokenizer=lambda text: text.words).search("a"),
        "the tokenizer failed: AttributeError: 'str' object has no attribute 'words'",
    ),
    (
        lambda: Index(tokenizer=str.encode).search("a"),
        wrong("the tokenizer's answer", "a text or a list of texts", "a value of the type bytes"),
    ),
    (lambda: Index(tokenizer=lambda text: [text, 5]).search("a"), wrong("the tokenizer's answer[1]", "a text", "5")),
    (lambda: Index(synonyms=Half()), wrong("synonyms", SYNONYMS, f"a value of the type {NAME}")),
    (lambda: Index(synonyms=Synonyms), wrong("synonyms", SYNONYMS, "the class Synonyms")),
    (lambda: Index(synonyms={5: "five"}), wrong("a key of synonyms", "a text", "5")),
    (lambda: Index(term_weight=Half()), wrong("term_weight", "a TermWeight", f"a value of the type {NAME}")),
    (lambda: Index(term_weight=TermWeight), wrong("term_weight", "a TermWeight", "the class TermWeight")),
    (lambda: Index(embedding=Half()), wrong("embedding", f"{EMBEDDING}", f"a value of the type {NAME}")),
    (lambda: Index(embedding=HashingEmbedder), wrong("embedding", f"{EMBEDDING}", "the class HashingEmbedder")),
    (lambda: Index(embedding=b"bge"), wrong("embedding", f"{EMBEDDING}", "a value of the type bytes")),
    (lambda: Index(observer=5), wrong("observer", "a callable", "5")),
    (lambda: Index(rerank_model=Half()), wrong("rerank_model", f"{MODEL}", f"a value of the type {NAME}")),
    (
        lambda: Index(rerank_model=awaited),
        "rerank_model is a coroutine function (async def), which only AsyncIndex awaits",
    ),
    (lambda: Index(fields={b"title_tks": 1}), wrong("a key of fields", "a text", "a value of the type bytes")),
    (lambda: Index().search(b"red"), wrong("question", "a text", "a value of the type bytes")),
    (
        lambda: Index().search(datetime.date(2024, 5, 1)),
        wrong("question", "a text", "a value of the type datetime.date"),
    ),
    (
        lambda: Index().search("red", page=Decimal(1)),
        wrong("page", "an integer", "a value of the type decimal.Decimal"),
    ),
    (
        lambda: Index().search("red", limit=range(3)),
        wrong("limit", "an integer of at least 1", "a value of the type range"),
    ),
    (
        lambda: Index().search("red", min_score=1j),
        wrong("min_score", "a finite number", "a value of the type complex"),
    ),
    (
        lambda: Index().search("red", filters={"id": b"1"}),
        wrong("filters.id", "a text or an integer", "a value of the type bytes; give it as a text or a number"),
    ),
    (
        lambda: Index().get(b"1"),
        wrong("id", "a text or an integer", "a value of the type bytes; give it as a text or a number"),
    ),
    (lambda: Index().delete({"1"}), wrong("ids", "a list of texts or integers", "a value of the type set")),
    (
        lambda: Index().add([{"id": "1", "content": b"red"}]),
        wrong("records[0].content", "a text", "a value of the type bytes"),
    ),
    (
        lambda: Index().add(b"red"),
        wrong("records", "a list or a stream of records, or one record", "a value of the type bytes"),
    ),
    (
        lambda: Index().add([{"id": "1", "content": "a", "keywords": {"a"}}]),
        wrong("records[0].keywords", "a list of texts", "a value of the type set"),
    ),
    (
        lambda: Index().add([{"id": "1", "content": "a", "vector": {1.0}}]),
        wrong("records[0].vector", "a list of finite numbers", "a value of the type set"),
    ),
    (
        lambda: Index().add([{"id": "1", "content": "a", "vector": np.zeros((2, 2))}]),
        wrong("records[0].vector[0]", "a finite number", "a list of 2"),
    ),
    (
        lambda: AsyncIndex(thread=1),
        f'unknown option "thread"; did you mean "threads"? Known: threads, max_calls, {", ".join(OPTIONS)}',
    ),
    (lambda: AsyncIndex(embedding=5), wrong("embedding", f"{EMBEDDING}", "5")),
    (lambda: AsyncIndex(rerank_model=5), wrong("rerank_model", f"{MODEL}", "5")),
    (lambda: AsyncIndex(threads=0), wrong("threads", "an integer of at least 1", "0")),
    (
        lambda: asyncio.run(AsyncIndex().add([], batchsize=1)),
        'unknown option "batchsize"; did you mean "batch_size"? '
        "Known: records, batch_size, progress, other_keys, workers",
    ),
    (lambda: Retriever({}, QueryBuilder()), wrong("store", f"{STORE}", "an object of 0")),
    (lambda: Retriever(MemoryDocStore(), None), wrong("query_builder", "a QueryBuilder", "null")),
    (lambda: Retriever(MemoryDocStore(), QueryBuilder(), 5), wrong("embedding", f"{EMBEDDING}", "5")),
    (lambda: RetrievalService(MemoryDocStore(), observer="log"), wrong("observer", "a callable", '"log"')),
    (
        lambda: RetrievalService(MemoryDocStore(), models={"bge": awaited}),
        'models["bge"] is a coroutine function (async def), which only AsyncIndex awaits',
    ),
    (lambda: DocumentBuilder(tokenizer=Tokenizer), wrong("tokenizer", f"{TOKENIZER}", "the class Tokenizer")),
    (lambda: Reranker(QueryBuilder), wrong("query_builder", "a QueryBuilder, or like one", "the class QueryBuilder")),
    (lambda: Embedding(HashingEmbedder), wrong("provider", PROVIDER, "the class HashingEmbedder")),
    (lambda: Segmenter(dictionary={}), wrong("dictionary", "a Dictionary", "an object of 0")),
    (lambda: MemoryDocStore().get(b"1"), wrong("identifier", "a text", "a value of the type bytes")),
]


def cases():
    return [
        json.loads(line) for path in sorted(CASES.glob("refused.*.jsonl")) for line in path.read_bytes().splitlines()
    ]


@pytest.mark.parametrize(("call", "message"), CALLS)
def test_wrong_calls_are_refused(call, message):
    with pytest.raises(HybridSearchError) as caught:
        call()
    assert str(caught.value) == message


def test_every_case_names_its_argument():
    unnamed = [case["id"] for case in cases() if case["input"]["about"] not in case["expect"]["error"]["message"]]
    assert unnamed == []


def test_the_list_contains_many_wrong_calls():
    assert len({(str(case["params"]), str(case["input"])) for case in cases()}) >= 150

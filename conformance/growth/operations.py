"""The operations that are timed in Python; the twin of `conformance/growth/ruby/operations.rb`.

Each takes a text, makes everything ready, and gives what is to be timed. Where a question meets a document, one of them
grows and the other is the beginning of the same text, or both grow.
"""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conformance.growth.registry import OPERATIONS, Operation, Timed, refused, simple
from hybrid_search.base import characters, input_values, numeric, strict_json
from hybrid_search.chunker.chunker import Chunker
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.doc_store_adapter.queries import aggregations
from hybrid_search.doc_store_adapter.queries.highlight import Highlight
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.embedding.hashing import HashingEmbedder
from hybrid_search.index import Index
from hybrid_search.post_processor.post_processor import PostProcessor
from hybrid_search.query_builder import question_words, render
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.query_builder.synonyms import Synonyms
from hybrid_search.query_builder.term_weight import TermWeight
from hybrid_search.query_builder.tree import AnyOf
from hybrid_search.records.document_builder import DocumentBuilder
from hybrid_search.reranker import spacing
from hybrid_search.reranker.partial_rerank import PartialRerank
from hybrid_search.reranker.reranker import Reranker
from hybrid_search.retrieval_service.retrieval_service import RetrievalService
from hybrid_search.search.fragments import FragmentOptions, Fragments
from hybrid_search.text import user_dictionary
from hybrid_search.text.identifiers import Identifiers
from hybrid_search.text.keyword_extractor import KeywordExtractor
from hybrid_search.text.normalizer import Normalizer
from hybrid_search.text.segmenter import Segmenter
from hybrid_search.text.stemmer import Stemmer
from hybrid_search.text.tokenizer import Tokenizer

QUESTION = 48
"""Code points of the question that a growing document meets."""
DOCUMENT = 256
"""Code points of the document that a growing question meets."""

SEGMENTER = Segmenter()
TOKENIZER = Tokenizer(segmenter=SEGMENTER)
EXTRACTOR = KeywordExtractor()
PLAIN_EXTRACTOR = KeywordExtractor(identifiers=False)
CHUNKER = Chunker(size=16)
FOLDER = tempfile.TemporaryDirectory(prefix="growth-")


def _operation(name: str) -> Callable[[Operation], Operation]:
    def enter(function: Operation) -> Operation:
        OPERATIONS[name] = function
        return function

    return enter


def _on_tokens(name: str, function: Callable[[list[str]], Any]) -> None:
    """An operation on tokens: those of the text."""

    def ready(text: str) -> Timed:
        tokens = TOKENIZER.tokenize(text)
        return lambda: function(tokens)

    OPERATIONS[name] = ready


def _meeting(name: str, function: Callable[[str, str], Timed]) -> None:
    """Three operations: a long document, a long question, both."""
    OPERATIONS[f"{name}_document"] = lambda text: function(text, text[:QUESTION])
    OPERATIONS[f"{name}_question"] = lambda text: function(text[:DOCUMENT], text)
    OPERATIONS[f"{name}_both"] = lambda text: function(text, text)


def _builder(**options: Any) -> QueryBuilder:
    return QueryBuilder(tokenizer=TOKENIZER, max_question_length=None, **options)


simple("strip", characters.strip)
simple("split_white", characters.split_white)
simple("parse_decimal", numeric.parse_decimal)
simple("normalize", Normalizer().normalize)
simple("tokenize", TOKENIZER.tokenize)
simple("fine_grained", TOKENIZER.fine_grained)
simple("cut", SEGMENTER.cut)
simple("cut_without_model", lambda text: SEGMENTER.cut(text, hmm=False))
simple("cut_for_search", SEGMENTER.cut_for_search)
simple("stem", lambda text: Stemmer().stem(text))
simple("identifiers", lambda text: Identifiers().pieces(Identifiers().prepare(text)))
simple("identifier_parts", lambda text: Identifiers().parts(text))
simple("keywords", EXTRACTOR.extract)
simple("all_keywords", lambda text: EXTRACTOR.extract(text, limit=None))
simple("plain_keywords", PLAIN_EXTRACTOR.extract)
simple("chunks", CHUNKER.split)
simple("chunks_of_markdown", lambda text: CHUNKER.split(text, format="markdown"))
simple("chunk_records", lambda text: CHUNKER.chunk_records({"id": "a", "content": text, "title": text}, "markdown"))
simple("separate_scripts", question_words.separate_scripts)
simple("fold_separators", question_words.fold_separators)
simple("remove_question_words", question_words.remove_question_words)
simple("is_chinese", question_words.is_chinese)
simple("pretokenize", lambda text: TermWeight(TOKENIZER).pretokenize(text))
simple("split", lambda text: TermWeight(TOKENIZER).split(text))
simple("merge_characters", lambda text: TermWeight(TOKENIZER).merge(list(text)))
simple("merge_words", lambda text: TermWeight(TOKENIZER).merge(text.split(" ")))
simple("weights", lambda text: TermWeight(TOKENIZER).weights([text]))
_on_tokens("weights_of_tokens", lambda tokens: TermWeight(TOKENIZER).weights(tokens, preprocess=False))
simple("weight_of_one", lambda text: TermWeight(TOKENIZER).weights([text], preprocess=False))
simple("build_text_query", lambda text: _builder().build_text_query(text))
simple("question_keywords", lambda text: _builder().keywords(text))
simple("synonyms", lambda text: Synonyms({"a": "b"}).lookup(text))
simple("synonym_table", lambda text: Synonyms({text[:DOCUMENT] + "x": text}))
simple("hashing_embedder", lambda text: HashingEmbedder(dimension=64).encode([text]))
simple("remove_redundant_blanks", spacing.remove_redundant)
simple("strict_json", lambda text: refused(lambda: strict_json.parse(text)))
_on_tokens("paragraph", lambda tokens: _builder().paragraph(tokens, tokens))


@_operation("build_text_query_with_synonyms")
def _with_synonyms(text: str) -> Timed:
    words = TOKENIZER.tokenize(text[:DOCUMENT])
    builder = _builder(synonyms=Synonyms({word: [f"{word}x", text[:QUESTION]] for word in words}))
    return lambda: builder.build_text_query(text)


@_operation("strict_json_text")
def _json_text(text: str) -> Timed:
    written = json.dumps(text)
    return lambda: strict_json.parse(written)


@_operation("strict_json_list")
def _json_list(text: str) -> Timed:
    written = json.dumps([{character: [character]} for character in text])
    return lambda: strict_json.parse(written)


def _rendered(name: str, function: Callable[[Any], str]) -> None:
    def ready(text: str) -> Timed:
        query, _ = _builder().build_text_query(text)
        tree = AnyOf(()) if query is None else query.tree
        return lambda: function(tree)

    OPERATIONS[name] = ready


_rendered("lucene", render.lucene)
_rendered("tsquery", render.tsquery)
_rendered("fts5", render.fts5)


def _token_similarity(document: str, question: str) -> Timed:
    builder = _builder()
    question_tokens, document_tokens = TOKENIZER.tokenize(question), TOKENIZER.tokenize(document)
    return lambda: builder.token_similarity(question_tokens, [document_tokens])


_meeting("token_similarity", _token_similarity)


def _record(text: str, identifier: str = "a") -> dict[str, Any]:
    return {"id": identifier, "content": text, "title": text, "keywords": [text], "questions": [text]}


def _index(*documents: str, embedding: Any = None) -> Index:
    index = Index(tokenizer=TOKENIZER, embedding=embedding, max_question_length=None)
    index.add([{"id": f"{number}", "content": text} for number, text in enumerate(documents)])
    return index


simple("build_document", lambda text: DocumentBuilder(tokenizer=TOKENIZER).build(_record(text)))


@_operation("add")
def _add(text: str) -> Timed:
    index = _index(embedding=HashingEmbedder(dimension=64))
    return lambda: index.add([{"id": "a", "content": text, "keywords": [text]}])


@_operation("update")
def _update(text: str) -> Timed:
    index = _index(text[:QUESTION], embedding=HashingEmbedder(dimension=64))
    changes = {key: value for key, value in _record(text, "0").items() if key != "keywords"}
    return lambda: index.update([{**changes, "metadata": {"text": text}}])


@_operation("upsert")
def _upsert(text: str) -> Timed:
    index = _index(text, embedding=HashingEmbedder(dimension=64))
    return lambda: index.upsert([_record(text, "0"), {"id": "1", "content": text}])


@_operation("add_and_delete")
def _add_and_delete(text: str) -> Timed:
    index = _index(text[:QUESTION], text)
    return lambda: index.delete(["1"])


def _search(profile: Any) -> None:
    def ready(document: str, question: str) -> Timed:
        index = _index(document, "other")
        return lambda: index.search(question, profile=profile, min_score=0.0, highlight=True, explain=True)

    _meeting(f"search_{profile}", ready)


_search("balanced")
_search("ragflow")


def _highlight(document: str, question: str) -> Timed:
    keywords = [question, *TOKENIZER.tokenize(question)]
    return lambda: Highlight(keywords).mark(document)


_meeting("highlight", _highlight)


def _cite(document: str, answer: str) -> Timed:
    index = _index("other", embedding=HashingEmbedder(dimension=16))
    return lambda: index.cite(answer, ["0", {"id": "growing", "content": document}])


_meeting("cite", _cite)


def _fragments(document: str, question: str) -> Timed:
    keywords = [question, *TOKENIZER.tokenize(question)]
    return lambda: Fragments(FragmentOptions(), keywords).of({"content": document})


_meeting("fragments", _fragments)


@_operation("aggregations")
def _aggregations(text: str) -> Timed:
    values = [text, *text, text.split(" ")]
    return lambda: aggregations.count(values)


@_operation("aggregations_of_numbers")
def _aggregations_of_numbers(text: str) -> Timed:
    numbers = _one_remainder(text)
    return lambda: aggregations.count([*numbers, numbers])


@_operation("filters_of_numbers")
def _filters_of_numbers(text: str) -> Timed:
    store = _index(text[:DOCUMENT]).store
    filters = {"page_int": {"in": _one_remainder(text), "gt": 0}}
    return lambda: refused(lambda: store.rank([], filters))


def _one_remainder(text: str) -> list[int]:
    """As many integers as the text has code points, all with one remainder by 2^61 − 1."""
    return [number * ((1 << 61) - 1) for number in range(1, len(text) + 1)]


@_operation("filters")
def _filters(text: str) -> Timed:
    store = _index(text).store
    pieces = text.split(" ")
    ranges = [{"content_with_weight": {"gte": text, "in": pieces}}, {f"metadata.{text}": {"exists": True}}]
    filters = {"kb_id": [text, *text], "not": {"any": ranges}, "docnm_kwd": {"in": pieces, "lt": text}}
    return lambda: store.rank([], filters)


@_operation("filters_of_parts")
def _filters_of_parts(text: str) -> Timed:
    store = _index(text).store
    filters = {"content_with_weight": {"contains": text[:256], "starts_with": text[:255], "ends_with": text[-256:]}}
    return lambda: refused(lambda: store.rank([], filters))


@_operation("tags_of_record")
def _tags_of_record(text: str) -> Timed:
    index = _index(text)
    return lambda: index.tags_of_record({"id": "2", "content": text}, field="doc_id", smoothing=0)


simple("attributes", lambda text: input_values.attributes("metadata", {"a": [text, *text], "b": {"c": text}}))


def _found(document: str, prepared: bool, tokens: bool = True) -> SearchResult:
    store = MemoryDocStore()
    fields = DocumentBuilder(tokenizer=TOKENIZER).build(_record(document))
    store.insert([fields])
    result = store.search(limit=1)
    if prepared:
        return result
    kept = fields if tokens else {"id": "a", "content_ltks": fields["content_ltks"], "title_tks": fields["title_tks"]}
    return SearchResult(result.total, result.ids, {"a": kept}, result.scores)


def _reranking(name: str, prepared: bool, tokens: bool) -> None:
    def meet(document: str, question: str) -> Timed:
        found = _found(document, prepared, tokens)
        reranker = Reranker(_builder())
        return lambda: reranker.rerank_by_hybrid(found, question)

    _meeting(name, meet)


_reranking("rerank_prepared", prepared=True, tokens=True)
_reranking("rerank_tokens", prepared=False, tokens=True)
_reranking("rerank_texts", prepared=False, tokens=False)


def _model(_query: str, texts: list[str]) -> list[float]:
    return [0.5] * len(texts)


def _rerank_by_model(document: str, question: str) -> Timed:
    found = _found(document, prepared=False)
    reranker = Reranker(_builder())
    return lambda: reranker.rerank_by_model(_model, found, question)


_meeting("rerank_by_model", _rerank_by_model)


@_operation("partial_rerank")
def _partial_rerank(text: str) -> Timed:
    found = _found(text, prepared=False)
    return lambda: PartialRerank(_model).rerank_result(text, found, [1.0])


def _post_process(document: str, question: str) -> Timed:
    documents = [{"page_content": document, "metadata": {"vector_score": 0.5}}]
    processor = PostProcessor("weighted_score", weights="0.3,0.7", keyword_extractor=EXTRACTOR)
    return lambda: processor.process(question, documents)


_meeting("post_process", _post_process)


def _service(name: str, method: str) -> None:
    def meet(document: str, question: str) -> Timed:
        index = _index(document, "other")
        service = RetrievalService(index.store, query_builder=_builder(), keyword_extractor=EXTRACTOR)
        return lambda: service.retrieve(question, search_method=method)

    _meeting(name, meet)


_service("service_keywords", "keyword_search")
_service("service_full_text", "full_text_search")


@_operation("service_hybrid")
def _service_hybrid(text: str) -> Timed:
    embedding = Embedding(HashingEmbedder(dimension=64))
    index = _index(text[:DOCUMENT], embedding=embedding)
    service = RetrievalService(
        index.store,
        query_builder=_builder(),
        embedding=embedding,
        keyword_extractor=EXTRACTOR,
    )
    return lambda: service.retrieve(text, search_method="hybrid_search")


def _from_file(name: str, ending: str, content: Callable[[str], str], read: Callable[[str], Any]) -> None:
    def ready(text: str) -> Timed:
        path = Path(FOLDER.name) / f"{name}.{ending}"
        path.write_bytes(content(text).encode("utf-8"))
        return lambda: refused(lambda: read(str(path)))

    OPERATIONS[name] = ready


def _object(text: str) -> str:
    return json.dumps({f"{place} {character}": character for place, character in enumerate(text)})


_from_file("synonyms_file", "json", _object, lambda path: Synonyms(path))
_from_file("entities_file", "json", _object, lambda path: TermWeight(TOKENIZER, entities=path))
_from_file("frequencies_file", "tsv", str, lambda path: TermWeight(TOKENIZER, document_frequencies=path))
_from_file("user_dictionary", "txt", str, user_dictionary.read)


def _linear(text: str) -> Timed:
    return lambda: [None for _ in range(20) for _ in text]


def _quadratic(text: str) -> Timed:
    return lambda: [None for _ in text for _ in text]


PROOFS: dict[str, Operation] = {"linear": _linear, "quadratic": _quadratic}
"""Operations of a known cost, by which the measurement itself is tried."""

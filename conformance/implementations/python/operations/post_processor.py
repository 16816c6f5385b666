"""Operations of the post-processing (DFY-1 … DFY-5, DFY-7, DFY-8)."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from conformance.implementations.python.registry import Trace, operation
from conformance.implementations.python.scripted_model import ScriptedModel
from hybrid_search.errors import HybridSearchError
from hybrid_search.post_processor import ranked_list
from hybrid_search.post_processor.configuration import RetrievalConfiguration
from hybrid_search.post_processor.document import Document
from hybrid_search.post_processor.keyword_cosine import KeywordCosine
from hybrid_search.post_processor.metadata_conditions import MetadataConditions
from hybrid_search.post_processor.post_processor import PostProcessor
from hybrid_search.post_processor.weighted_score import ScoreWeights
from hybrid_search.text.keyword_extractor import KeywordExtractor


@cache
def _extractor() -> KeywordExtractor:
    return KeywordExtractor()


@operation("post_processor.process", {"options": {}, "process": {}})
def process(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """Documents post-processed; with what the model was asked, and whether the documents given stayed as they were."""
    model = ScriptedModel(given["model"]) if "model" in given else None
    options = dict(params["options"])
    if model is not None:
        options["reranking_model"] = model
    processor = PostProcessor(keyword_extractor=_extractor(), **options)
    before = _plain(given["documents"])
    result = processor.process(given["query"], given["documents"], **params["process"])
    trace.stage("tokenise", list(result.query_keywords))
    trace.stage("rerank", [[document.doc_id, document.number("score")] for document in result.documents])
    answer = {**result.to_dict(), "applied": result.applied, "unchanged": _plain(given["documents"]) == before}
    return answer if model is None else {**answer, "asked": model.asked}


@operation("post_processor.cosines")
def cosines(_params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The cosine of TF-IDF vectors of terms."""
    _weigh(trace, given["documents"])
    return KeywordCosine.cosines(given["query"], given["documents"])


@operation("post_processor.keyword_scores", {"keyword_limit": None})
def keyword_scores(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The keywords of texts and how alike they are to the query's."""
    found = KeywordCosine(_extractor(), params["keyword_limit"]).scores(given["query"], given["texts"])
    trace.stage("tokenise", [list(found.query_keywords), *map(list, found.document_keywords)])
    _weigh(trace, found.document_keywords)
    return {
        "query_keywords": list(found.query_keywords),
        "document_keywords": [list(terms) for terms in found.document_keywords],
        "scores": list(found.scores),
    }


@operation("post_processor.documents")
def documents(_params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """Documents as they are read, without repeats."""
    read = Document.build_many("documents", given["documents"])
    trace.stage("read", [document.to_dict() for document in read])
    return [document.to_dict() for document in ranked_list.deduplicate(read)]


@operation("post_processor.cut", {"score_threshold": None, "top_n": None})
def cut(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """Documents with scores: those that pass, in order."""
    read = Document.build_many("documents", given["documents"])
    limits = ranked_list.limits(params["score_threshold"], params["top_n"])
    trace.stage("read", [[document.doc_id, document.number("score")] for document in read])
    trace.stage("threshold", list(limits))
    return [document.to_dict() for document in ranked_list.cut(read, *limits)]


@operation("post_processor.conditions")
def conditions(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The filters that conditions on metadata mean."""
    return MetadataConditions.filters(given["conditions"])


@operation("post_processor.reorder")
def reorder(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """Texts, best first, in the order in which they are to be read."""
    read = [Document(text) for text in given["texts"]]
    return [document.page_content for document in ranked_list.reorder(read)]


@operation("post_processor.weights")
def weights(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The weights of vectors and keywords."""
    parsed = ScoreWeights.parse(given["weights"])
    return [parsed.vector_weight, parsed.keyword_weight]


@operation("post_processor.configuration")
def configuration(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The settings of a configuration, as they are read."""
    parsed = RetrievalConfiguration.parse(given["configuration"])
    again = RetrievalConfiguration.parse(parsed.to_dict())
    return {**parsed.to_dict(), "same_again": again == parsed}


@operation("post_processor.replaced")
def replaced(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """Return the settings that each of `options` replaces: of a configuration, and whether checked settings agree."""
    checked = RetrievalConfiguration.parse(given["configuration"])
    return [_replaced(given["configuration"], checked, options) for options in given["options"]]


def _replaced(configuration: Any, checked: RetrievalConfiguration, options: dict[str, Any]) -> Any:
    answers = []
    for value in (configuration, checked):
        try:
            answers.append(RetrievalConfiguration.parse(value, options).to_dict())
        except HybridSearchError as error:
            answers.append({"error": type(error).__name__, "message": str(error)})
    return {"settings": answers[0], "same_of_checked": answers[1] == answers[0]}


@operation("post_processor.from_configuration", {"options": {}})
def from_configuration(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """What a processor of this configuration makes of documents; each model gives all of them its number."""
    models = given.get("models")
    if isinstance(models, dict):
        models = {name: ScriptedModel({"by_length": factor}) for name, factor in models.items()}
    processor = PostProcessor.from_configuration(given["configuration"], models, **params["options"])
    trace.stage("read", RetrievalConfiguration.parse(given["configuration"]).to_dict())
    result = processor.process(given["query"], given["documents"])
    trace.stage("tokenise", list(result.query_keywords))
    return result.to_dict()


def _weigh(trace: Trace, documents_terms: Sequence[Sequence[str]]) -> None:
    """The idf of every term, in the order of the documents."""
    idf = KeywordCosine.inverse_frequencies([KeywordCosine.distinct(terms) for terms in documents_terms])
    trace.stage("weigh", [list(pair) for pair in idf.items()])


def _plain(values: Any) -> Any:
    """A copy of plain data."""
    if isinstance(values, dict):
        return {key: _plain(value) for key, value in values.items()}
    return [_plain(value) for value in values] if isinstance(values, list) else values

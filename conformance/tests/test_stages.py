"""Every operation shows where it went wrong: it has stages, or a reason why it is a single step (CNF-6)."""

import pytest

from conformance.cases.fixtures import Case
from conformance.judging import trace
from conformance.judging.judge import judge
from conformance.tests.conftest import committed

ONE_STEP = {
    "beir_collection.read": "one folder, read",
    "characters": "one look at a table of characters",
    "chunker.cut": "one pass over a text, by one kind of cut",
    "citations.cite": "one answer; its spans have the similarities of their sources",
    "citations.sentences": "one pass over a text",
    "command_lines.code_index": "each command line says by itself what is wrong with it",
    "command_lines.session": "each command line says by itself what is wrong with it",
    "convergence.options": "a check of options",
    "doc_store.aggregations": "one count",
    "doc_store.filters": "one filter over documents that are given",
    "doc_store.highlight": "one marked text",
    "doc_store.kept_result": "one object, read",
    "embedding.encode": "one answer of a provider, read",
    "embedding.encode_queries": "one answer of a provider, read",
    "embedding.match_dense": "one answer of a provider, read",
    "embedding.methods": "which methods are called",
    "embedding.named": "one name, read",
    "embedding.provider": "a check of options",
    "fusion.fuse": "one fusion by one method",
    "fusion.normalize": "the one step of that name",
    "fusion.parse_weights": "one text, read",
    "index.told": "what is told is in the order in which it happens",
    "kernels": "a check of options",
    "network": "each reads one thing",
    "numeric": "one sum, product or rounding; those that are made of others are beside them",
    "options": "a check of options",
    "ordering": "one sort",
    "partial_rerank.options": "a check of options",
    "post_processor.conditions": "one object, read",
    "post_processor.configuration": "one object, read",
    "post_processor.reorder": "one order of places",
    "post_processor.replaced": "one object, read",
    "post_processor.weights": "one object, read",
    "segmenter.lengths": "the ends of texts that are cut at once",
    "search.canonical": "one text",
    "search.damaged": "one cursor, read; what comes is counted by its message",
    "search.shared_cache": "pages beside each other",
    "search.walks": "walks beside each other; each says by itself what is wrong with it",
    "query_builder.call": "a check of arguments",
    "query_builder.configuration": "a check of options",
    "query_builder.escape": "one text",
    "query_builder.factors": "four looks at tables, in the order in which they are multiplied",
    "query_builder.is_chinese": "one decision",
    "query_builder.merge": "one pass over tokens",
    "query_builder.remove_question_words": "three patterns, one after the other",
    "query_builder.render": "three renderings beside each other",
    "query_builder.split": "one pass over words",
    "query_builder.synonyms": "one look at a table",
    "query_builder.term_file": "one file, read",
    "readers.matches": "one pattern, held against paths",
    "requests.access": "one header",
    "requests.opening": "one opening; its requests are in the order in which they are sent",
    "index_files.paths": "the same steps for each name; their answers are in this order",
    "requests.connections": "an opening and calls; what each sends and gives is in their order",
    "reranker.late_calls": "calls whose messages are their answer",
    "reranker.models": "names, each read by itself",
    "reranker.named": "one name, read",
    "reranker.model_options": "a check of options",
    "reranker.scale_scores": "one scale",
    "reranker.spacing": "one pattern",
    "reranker.tags": "one value, read",
    "retrieval_service.options": "a check of options",
    "retrieval_service.told": "what an observer hears is its own stages",
    "retriever.window": "one formula",
    "tables": "one look at a whole table",
    "text.frequency_and_tag": "one look at a table",
    "text.stem": "one stem",
    "text.tokenizer_options": "a check of options",
    "validation": "one check",
    "wrong_calls": "one check",
}
"""An operation, or a whole module → why it has no stages."""


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return committed().cases


def test_every_operation_has_stages_or_calls_or_a_reason(cases: list[Case]) -> None:
    staged = {case.operation for case in cases if case.expect["trace"] or _has_calls(case)}
    silent = {case.operation for case in cases} - staged
    without_reason = {one for one in silent if one not in ONE_STEP and one.partition(".")[0] not in ONE_STEP}
    assert without_reason == set()
    known = silent | {one.partition(".")[0] for one in silent}
    assert set(ONE_STEP) - known == set(), "a reason for what has stages, or does not exist"
    modules_with_stages = {one.partition(".")[0] for one in staged}
    assert {one for one in ONE_STEP if one in modules_with_stages} == set(), "a whole module, some of which has stages"


def test_every_call_has_one_answer(cases: list[Case]) -> None:
    """The position of an answer identifies its call."""
    told = [case for case in cases if _has_calls(case) and "value" in case.expect]
    assert len(told) > 100
    for case in told:
        calls = next(case.input[key] for key in trace.CALLS if key in case.input)
        assert len(case.expect["value"]) == len(calls), case.id


@pytest.mark.parametrize(
    ("call", "stage"),
    [
        (["search", "wine", {}], "call search"),
        ([None, "retrieve", "wine"], "call retrieve"),
        ({"delete": "d1"}, "call delete"),
        ({"path": "/search?q=1", "text": ""}, "call /search"),
        ({}, "call without a name"),
    ],
)
def test_the_first_wrong_call_is_named(call: object, stage: str) -> None:
    assert trace.wrong_call({"steps": [["add"], call]}, "1/page/0") == stage
    assert trace.wrong_call({"steps": [["add"], call]}, "2") is None
    assert trace.wrong_call({"text": "1"}, "1") is None
    assert trace.wrong_call(["1"], "the whole") is None


def test_a_wrong_answer_is_reported_for_its_call(cases: list[Case]) -> None:
    case = next(one for one in cases if one.id.startswith("index.script.") and len(one.input["steps"]) > 2)
    answers = [*case.expect["value"][:2], {"other": True}, *case.expect["value"][3:]]
    judgement = judge(case, {"seq": 1, "value": answers, "trace": []})
    assert judgement.stage == f"call {case.input['steps'][2][0]}"
    assert judgement.message.startswith("the value differs at 2")


def _has_calls(case: Case) -> bool:
    return (
        case.operation != "index.told"
        and isinstance(case.input, dict)
        and any(key in case.input for key in trace.CALLS)
    )

"""Both languages' clients against the same server: the same bits, the same errors, the same number of requests."""

import json
import os
import subprocess
import threading
import time
import traceback
from pathlib import Path
from typing import Any

import pytest

from conformance.implementations.python import log_lines
from conformance.tests.model_server import EMBEDDER, scores_of
from hybrid_search.base import numeric
from hybrid_search.embedding.open_ai import OpenAiEmbedder
from hybrid_search.errors import HybridSearchError
from hybrid_search.reranker.http_reranker import HttpReranker
from hybrid_search.reranker.partial_rerank import PartialRerank

from .scenarios import BAD, GOOD, SECRET, Scenario

REPOSITORY = Path(__file__).resolve().parents[3]
QUERY = "red fox 规则"
LANGUAGES = ("python", "ruby")
SCENARIOS = [*GOOD, *BAD]


def plain(value: Any) -> Any:
    if isinstance(value, float):
        return numeric.to_bits(value)
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def client(call: dict[str, Any]) -> Any:
    options = dict(call["options"])
    if call["key"]:
        options["api_key"] = lambda: SECRET
    if call["kind"] == "embedder":
        return OpenAiEmbedder(call["url"], "model", **options)
    if call["kind"] == "tei":
        return HttpReranker(f"{call['url']}/tei/rerank", shape="tei", **options)
    return HttpReranker(f"{call['url']}/rerank", "model", **options)


def partial(model: Any, call: dict[str, Any]) -> Any:
    texts = call["texts"]
    ids = [f"d{index}" for index in range(len(texts))]
    fusion = "linear" if call["name"].endswith("linear") else "replace"
    rerank = PartialRerank(model, rerank_fusion=fusion, fail_open=call.get("fail_open", True))
    scores = [1.0 / (index + 1) for index in range(len(ids))]
    outcome = rerank.rerank(call["query"], ids, scores, lambda name: texts[int(name[1:])])
    return [
        [[entry.id, entry.tier, entry.score] for entry in outcome.entries],
        outcome.status,
        list(outcome.warnings),
    ]


def act(call: dict[str, Any]) -> Any:
    model = client(call)
    if call["kind"] == "embedder":
        return model.encode(call["texts"])
    if call["kind"] == "partial":
        return partial(model, call)
    if call["kind"] == "many":
        answers: list[Any] = [None] * 8

        def run(place: int) -> None:
            answers[place] = model.similarity(call["query"], call["texts"])

        threads = [threading.Thread(target=run, args=(place,)) for place in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return answers
    return model.similarity(call["query"], call["texts"])


def run_python(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    outcomes = []
    for call in calls:
        started = time.monotonic()
        outcome: dict[str, Any]
        with log_lines.kept() as lines:
            try:
                outcome = {"value": plain(act(call))}
            except HybridSearchError as problem:
                shown = ["".join(traceback.format_exception(problem)), repr(problem)]
                outcome = {"error": [type(problem).__name__, str(problem)], "shown": shown}
        outcome["lines"] = lines
        outcome["inspect"] = repr(client(call))
        outcome["seconds"] = time.monotonic() - started
        outcomes.append(outcome)
    return outcomes


def run_ruby(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    command = ["ruby", "-w", "-I", str(REPOSITORY / "ruby/lib"), str(Path(__file__).with_name("clients.rb"))]
    environment = {**os.environ, "CLIENTS_SECRET": SECRET}
    told = subprocess.run(
        command, input=json.dumps(calls), capture_output=True, text=True, timeout=120, env=environment, check=False
    )
    assert told.returncode == 0, told.stderr
    assert [line for line in told.stderr.splitlines() if "ruby/lib/hybrid_search" in line] == []
    return json.loads(told.stdout)


@pytest.fixture(scope="module")
def outcomes(model_server) -> dict[str, dict[str, dict[str, Any]]]:
    """The outcome of each scenario, by language and name."""
    found = {}
    for language, run in zip(LANGUAGES, (run_python, run_ruby), strict=True):
        calls = []
        for scenario in SCENARIOS:
            url = model_server.tell(f"{scenario.name}-{language}", scenario.steps)
            calls.append(
                {
                    "name": scenario.name,
                    "kind": scenario.kind,
                    "url": url.replace("http://", f"{scenario.scheme}://"),
                    "options": scenario.options,
                    "key": scenario.key,
                    "texts": scenario.texts,
                    "query": QUERY,
                }
            )
        found[language] = {call["name"]: outcome for call, outcome in zip(calls, run(calls), strict=True)}
    return found


each = pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
in_both = pytest.mark.parametrize("language", LANGUAGES)


def without_language(value: Any, language: str) -> Any:
    return json.loads(json.dumps(value).replace(f"-{language}", ""))


@each
def test_both_languages_return_the_same_results(outcomes, scenario: Scenario):
    python, ruby = (
        without_language(
            {key: outcomes[language][scenario.name].get(key) for key in ("value", "error", "lines")}, language
        )
        for language in LANGUAGES
    )
    assert python == ruby


@each
@in_both
def test_the_server_received_the_expected_number_of_requests(outcomes, model_server, scenario: Scenario, language: str):
    assert outcomes[language][scenario.name]
    assert len(model_server.log(f"{scenario.name}-{language}")) == scenario.requests


@each
@in_both
def test_no_call_takes_longer_than_its_deadline(outcomes, scenario: Scenario, language: str):
    assert outcomes[language][scenario.name]["seconds"] < scenario.seconds


@pytest.mark.parametrize("scenario", BAD, ids=lambda scenario: scenario.name)
@in_both
def test_failures_are_reported(outcomes, scenario: Scenario, language: str):
    outcome = outcomes[language][scenario.name]
    if scenario.kind == "partial":  # fail open: the list as it was, with a warning
        entries, status, (warning,) = outcome["value"]
        assert status == "failed"
        assert [entry[:2] for entry in entries] == [[f"d{index}", 1] for index in range(len(scenario.texts))]
        assert scenario.error in warning
    else:
        name, message = outcome["error"]
        assert name == ("EmbeddingError" if scenario.kind == "embedder" else "RerankError")
        assert scenario.error in message


@pytest.mark.parametrize("scenario", GOOD, ids=lambda scenario: scenario.name)
def test_values_of_the_server_arrive_bit_for_bit(outcomes, scenario: Scenario):
    value = outcomes["python"][scenario.name]["value"]
    if scenario.kind in ("reranker", "tei"):
        assert value == plain(scores_of(QUERY, scenario.texts))
    elif scenario.kind == "many":
        assert value == [plain(scores_of(QUERY, scenario.texts))] * 8
    elif scenario.kind == "embedder" and scenario.options.get("encoding_format") != "base64":
        prefix = scenario.options.get("passage_prefix", "")
        assert value == plain(EMBEDDER.encode([prefix + text for text in scenario.texts]))
    elif scenario.kind == "partial":
        assert value[1:] == ["applied", []]


@in_both
def test_concurrent_requests_are_bounded(outcomes, model_server, language: str):
    assert outcomes[language]["eight_threads_two_places"]
    assert model_server.most(f"eight_threads_two_places-{language}") == 2


@in_both
def test_the_key_goes_to_the_server_and_nowhere_else(outcomes, model_server, language: str):
    seen = {name: model_server.log(f"{name}-{language}") for name in ("with_a_key", "with_a_key_in_its_own_header")}
    assert seen["with_a_key"][0]["authorization"] == f"Bearer {SECRET}"
    assert seen["with_a_key_in_its_own_header"][0]["authorization"] == SECRET
    pieces = {SECRET[start : start + 6] for start in range(len(SECRET) - 5)}
    everything = json.dumps(outcomes[language])
    assert [piece for piece in pieces if piece in everything] == []


@in_both
def test_requests_have_the_common_shape(outcomes, model_server, language: str):
    assert outcomes[language]["extra_fields"]
    (request,) = model_server.log(f"extra_fields-{language}")
    texts = next(scenario.texts for scenario in GOOD if scenario.name == "extra_fields")
    expected = {"model": "model", "query": QUERY, "documents": texts, "top_n": len(texts)}
    assert request["body"] == {**expected, "return_documents": False, "user": "é"}
    (request,) = model_server.log(f"embeddings_prefixed-{language}")
    expected = {"model": "model", "input": [f"passage: {text}" for text in texts], "encoding_format": "float"}
    assert request["body"] == expected

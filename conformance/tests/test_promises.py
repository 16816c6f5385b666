"""A store with fewer guarantees is checked for the guarantees that it does give."""

import dataclasses
import json
import socket
import struct
from pathlib import Path
from typing import Any

import pytest

from conformance.cases.fixtures import Case
from conformance.errors import BrokenError
from conformance.implementations import listing
from conformance.implementations.listing import PROMISES, Implementation
from conformance.judging.judge import judge
from conformance.judging.promises import comparable, judged
from conformance.judging.results import Result
from conformance.reports import summary, terminal
from conformance.reports.log import Log

NOTHING: frozenset[str] = frozenset()
ALL = frozenset(PROMISES)


def real(number: float) -> dict[str, str]:
    return {"bits": struct.pack(">d", number).hex(), "decimal": repr(number)}


def ranking(*pairs: tuple[str, float]) -> list[Any]:
    return [[name, real(score)] for name, score in pairs]


def status(operation: str, given: Any, expected: Any, got: Any, missing: frozenset[str] = ALL, **stages: Any) -> str:
    """Return the status of an answer; stages are pairs of expected and received values."""
    expect = {
        "value": expected,
        "trace": [{"stage": name.replace("_", " "), **one} for name, (one, _) in stages.items()],
    }
    answer = {
        "seq": 1,
        "value": got,
        "trace": [{"stage": name.replace("_", " "), **other} for name, (_, other) in stages.items()],
    }
    case = Case("a", operation, "b", "c", "d", "e", (), (), "must", "bits", {}, given, expect)
    return judge(*comparable(case, answer, missing)).status


BEST = ranking(("a", 2.0), ("b", 1.0))
OTHERS = ranking(("b", 7.0), ("a", 0.5))


@pytest.mark.parametrize("operation", ["doc_store.text_leg", "doc_store.bm25"])
def test_text_legs_are_compared_by_their_documents(operation: str) -> None:
    assert status(operation, {}, BEST, OTHERS) == "pass"
    assert status(operation, {}, BEST, OTHERS, NOTHING) == "fail"
    assert status(operation, {}, BEST, OTHERS, frozenset({"exact_dense"})) == "fail"
    assert status(operation, {}, BEST, OTHERS[:1]) == "fail"
    assert status(operation, {}, BEST, ranking(("a", 2.0), ("c", 1.0))) == "fail"


def test_truncated_text_legs_are_compared_by_their_length() -> None:
    cut, whole = {"text": {"topn": 2}}, {"text": {"topn": 3}}
    others = ranking(("a", 2.0), ("c", 1.0))
    assert status("doc_store.text_leg", cut, BEST, others) == "pass"
    assert status("doc_store.text_leg", cut, BEST, others[:1]) == "fail"
    assert status("doc_store.text_leg", whole, BEST, others) == "fail"


def test_dense_legs_are_compared_by_order_and_nearly_equal_cosines() -> None:
    near = ranking(("a", 2.0000005), ("b", 0.9999995))
    assert status("doc_store.dense_leg", {}, BEST, near) == "pass"
    assert status("doc_store.dense_leg", {}, BEST, near, frozenset({"exact_text"})) == "fail"
    assert status("doc_store.dense_leg", {}, BEST, ranking(("a", 2.000002), ("b", 1.0))) == "fail"
    assert status("doc_store.dense_leg", {}, BEST, near[::-1]) == "fail"
    assert status("doc_store.dense_leg", {}, BEST, [*near, *ranking(("c", 0.5))]) == "fail"


def found(*names: str, total: int = 2, score: float = 1.0) -> dict[str, Any]:
    shown = {"fields": {name: {"n": 1} for name in names}, "highlight": {}}
    return {"total": total, "ids": list(names), "scores": {name: real(score) for name in names}, "aggs": [], **shown}


def test_searches_with_a_text_leg_are_compared_by_the_documents_of_a_complete_page() -> None:
    text = {"match": [{"text": {}}, {"dense": {}}]}
    assert status("doc_store.search", text, found("a", "b"), found("b", "a", score=3.0)) == "pass"
    assert status("doc_store.search", text, found("a", "b"), found("b", "a", score=3.0), NOTHING) == "fail"
    assert status("doc_store.search", text, found("a", "b"), found("b", "c")) == "fail"
    assert status("doc_store.search", text, found("a", total=9), found("b", total=9)) == "pass"
    assert status("doc_store.search", text, found("a", total=9), found("b", total=8)) == "fail"
    assert status("doc_store.search", text, found("a", total=9), found("b", "c", total=9)) == "fail"


def test_searches_without_a_text_leg_are_compared_as_a_whole() -> None:
    dense: dict[str, Any] = {"match": [{"dense": {}}]}
    assert status("doc_store.search", dense, found("a", "b"), found("a", "b", score=1.0000005)) == "pass"
    assert status("doc_store.search", dense, found("a", "b"), found("a", "b", score=1.1)) == "fail"
    assert status("doc_store.search", dense, found("a", "b"), found("b", "a")) == "fail"
    assert status("doc_store.search", {}, found("a", "b"), found("b", "a")) == "fail"


def test_generations_are_compared_by_where_they_change() -> None:
    given = {"steps": [{"generation": None}, {"count": None}, {"generation": None}, {"generation": None}]}
    assert status("doc_store.documents", given, [0, 1, 1, 1], ["x.0", 1, "x.7", "x.7"]) == "pass"
    assert status("doc_store.documents", given, [0, 1, 1, 1], ["x.0", 1, "x.7", "x.8"]) == "fail"
    assert status("doc_store.documents", given, [0, 1, 1, 1], ["x.0", 2, "x.7", "x.7"]) == "fail"
    assert status("doc_store.documents", given, [0, 1, 1, 1], ["x.0", 1, "x.7", "x.7"], NOTHING) == "fail"
    assert status("doc_store.documents", given, [0, 1, 1, 1], ["x.0", 1, "x.7"]) == "fail"


def test_statistics_may_leave_unknown_figures_null() -> None:
    given = {"steps": [{"stats": None}]}
    told = {"documents": 2, "tokens": 5}
    assert status("doc_store.documents", given, [told], [{"documents": 2, "tokens": None}]) == "pass"
    assert status("doc_store.documents", given, [told], [{"documents": 2, "tokens": 4}]) == "fail"
    assert status("doc_store.documents", given, [told], [{"documents": None, "tokens": None}], NOTHING) == "fail"
    assert status("doc_store.documents", given, [told], [{"tokens": 5}]) == "fail"


def test_the_generation_in_statistics_and_health_may_be_the_stores_own() -> None:
    for method in ("stats", "health"):
        given = {"steps": [{method: None}]}
        assert (
            status("doc_store.documents", given, [{"a": 2, "generation": 5}], [{"a": 2, "generation": "x"}]) == "pass"
        )
        assert status("doc_store.documents", given, [{"a": 2, "generation": 5}], [{"a": 3, "generation": 5}]) == "fail"
        assert status("doc_store.documents", given, [{"a": 2, "generation": 5}], [{"a": 2}]) == "fail"


def test_the_recall_order_that_a_retriever_explains_may_be_the_stores_own() -> None:
    def page(rank: int, score: int, similarity: int) -> Any:
        return {"explain": {"chunks": [{"recall_rank": rank, "recall_score": score, "similarity": similarity}]}}

    assert status("retriever.retrieve", {}, page(1, 2, 3), page(7, 8, 3)) == "pass"
    assert status("retriever.retrieve", {}, page(1, 2, 3), page(7, 8, 3), NOTHING) == "fail"
    assert status("retriever.retrieve", {}, page(1, 2, 3), page(1, 2, 4)) == "fail"


def test_rankings_in_scripts_are_compared_by_their_legs() -> None:
    given = {"steps": [{"rank": [{"text": {}}]}, {"rank": [{"dense": {}}]}, {"rank": []}]}
    near = ranking(("a", 2.0000005), ("b", 1.0))
    assert status("doc_store.documents", given, [BEST, BEST, BEST], [OTHERS, near, BEST]) == "pass"
    assert status("doc_store.documents", given, [BEST, BEST, BEST], [OTHERS, OTHERS, BEST]) == "fail"
    assert status("doc_store.documents", given, [BEST, BEST, BEST], [OTHERS[:1], near, BEST]) == "fail"
    error = {"error": {"class": "InvalidInputError", "message": "no"}}
    assert status("doc_store.documents", {"steps": [{"rank": None}]}, [error], [error]) == "pass"
    assert status("doc_store.documents", {"steps": [{"rank": [{"text": {}}]}]}, [error], [BEST]) == "fail"


def test_stages_of_legs_are_compared_like_legs() -> None:
    def of(stage: str, got: Any, missing: frozenset[str] = ALL, **expected: Any) -> str:
        stages = {stage: (expected or {"value": BEST}, {"value": got})}
        return status("retriever.retrieve", {}, 1, 1, missing, **stages)

    near = ranking(("a", 2.0000005), ("b", 1.0))
    assert [of(stage, OTHERS) for stage in ("text_leg_rank", "fuse")] == ["pass", "pass"]
    assert [of(stage, OTHERS[:1]) for stage in ("text_leg_rank", "fuse")] == ["fail", "fail"]
    assert [of("dense_leg_rank", got) for got in (near, OTHERS)] == ["pass", "fail"]
    assert of("dense_leg_rank", near, NOTHING) == of("page", near) == "fail"
    assert of("fuse", BEST, sha256="0" * 64, size=1) == "pass"
    assert of("page", BEST, sha256="0" * 64, size=1) == "fail"


def test_a_missing_or_extra_stage_is_detected() -> None:
    case = Case("a", "retriever.retrieve", "b", "c", "d", "e", (), (), "must", "bits", {}, {}, {})
    stage = {"stage": "fuse", "value": BEST}
    for expected, got in (([stage], []), ([], [stage]), ([stage], [{"stage": "page", "value": BEST}])):
        asked = Case(**{**vars(case), "expect": {"value": 1, "trace": expected}})
        assert judge(*comparable(asked, {"seq": 1, "value": 1, "trace": got}, ALL)).status == "fail"


def test_errors_and_other_operations_are_compared_exactly() -> None:
    error = {"error": {"class": "InvalidInputError", "message": "no"}}
    case = Case(
        "a", "doc_store.text_leg", "b", "c", "d", "e", (), (), "must", "bits", {}, {}, {"value": BEST, "trace": []}
    )
    assert judge(*comparable(case, {"seq": 1, **error}, ALL)).status == "error"
    assert status("retriever.retrieve", {}, BEST, OTHERS) == "fail"


def test_scores_in_reverse_order_are_wrong_for_every_store() -> None:
    best = ranking(("a", 9.0), ("b", 4.0), ("c", 1.5), ("d", 0.5))
    upside_down = [[name, real(-0.5 * score)] for name, score in ((pair[0], number(pair)) for pair in best)][::-1]
    rising = [[name, real(-0.5 * number([name, score]))] for name, score in best]
    for operation in ("doc_store.text_leg", "doc_store.bm25"):
        assert status(operation, {}, best, upside_down) == "fail"
        assert status(operation, {}, best, rising) == "fail"
        assert status(operation, {"text": {"topn": 4}}, best, upside_down) == "fail"
        assert status(operation, {}, best, ranking(("b", 7.0), ("a", 3.0), ("d", 2.0), ("c", 1.0))) == "pass"
    search = {"match": [{"text": {}}]}
    right = found("a", "b", "c", "d", total=4)
    right["scores"] = dict(best)
    wrong = {**found("d", "c", "b", "a", total=4), "scores": dict(upside_down)}
    assert status("doc_store.search", search, right, wrong) == "fail"
    assert (
        status(
            "doc_store.search",
            search,
            right,
            {
                **right,
                "ids": ["b", "a", "c", "d"],
                "scores": {"b": real(9.0), "a": real(8.0), "c": real(2.0), "d": real(1.0)},
            },
        )
        == "pass"
    )


def number(pair: Any) -> float:
    value: float = struct.unpack(">d", bytes.fromhex(pair[1]["bits"]))[0]
    return value


def test_a_verdict_states_what_was_compared_less_strictly() -> None:
    case = Case("a", "doc_store.bm25", "b", "c", "d", "e", (), (), "must", "bits", {}, {}, {"value": BEST, "trace": []})
    store = Implementation("store", ("store",), Path(), 1.0, 1.0, without=ALL)
    strict = dataclasses.replace(store, without=NOTHING)
    answer = {"seq": 1, "value": OTHERS, "trace": []}
    assert judged(store, case, answer).looser == ("as sets only",)
    assert judged(store, case, {**answer, "value": BEST}).looser == ()
    assert judged(strict, case, answer).status == "fail"
    sets = Result("a", "doc_store", "doc_store.bm25", "store", "pass", counts=False, looser=("as sets only",))
    results = [sets, dataclasses.replace(sets, case="b", looser=())]
    told = Log(start={"implementations": ["store"]}, results=results, end={"exit": 0})
    assert summary.limits(told) == ["store: 2 pass, 1 as sets only"]
    assert "conformant[/] (store: 2 pass, 1 as sets only): " in terminal.verdict(told)


@pytest.mark.parametrize("url", ["", "/root", "http://127.0.0.1:9", "no url"])
def test_a_port_without_an_engine_has_the_scores_of_the_reference(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = {"command": ["port"], "without": ["exact_text"], **({"needs": "PORT_URL"} if url else {})}
    (tmp_path / "list.yml").write_text(json.dumps({"port": entry}))
    monkeypatch.setenv("PORT_URL", url)
    with pytest.raises(BrokenError, match="without"):
        listing.installed(listing.load(None, tmp_path / "list.yml"), named=False)


def test_an_engine_is_looked_for_at_its_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = {"command": ["port"], "without": ["exact_text"], "needs": "PORT_URL"}
    (tmp_path / "list.yml").write_text(json.dumps({"port": entry}))
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("PORT_URL", f"http://127.0.0.1:{server.getsockname()[1]}")
        assert listing.installed(listing.load(None, tmp_path / "list.yml"), named=False)[1] == []

"""Judges an answer against its fixture: status, first wrong stage, what differs (CNF-5, CNF-6, CNF-7)."""

from dataclasses import dataclass
from typing import Any

from conformance.cases import choices
from conformance.cases.fixtures import Case
from conformance.judging import compare, differences, paging, trace
from conformance.wire.child import INTERNAL
from conformance.wire.protocol import Message


@dataclass(frozen=True)
class Judgement:
    """What is wrong with an answer, if anything; of a right one, in which ways it was compared less strictly."""

    status: str
    stage: str | None = None
    message: str = ""
    details: tuple[str, ...] = ()
    ulp: int = 0
    looser: tuple[str, ...] = ()


def judge(case: Case, answer: Message, tolerance: int = 0) -> Judgement:
    """Compare an answer with the case's expectation; messages that list the choices of an option in their short form.

    Args:
        case: the case.
        answer: the implementation's answer, with its trace in full.
        tolerance: ULP allowed besides the case's compare class.
    """
    judgement = _judged(case, answer, tolerance)
    if judgement.status == "pass":
        return judgement
    short = choices.shortened(answer)
    return judgement if short == answer else _judged(case, short, tolerance)


def _judged(case: Case, answer: Message, tolerance: int) -> Judgement:
    if "unsupported" in answer:
        return Judgement("unsupported", message=f"does not support {answer['unsupported']}")
    if answer.get("error", {}).get("class", "").startswith(INTERNAL):
        error = answer["error"]
        return Judgement("error", trace.ERROR, f"{error['class'].removeprefix(INTERNAL)}: {error['message']}")
    stages = trace.first_wrong(case.expect["trace"], answer.get("trace", []), case.compare, tolerance)
    final = _final(case, answer, tolerance)
    ulp = max(stages.ulp, final.ulp)
    broken = paging.broken_laws(case.operation, answer["value"]) if "value" in answer else []
    if stages.stage is not None:
        details = _stage_details(case.expect["trace"], answer.get("trace", []), stages.place)
        also = "the value is right all the same" if final.status == "pass" else "so does the value"
        where = f"what it records differs at {stages.path}; " if stages.path else ""
        status = "error" if final.status == "error" else "fail"
        return Judgement(status, stages.stage, f"{where}{also}", (*details, *final.details), ulp)
    if broken and final.stage != trace.ERROR:
        also = f"; {final.message}" if final.message else ""
        return Judgement("fail", "page", f"{broken[0]}{also}", (*broken, *final.details), ulp)
    if final.status != "pass":
        return Judgement(final.status, final.stage, final.message, final.details, ulp)
    return Judgement("pass", ulp=ulp)


def _final(case: Case, answer: Message, tolerance: int) -> Judgement:
    expected = case.expect
    if "error" in expected and "error" in answer:
        if expected["error"] == answer["error"]:
            return Judgement("pass")
        details = tuple(differences.describe(expected["error"], answer["error"]))
        return Judgement("fail", trace.ERROR, "another error", details)
    if "error" in answer:
        error = answer["error"]
        return Judgement(
            "error", trace.ERROR, f"an error in the place of a value: {error['class']}: {error['message']}"
        )
    if "error" in expected:
        details = tuple(differences.describe(expected["error"], answer["value"]))
        return Judgement("fail", trace.ERROR, f"a value in the place of {expected['error']['class']}", details)
    verdict = compare.compare(expected["value"], answer["value"], case.compare, tolerance)
    if verdict.same:
        return Judgement("pass", ulp=verdict.ulp)
    details = tuple(differences.describe(expected["value"], answer["value"]))
    call = trace.wrong_call(case.input, verdict.path)
    if call is not None:
        return Judgement("fail", call, f"the value differs at {verdict.path}{verdict.apart}", details, verdict.ulp)
    stages = [stage["stage"] for stage in expected["trace"]]
    before = f"all stages before it are right ({', '.join(stages)}); " if stages else ""
    return Judgement(
        "fail", trace.VALUE, f"{before}the value differs at {verdict.path}{verdict.apart}", details, verdict.ulp
    )


def _stage_details(expected: list[dict[str, Any]], got: list[dict[str, Any]], place: int) -> list[str]:
    """What differs in one stage; of a stage kept as its SHA-256 only that it differs."""
    if place >= len(expected) or place >= len(got) or expected[place]["stage"] != got[place]["stage"]:
        names = [stage["stage"] for stage in expected]
        return [f"expected the stages {', '.join(names)}; got {', '.join(stage['stage'] for stage in got)}"]
    if "sha256" in expected[place]:
        return [f"[{expected[place]['stage']}] its SHA-256 differs ({expected[place]['size']} bytes of canonical JSON)"]
    lines = differences.describe(expected[place]["value"], got[place]["value"])
    return [f"[{expected[place]['stage']}] {line}" for line in lines]

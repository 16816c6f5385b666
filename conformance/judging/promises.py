"""What of an answer is compared where a store promises less than the reference's bits (DOC-8, CNF-10).

Expected and got are brought into forms that differ only where a promise is broken: of a text leg whose scores are the
engine's own, which documents it has found; cosines of floats of 32 bits snap to those of 64 that are near.
"""

import itertools
import json
import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.cases.fixtures import Case
from conformance.implementations.listing import PROMISES, Implementation
from conformance.judging.judge import Judgement, judge
from conformance.wire import values
from conformance.wire.protocol import Message

Value = Any
Pair = tuple[Value, Value]
"""What is expected, and what was got."""
Forms = Callable[[Value, Value], Pair]

EXACT_TEXT, EXACT_DENSE, COUNTED_CHANGES, COUNTED_TOKENS = PROMISES
WAYS = {
    EXACT_TEXT: "as sets only",
    EXACT_DENSE: "with cosines to 1e-6",
    COUNTED_CHANGES: "by where generations change",
    COUNTED_TOKENS: "without counts of tokens",
}
"""Promise → how answers are compared without it."""
CLEARLY = 2.0
"""How many times another a score is of which the order counts whatever the scale."""
MOST_COMPARED = 64
"""Documents of a ranking of which the order is looked at."""
LEAST_PAIRS = 3
"""With fewer pairs of clearly different scores their order says nothing."""
NEAR = 1e-6
"""How far a cosine of floats of 32 bits may be from that of 64."""
TEXT_RANKINGS = ("doc_store.text_leg", "doc_store.bm25")


def judged(implementation: Implementation, case: Case, answer: Message, tolerance: int = 0) -> Judgement:
    """Compare an answer with the case's expectation, as far as the implementation's store promises.

    Args:
        implementation: whose answer it is.
        case: the case.
        answer: the answer, with its trace in full.
        tolerance: ULP allowed besides the case's compare class.
    """
    missing = implementation.without
    judgement = judge(*comparable(case, answer, missing), tolerance)
    if not missing or judgement.status != "pass" or judge(case, answer, tolerance).status == "pass":
        return judgement
    relied = [one for one in sorted(missing) if judge(*comparable(case, answer, missing - {one})).status != "pass"]
    return replace(judgement, looser=tuple(_way(case, one) for one in relied or sorted(missing)))


def _way(case: Case, promise: str) -> str:
    """In which way a case is compared without a promise, for people."""
    if promise == EXACT_TEXT and case.operation == "retriever.retrieve":
        return "without the store's own order"
    return WAYS[promise]


def comparable(case: Case, answer: Message, missing: frozenset[str]) -> tuple[Case, Message]:
    """The case and the answer with nothing in them that is not promised.

    Args:
        case: the case.
        answer: the implementation's answer, with its trace in full.
        missing: which of `listing.PROMISES` its store does not keep.
    """
    if not missing or "value" not in answer or "value" not in case.expect:
        return case, answer
    expected, got = _values(case, answer["value"], missing)
    traces = [
        _stages(one, other, missing) for one, other in zip(case.expect["trace"], answer.get("trace", []), strict=False)
    ]
    longer = len(traces)
    trace = [one for one, _ in traces] + case.expect["trace"][longer:]
    got_trace = [other for _, other in traces] + answer.get("trace", [])[longer:]
    return (
        replace(case, expect={**case.expect, "value": expected, "trace": trace}),
        {**answer, "value": got, "trace": got_trace},
    )


def _values(case: Case, got: Value, missing: frozenset[str]) -> Pair:
    expected, given = case.expect["value"], case.input
    if case.operation in TEXT_RANKINGS and EXACT_TEXT in missing:
        return _found(expected, got, given.get("text", {}).get("topn"))
    if case.operation == "doc_store.dense_leg" and EXACT_DENSE in missing:
        return expected, _snapped(expected, got)
    if case.operation == "doc_store.search":
        return _searched(given.get("match", []), expected, got, missing)
    if case.operation == "doc_store.documents":
        return _answers(given["steps"], expected, got, missing)
    if case.operation == "retriever.retrieve" and EXACT_TEXT in missing:
        return _without_recall(expected), _without_recall(got)
    return expected, got


def _stages(expected: dict[str, Any], got: dict[str, Any], missing: frozenset[str]) -> tuple[Any, Any]:
    """One stage of both traces; of a ranking of which the digest alone is kept nothing can be told."""
    name = expected["stage"]
    forms = _ranking(name in ("text leg rank", "fuse"), missing)
    if name not in ("text leg rank", "dense leg rank", "fuse") or forms is None or got["stage"] != name:
        return expected, got
    if "sha256" in expected:
        return {"stage": name, "value": None}, {"stage": name, "value": None}
    one, other = forms(expected["value"], got["value"])
    return {"stage": name, "value": one}, {"stage": name, "value": other}


def _ranking(with_text: bool, missing: frozenset[str]) -> Forms | None:
    """How a ranking is compared; none: by its bits."""
    if with_text and EXACT_TEXT in missing:
        return _found
    return _near if EXACT_DENSE in missing else None


def _near(expected: Value, got: Value) -> Pair:
    return expected, _snapped(expected, got)


def _found(expected: Value, got: Value, most: Value = None) -> Pair:
    """Which documents two rankings have; where one was cut, how many; as they are if the best of them come last."""
    if not isinstance(expected, list) or not isinstance(got, list) or _is_reversed(expected, got):
        return expected, got
    if isinstance(most, int) and len(expected) >= most:
        return len(expected), len(got)
    return _sorted([pair[0] for pair in expected]), _sorted([pair[0] for pair in got])


def _is_reversed(expected: list[Value], got: list[Value]) -> bool:
    """Whether a ranking is upside down: its scores rise, or most pairs of clearly different scores are the other way.

    Args:
        expected: pairs of an id and a score.
        got: the same of a store with scores of its own.
    """
    own = [_number(score) for _, score in got]
    if any(before < after for before, after in itertools.pairwise(own)):
        return True
    places = {values.canonical(identifier): place for place, (identifier, _) in enumerate(got)}
    shared = [(places[key], _number(score)) for one, score in expected if (key := values.canonical(one)) in places]
    clear = [
        here < there
        for (here, high), (there, low) in itertools.combinations(shared[:MOST_COMPARED], 2)
        if high > CLEARLY * max(low, 0.0)
    ]
    return len(clear) >= LEAST_PAIRS and 2 * sum(clear) < len(clear)


def _searched(match: Value, expected: Value, got: Value, missing: frozenset[str]) -> Pair:
    """Two results of searches: where a text leg has put documents into its own order, all of a page that holds all."""
    kinds = _kinds(match)
    if not isinstance(expected, dict) or not isinstance(got, dict) or not {"ids", "scores"} <= expected.keys():
        return expected, got
    if "text" not in kinds or EXACT_TEXT not in missing:
        return _near(expected, got) if EXACT_DENSE in missing else (expected, got)
    if _is_reversed(_ranked(expected), _ranked(got)):
        return expected, got
    return _page(expected), _page(got)


def _ranked(result: Value) -> list[Value]:
    return [[identifier, result["scores"][identifier]] for identifier in result["ids"]]


def _kinds(match: Value) -> set[str]:
    """Of which kinds match expressions are, where they are any."""
    return {next(iter(item)) for item in match if isinstance(item, dict) and item} if isinstance(match, list) else set()


def _page(result: Value) -> Value:
    others = {key: value for key, value in result.items() if key not in ("ids", "scores", "fields", "highlight")}
    if len(result["ids"]) < result["total"]:
        return {**others, "shown": len(result["ids"])}
    shown = {key: result[key] for key in ("fields", "highlight") if key in result}
    return {**others, **shown, "ids": _sorted(result["ids"])}


def _without_recall(page: Value) -> Value:
    """What a retriever shows, without what it explains of the store's own order."""
    if not isinstance(page, dict) or not isinstance(page.get("explain"), dict):
        return page
    chunks = [
        {key: value for key, value in chunk.items() if key not in ("recall_rank", "recall_score")}
        for chunk in page["explain"].get("chunks", [])
    ]
    return {**page, "explain": {**page["explain"], "chunks": chunks}}


def _answers(steps: Value, expected: Value, got: Value, missing: frozenset[str]) -> Pair:
    """What each step of a script has answered."""
    if not isinstance(got, list) or not len(steps) == len(expected) == len(got):
        return expected, got
    pairs = []
    for step, one, other in zip(steps, expected, got, strict=True):
        method, argument = next(iter(step.items()))
        if method == "rank":
            with_text = "text" in _kinds(argument)
            forms = _ranking(with_text, missing)
            pairs.append((one, other) if forms is None else forms(one, other))
        elif method in ("stats", "health") and isinstance(one, dict) and isinstance(other, dict):
            pairs.append((one, _told(one, other, missing)))
        else:
            pairs.append((one, other))
    if COUNTED_CHANGES in missing:
        places = [place for place, step in enumerate(steps) if "generation" in step]
        for place, told in zip(places, zip(*_changes(pairs, places), strict=True), strict=True):
            pairs[place] = told
    return [one for one, _ in pairs], [other for _, other in pairs]


def _told(expected: Value, got: Value, missing: frozenset[str]) -> Value:
    """What was told of a store, with what was expected where it is not comparable."""
    silent = {key for key, value in got.items() if value is None} if COUNTED_TOKENS in missing else set()
    if COUNTED_CHANGES in missing:
        silent.add("generation")
    return {key: expected[key] if key in silent and key in expected else value for key, value in got.items()}


def _changes(pairs: list[Pair], places: list[int]) -> tuple[list[int], list[int]]:
    """Generations by when each was told first, which says where something has changed."""
    firsts: list[list[int]] = []
    for side in (0, 1):
        told = [values.canonical(pairs[place][side]) for place in places]
        firsts.append([told.index(generation) for generation in told])
    return firsts[0], firsts[1]


def _snapped(expected: Value, got: Value) -> Value:
    """What was got, with what was expected in the place of each float that is near it."""
    if values.is_float(expected) and values.is_float(got):
        return expected if abs(_number(expected) - _number(got)) <= NEAR else got
    if isinstance(expected, list) and isinstance(got, list):
        near = [_snapped(one, other) for one, other in zip(expected, got, strict=False)]
        return near + got[len(near) :]
    if isinstance(expected, dict) and isinstance(got, dict):
        return {key: _snapped(expected[key], value) if key in expected else value for key, value in got.items()}
    return got


def _number(encoded: Value) -> float:
    number: float = struct.unpack(">d", bytes.fromhex(encoded["bits"]))[0]
    return number


def _sorted(identifiers: list[Value]) -> list[Value]:
    return sorted(identifiers, key=json.dumps)

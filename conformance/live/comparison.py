"""Compares what the reference and a port said about a collection, and fetches the stages that differ."""

import json
import shlex
from typing import Any

from conformance.judging import compare, differences
from conformance.judging.results import Result
from conformance.live.folders import Folder
from conformance.live.session import FAILURES, Answers, Session
from conformance.wire.protocol import Message

INTERNAL = "internal:"
MOST_EXPLAINED = 10
"""Of so many differing queries a collection the wrong stage is fetched in full; of the rest it is only named."""


class Comparison:
    """The comparison of one port with the reference over one collection."""

    def __init__(self, data: str, folder: Folder, reference: Session, port: Session) -> None:
        self.data = data
        self.folder = folder
        self.reference = reference
        self.port = port
        self.explained = 0

    def documents(self) -> Result:
        """Whether both stored the same documents."""
        expected, got = self.reference.answers.loaded, self.port.answers.loaded
        seconds = self.port.answers.load_seconds
        if _error(got) or _error(expected):
            who = "port" if _error(got) else "reference"
            message = _error(got) or _error(expected) or ""
            return self._result("documents", "", "error", seconds, "error", f"the {who} could not load it: {message}")
        if expected["value"] == got["value"]:
            return self._result("documents", "", "pass", seconds)
        return self._result("documents", "", "fail", seconds, "tokenise", *self._first_document(expected, got))

    def query(self, place: int, query_id: str) -> Result:
        """Whether both answered a query alike, and whether its pages obey the laws."""
        expected, got = self.reference.answers.by_query[place], self.port.answers.by_query[place]
        seconds = self.port.answers.query_seconds[place]
        name = f"query {query_id}"
        for who, answer in (("the reference", expected), ("the port", got)):
            if isinstance(answer, tuple):
                return self._result(name, query_id, answer[0], seconds, None, f"{who}: {answer[1]}")
        assert not isinstance(expected, tuple)
        assert not isinstance(got, tuple)
        for who, one in (("the reference", expected), ("the port", got)):
            error = _error(one)
            if error and (one.get("error", {}).get("class", "").startswith(INTERNAL) or one.keys() != expected.keys()):
                return self._result(name, query_id, "error", seconds, "error", f"{who}: {error}")
        if "error" in expected or "error" in got:
            same = expected.get("error") == got.get("error")
            told = f"expected {_error(expected) or 'a value'}, got {_error(got) or 'a value'}"
            return self._result(
                name, query_id, "pass" if same else "fail", seconds, None if same else "error", "" if same else told
            )
        if expected["value"]["stages"] != got["value"]["stages"]:
            return self._wrong_stage(name, query_id, place, seconds, expected["value"], got["value"])
        broken = [law for law in map(_broken_law, got["value"]["walks"]) if law]
        if broken or expected["value"]["walks"] != got["value"]["walks"]:
            message = broken[0] if broken else "the walks over all pages showed other numbers"
            return self._result(name, query_id, "fail", seconds, "page", message)
        return self._result(name, query_id, "pass", seconds)

    def _wrong_stage(self, name: str, query_id: str, place: int, seconds: float, expected: Any, got: Any) -> Result:
        stage = next(
            (one[0] for one, other in zip(expected["stages"], got["stages"], strict=False) if one != other),
            "the number of stages",
        )
        self.explained += 1
        if self.explained > MOST_EXPLAINED:
            return self._result(name, query_id, "fail", seconds, stage, "differs")
        try:
            given = {"query": place, "stage": stage}
            one, other = (session.ask("collection.stage", given) for session in (self.reference, self.port))
        except FAILURES as problem:
            return self._result(name, query_id, "fail", seconds, stage, f"differs; fetching it failed: {problem}")
        verdict = compare.compare(one.get("value"), other.get("value"))
        if verdict.same:
            return self._result(name, query_id, "unstable", seconds, stage, "differs, but not when asked again")
        details = differences.describe(one.get("value"), other.get("value"))
        return self._result(name, query_id, "fail", seconds, stage, f"differs at {verdict.path}", details, verdict.ulp)

    def _first_document(self, expected: Message, got: Message) -> tuple[str, list[str]]:
        if {**expected["value"], "digest": ""} != {**got["value"], "digest": ""}:
            return "other counts", differences.describe(expected["value"], got["value"])
        try:
            one, other = (session.ask("collection.documents", None)["value"] for session in (self.reference, self.port))
            place = next(index for index, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1])
            identifier = _identifiers(self.folder)[place]
            given = {"id": identifier}
            first, second = (
                session.ask("collection.document", given)["value"] for session in (self.reference, self.port)
            )
        except (*FAILURES, StopIteration, KeyError) as problem:
            return f"the stored documents differ; fetching them failed: {problem}", []
        count = sum(a != b for a, b in zip(one, other, strict=True))
        return f"{count} stored documents differ, first {identifier}", differences.describe(first, second)

    def _result(
        self,
        name: str,
        query_id: str,
        status: str,
        seconds: float,
        stage: str | None = None,
        message: str = "",
        details: list[str] | None = None,
        ulp: int = 0,
    ) -> Result:
        only = f" --query {shlex.quote(query_id)}" if query_id else ""
        port = self.port.child.implementation.name
        return Result(
            case=f"{self.folder.name}: {name}",
            module=self.folder.name,
            operation="collection.query" if query_id else "collection.load",
            implementation=port,
            status=status,
            counts=status != "pass",
            stage=stage,
            message=message,
            details=tuple(details or ()),
            ulp=ulp,
            seconds=seconds,
            again=f"python -m conformance --data {shlex.quote(self.data)} --collection {self.folder.name}{only}"
            f" --implementation {port}",
        )


def _broken_law(walk: dict[str, int]) -> str | None:
    size = f"page size {walk['page_size']}"
    if walk["shown"] != walk["distinct"]:
        return f"{size}: {walk['shown'] - walk['distinct']} entries are shown more than once"
    if walk["shown"] != walk["passing"]:
        return f"{size}: {walk['passing']} candidates pass, {walk['shown']} are shown"
    return None


def _error(answer: Message) -> str:
    if "unsupported" in answer:
        return f"does not support {answer['unsupported']}"
    error = answer.get("error")
    return f"{error['class'].removeprefix(INTERNAL)}: {error['message']}" if error else ""


def _identifiers(folder: Folder) -> list[str]:
    lines = (folder.path / "corpus.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line)["_id"] for line in lines if line.strip()]


def medians(answers: Answers) -> tuple[float, float]:
    """The median and the 95th percentile of the seconds a query took."""
    ordered = sorted(answers.query_seconds.values())
    if not ordered:
        return 0.0, 0.0
    return ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, len(ordered) * 95 // 100)]

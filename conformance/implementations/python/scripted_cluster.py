"""A case as the nodes of an OpenSearch cluster (OS-1 … OS-5): what they answer, and the requests that they get.

The `replies` of a case are `[status, body]` one after the other, the last again and again, by the end of a path; where
several ends fit, the first counts. Those of `base` come after them, and only where `replies` has not the same end. In
the place of a status, `lost` is no answer; the body is then what a `TransportError` tells. The body `each` answers for
each document of a request, `{raw: text}` is a text as it is, and `{found: [start, end]}` a page of many hits. With
`takes`, every request takes that many seconds, and its timeout is noted with it.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from typing import Any

from hybrid_search.client.timing import Timing
from hybrid_search.doc_store_adapter.opensearch.opensearch_transport import Answer, TransportError

Reply = Sequence[Any]
ACTIONS = ("create", "index", "delete")
EACH = "each"
LOST = "lost"
RAW = "raw"
FOUND = "found"
MOST_LINES = 40
LONGEST_LINE = 30_000


class Cluster:
    """Notes requests, and answers them from the case.

    Args:
        given: the input of the case.

    Attributes:
        timing: one whose pauses take no time, and in which no other time passes than that of requests.
    """

    def __init__(self, given: dict[str, Any]) -> None:
        replies = {**given["replies"], **given.get("base", {}), **given["replies"]}
        self._replies: dict[str, list[Reply]] = {end: list(found) for end, found in replies.items()}
        self._takes: float | None = given.get("takes")
        self._asked: list[Any] = []
        self._clock = 0.0
        self.timing = Timing(clock=lambda: self._clock, now=lambda: 1.5, sleep=self._pass, chance=lambda: 0.0)

    def request(self, method: str, path: str, body: str | None, timeout: float) -> Answer:
        """See `Transport`."""
        lines = [line for line in (body or "").split("\n") if line]
        if path != "/" or path in self._replies:  # by itself, a node does not state its version
            timed = [] if self._takes is None else [timeout]
            self._asked.append([method, path, *timed, *noted(lines)])
            self._pass(self._takes or 0.0)
        given = next((self._replies[end] for end in self._replies if path.split("?")[0].endswith(end)), None)
        if given is None:
            return Answer(400, json.dumps({"error": f"nothing answers {path}"}))
        status, value = given.pop(0) if len(given) > 1 else given[0]
        if status == LOST:
            raise TransportError(**value)
        if isinstance(value, dict) and RAW in value:
            return Answer(int(status), value[RAW])
        return Answer(int(status), json.dumps(_body(value, path, lines)))

    def taken(self) -> list[Any]:
        """The requests since the last call."""
        taken, self._asked = self._asked, []
        return taken

    def _pass(self, seconds: float) -> None:
        self._clock += seconds


def _body(value: Any, path: str, lines: Sequence[str]) -> Any:
    if value == EACH:
        return _each(path, lines)
    return _page(*value[FOUND]) if isinstance(value, dict) and list(value) == [FOUND] else value


def _page(start: int, end: int, whole: bool = False) -> dict[str, Any]:
    """A complete page of hits with descending scores and ascending ids, with the documents if it is `whole`."""
    hits = []
    for place in range(start, end):
        one = f"d{place:05}"
        body = {"_source": {"id": one, "body": f'{{"fields": {{"id": "{one}"}}, "vectors": {{}}}}'}} if whole else {}
        hits.append({"_id": one, "sort": [float(100_000 - place), one], **body})
    shards = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
    return {"timed_out": False, "_shards": shards, "hits": {"hits": hits}}


def _each(path: str, lines: Sequence[str]) -> dict[str, Any]:
    """What a server answers that has none of the documents, and takes all of them."""
    if path.endswith("/_mget"):
        return {"docs": [{"_id": one["_id"], "found": False} for one in json.loads(lines[0])["docs"]]}
    actions = [next(iter(json.loads(line))) for line in lines]
    return {"items": [{one: {"status": 200}} for one in actions if one in ACTIONS]}


def noted(lines: Sequence[str]) -> list[Any]:
    """The lines of a request as a case shows them."""
    if len(lines) > MOST_LINES:
        return [*noted(lines[:2]), {"lines": len(lines)}, *noted(lines[-2:])]
    return [_read(line) if len(line) <= LONGEST_LINE else digest(line) for line in lines]


def digest(line: str) -> dict[str, Any]:
    """What stands for a long line."""
    return {"characters": len(line), "sha256": hashlib.sha256(line.encode("utf-8")).hexdigest()}


def _read(line: str) -> Any:
    """The value of a line; JSON within it is read too, as languages write some floats in other ways."""
    value = json.loads(line)
    if isinstance(value, dict) and isinstance(value.get("body"), str):
        value["body"] = json.loads(value["body"])
    if isinstance(value, dict) and isinstance(value.get("ranked"), str):
        told, _, vectors = base64.b64decode(value["ranked"], validate=True).partition(b"\n")
        value["ranked"] = [json.loads(told), vectors.hex()]
    return value

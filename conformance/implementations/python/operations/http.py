"""Operations of the HTTP service without a server (CUR-6): requests in, answers out."""

import json
from typing import Any, NoReturn

from conformance.implementations.python import log_lines, stores
from conformance.implementations.python.registry import Trace, operation
from hybrid_search import errors
from hybrid_search.embedding.hashing import HashingEmbedder
from hybrid_search.errors import HybridSearchError
from hybrid_search.index import Index
from hybrid_search.search.ranking_cache import RankingCache
from hybrid_search.server.http_message import HttpHead, ServerResponse
from hybrid_search.server.http_settings import LIMITS, HttpSettings
from hybrid_search.server.server_exchange import HttpApi

SERVICE = {
    "token": None,
    "read_only": False,
    "access_log": None,
    "log_queries": False,
    **LIMITS,
    "allowed_hosts": None,
    "allow_anonymous_writes": False,
}
UNTOLD = ("content-length", "x-request-id")
TIMED = "_duration_seconds"
"""In the lines of metrics whose numbers a clock decides, but for those of all requests."""
OF_ALL = ("_count{", 'le="+Inf"', "#")


@operation("http.answers", {"dimension": None, "index": {}, "service": {}, "documents": []})
def answers(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The answer to each request of `requests`: its status, its headers but for those that differ, and its text."""
    api = _api(params)
    told: list[dict[str, Any]] = []
    for request in given["requests"]:
        told.append(_answer(api, *message(request, told)))
    return told


@operation("http.service", {"dimension": None, "index": {}, "service": {}, "documents": [], "broken": False, "full": 0})
def service(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The same with the length of each answer, and what is logged of it but for times and ids that the service makes.

    A request may come from `remote` through a `root`, its client may have `left`, or its body be `refused` with a code.
    A service that is `broken` has no index to ask, or one that fails with an error of a class. Its log can be `full`
    for a number of lines; then each answer has the lines of the library's own log.
    """
    log = _Log(params["full"])
    api = _api({**params, "service": {"access_log": log, **params["service"]}})
    told: list[dict[str, Any]] = []
    shown: list[dict[str, Any]] = []
    for request in given["requests"]:
        with log_lines.kept() as warnings:
            told.append(_served(api, request, *message(request, told)))
        line = log.taken()
        logged = {"logged": _logged(line, given) if line else None}
        shown.append({**told[-1], **logged, **({"log_warnings": list(warnings)} if params["full"] else {})})
    return shown


class _Log:
    """A log that shows only what was flushed.

    Args:
        full: the number of lines at the beginning that are refused.
    """

    def __init__(self, full: int) -> None:
        self._full = full
        self._waiting = ""
        self._shown = ""

    def taken(self) -> str:
        """Return what was flushed since the last call."""
        taken, self._shown = self._shown, ""
        return taken

    def write(self, line: str) -> None:
        """Store a line until it is flushed.

        Raises:
            DocStoreError: the log is full.
        """
        if self._full:
            self._full -= 1
            raise errors.DocStoreError("no room")
        self._waiting += line

    def flush(self) -> None:
        """Add the stored lines to the flushed ones."""
        self._shown, self._waiting = self._shown + self._waiting, ""


class _FailingIndex:
    """An index of which every call fails.

    Args:
        name: the class of the error.
    """

    def __init__(self, name: str) -> None:
        self._error: type[HybridSearchError] = getattr(errors, name)

    def _fail(self, *_arguments: Any, **_options: Any) -> NoReturn:
        raise self._error("not today")

    search = get = add = upsert = delete = count = _fail


def _api(params: dict[str, Any]) -> HttpApi:
    embedding = None if params["dimension"] is None else HashingEmbedder(dimension=params["dimension"])
    index = Index(embedding=embedding, ranking_cache=RankingCache(), **stores.of_index(), **params["index"])
    index.add(params["documents"])
    broken = params.get("broken")
    asked: Any = (_FailingIndex(broken) if isinstance(broken, str) else None) if broken else index
    return HttpApi(asked, HttpSettings(**{**SERVICE, **params["service"]}))


def _served(
    api: HttpApi, request: dict[str, Any], method: str, path: str, headers: dict[str, str], body: bytes
) -> dict[str, Any]:
    exchange = api.exchange(head(method, path, headers, request.get("root", ""), request.get("remote", "")))
    if request.get("left"):
        exchange.abandon()
        return {"left": True}
    if "refused" in request:
        return _shown(exchange.refuse(request["refused"]), path, headers)
    answer = exchange.answer(b"" if exchange.body_limit is None else body)
    length = answer.headers["content-length"]
    if path != "/metrics":
        return {"limit": exchange.body_limit, "length": length, **_shown(answer, path, headers)}
    return {"length": length == str(len(answer.body)), **_shown(answer, path, headers)}


def _logged(line: str, given: Any) -> dict[str, Any]:
    entry: dict[str, Any] = json.loads(line)
    kept = [request.get("headers", {}).get("x-request-id") for request in given["requests"]]
    if entry["request_id"] not in kept:
        entry["request_id"] = len(entry["request_id"])
    entry["time"] = len(entry["time"])
    entry["milliseconds"] = isinstance(entry["milliseconds"], float)
    if entry["path"] == "/metrics":
        del entry["bytes"]
    return entry


def head(method: str, target: str, headers: dict[str, str], root: str = "", remote: str = "") -> HttpHead:
    """The head of a request for a path, which may have a query string."""
    path, _, query = target.partition("?")
    return HttpHead(method, path, headers, root, remote, query.encode("utf-8").decode("latin-1"))


def message(request: dict[str, Any], told: list[dict[str, Any]]) -> tuple[str, str, dict[str, str], bytes]:
    """Method, path, headers and body of a request as cases write it.

    A body is `json` (a value; `next_of` puts the cursor in that the answer of that number has told, into the query
    string where there is no body), `text`, `hex`, or
    `filled` (a text, what is repeated, how often, a text). It has its length and its media type unless `headers` say
    otherwise; a header that is null is left out.
    """
    body = _body(request, told)
    method = request.get("method", "GET" if body is None else "POST")
    path = request["path"]
    if body is None and "next_of" in request:
        path += f"&cursor={_cursor(request, told) or ''}"
    headers: dict[str, Any] = {}
    if body is not None:
        headers = {"content-type": "application/json", "content-length": str(len(body))}
    headers |= request.get("headers", {})
    kept = {name: value for name, value in headers.items() if value is not None}
    return method, path, kept, body or b""


def _cursor(request: dict[str, Any], told: list[dict[str, Any]]) -> Any:
    return json.loads(told[request["next_of"]]["body"]).get("next_cursor")


def _body(request: dict[str, Any], told: list[dict[str, Any]]) -> bytes | None:
    if "json" in request:
        value = dict(request["json"])
        if "next_of" in request:
            value["cursor"] = _cursor(request, told)
        return json.dumps(value, ensure_ascii=False).encode("utf-8")
    if "filled" in request:
        first, repeated, count, last = request["filled"]
        return str(first + repeated * count + last).encode("utf-8")
    if "hex" in request:
        return bytes.fromhex(request["hex"])
    return str(request["text"]).encode("utf-8") if "text" in request else None


def _answer(api: HttpApi, method: str, path: str, headers: dict[str, str], body: bytes) -> dict[str, Any]:
    exchange = api.exchange(head(method, path, headers))
    return _shown(exchange.answer(b"" if exchange.body_limit is None else body), path, headers)


def _shown(answer: ServerResponse, path: str, headers: dict[str, str]) -> dict[str, Any]:
    shown = {name: value for name, value in answer.headers.items() if name not in UNTOLD}
    if "x-request-id" in headers:
        shown["kept_id"] = str(answer.headers["x-request-id"] == headers["x-request-id"])
    lines = answer.body.decode("utf-8").splitlines(keepends=True)
    told = "".join(map(_without_time, lines) if path == "/metrics" else lines)
    return {"status": answer.status, "headers": shown, "body": told}


def _without_time(line: str) -> str:
    is_timed = TIMED in line and not any(one in line for one in OF_ALL)
    return line.rpartition(" ")[0] + "\n" if is_timed else line

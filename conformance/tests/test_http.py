"""Both HTTP services under their real servers, over real sockets (CUR-6)."""

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from conformance.cases import choices
from conformance.generators import http_tables, written
from conformance.http import servers
from conformance.http.servers import LANGUAGES, Server, serving
from conformance.implementations.python import codec
from conformance.implementations.python.operations import http as operations
from conformance.paths import ROOT

pytestmark = pytest.mark.programs

CASES = {
    case["id"]: case
    for theme in ("requests", "addresses", "pages")
    for case in map(json.loads, (ROOT / f"fixtures/http/answers.{theme}.jsonl").read_bytes().splitlines())
}
SECRET = "a-token"
GUARDED = {"Authorization": f"Bearer {SECRET}"}
WORDS = ("red wine", "red car", "blue bus", "红酒 和 汽车", "green door", "red bus and wine")
DOCUMENTS = [{"id": str(one), "content": f"{WORDS[one % 6]} {one}", "metadata": {"n": one}} for one in range(60)]
WRITING = {"allow_anonymous_writes": True}
LONGEST_WAIT = 30.0


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Server]]:
    """Both servers, each with the services of all cases mounted, and three more."""
    with ExitStack() as stack:
        found = {}
        for language in LANGUAGES:
            if servers.missing(language):
                continue
            logs = tmp_path_factory.mktemp(language)
            told = [{"at": f"/{name}", **codec.decode(case["params"])} for name, case in CASES.items()]
            told.append({"at": "/walk", "documents": DOCUMENTS, "dimension": 16, "log": str(logs / "walk")})
            told.append(
                {"at": "/guarded", "service": {"token": SECRET, "log_queries": True}, "log": str(logs / "told")}
            )
            told.append({"at": "/small", "documents": DOCUMENTS[:3], "service": {"max_query_bytes": 100}})
            for one in told:
                one.setdefault("index", {"min_score": 0.0})
            found[language] = stack.enter_context(serving(language, *told))
        yield found


@pytest.fixture
def both(started: dict[str, Server]) -> tuple[Server, Server]:
    for language in LANGUAGES:
        if language not in started:
            pytest.skip(servers.missing(language))
    return started["python"], started["ruby"]


@pytest.fixture(params=LANGUAGES)
def server(request: pytest.FixtureRequest, started: dict[str, Server]) -> Server:
    if request.param not in started:
        pytest.skip(servers.missing(request.param))
    return started[request.param]


CHUNKED = (
    b"POST /walk/v1/search HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
)


def raw(server: Server, data: bytes, *, ends: bool = False) -> bytes:
    """Return the response of a server to bytes, until it closes the connection.

    Args:
        server: the server.
        data: the bytes to send.
        ends: whether these are the last bytes.
    """
    with socket.create_connection(server.place, LONGEST_WAIT) as connection:
        connection.sendall(data)
        parts = []
        try:
            if ends:
                connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(65_536):
                parts.append(part)
        except OSError:
            pass
    return b"".join(parts)


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_server_responds_as_the_cases_expect(server: Server, name: str) -> None:
    expected = codec.decode(CASES[name]["expect"]["value"])
    told: list[dict[str, Any]] = []
    for request, answer in zip(codec.decode(CASES[name]["input"])["requests"], expected, strict=True):
        method, path, headers, body = operations.message(request, told)
        sent = body if "content-length" in headers else None
        if "length" in answer["body"] and answer["status"] == 411:
            lines = [
                f"{method} /{name}{path} HTTP/1.1",
                "Host: x",
                "Content-Type: application/json",
                "Connection: close",
            ]
            reply = raw(server, "\r\n".join([*lines, "", ""]).encode())
            assert reply.startswith(b"HTTP/1.1 411 ")
            assert reply.endswith(answer["body"].encode())
            told.append(answer)
            continue
        headers.pop("content-length", None)
        got = server.ask(method, f"/{name}{path}", sent, headers)
        told.append({"body": got.body.decode("utf-8")})
        assert (got.status, choices.shortened(got.body.decode("utf-8"))) == (answer["status"], answer["body"])
        kept = {key: value for key, value in answer["headers"].items() if key != "kept_id"}
        assert {key: got.headers[key] for key in kept} == kept


def test_a_walk_continues_at_the_other_server(both: tuple[Server, Server]) -> None:
    whole = both[0].post("/walk/v1/search", {"question": "red wine", "limit": 1000}).data["hits"]
    assert len(whole) > 20
    for limit in (1, 3, 10):
        shown: list[Any] = []
        cursor, turns = None, 0
        while turns == 0 or cursor:
            body = {"question": "red wine", "limit": limit, "cursor": cursor}
            page = both[turns % 2].post("/walk/v1/search", body).data
            assert page == both[1 - turns % 2].post("/walk/v1/search", body).data
            shown += page["hits"]
            cursor, turns = page["next_cursor"], turns + 1
        assert shown == whole
    forged = cursor_of(both[0])[:-3] + "AAA"
    refused = [one.post("/walk/v1/search", {"question": "red wine", "cursor": forged}) for one in both]
    assert {one.status for one in refused} == {400}
    assert refused[0].body == refused[1].body


def cursor_of(server: Server) -> str:
    return str(server.post("/walk/v1/search", {"question": "red wine", "limit": 1}).data["next_cursor"])


@pytest.mark.parametrize("path", ["/", "/search_page.css", "/search_page.js", "/openapi.json"])
def test_both_servers_return_the_same_files(both: tuple[Server, Server], path: str) -> None:
    python, ruby = (one.ask("GET", f"/walk{path}") for one in both)
    assert python.body == ruby.body
    ours = {name: python.headers[name] for name in python.headers if name not in ("date", "x-request-id")}
    assert ours == {name: ruby.headers[name] for name in ours}
    assert python.headers["x-content-type-options"] == "nosniff"
    if path == "/":
        assert b'data-root="/walk"' in python.body
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in python.headers["content-security-policy"]
        assert "unsafe" not in python.headers["content-security-policy"]


def chunked(path: str, body: bytes) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
    parts = [body[start : start + 20] for start in range(0, len(body), 20)]
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in [*parts, b""])
    return head.encode() + b"Connection: close\r\n\r\n" + chunks


def test_bodies_may_be_chunked(server: Server) -> None:
    found = raw(server, chunked("/small/v1/search", b'{"question": "red wine", "limit": 1}'))
    assert found.startswith(b"HTTP/1.1 200 ")
    assert b'"hits":[{"id":"0"' in found
    long = raw(server, chunked("/small/v1/search", b'{"question": "%b"}' % (b"x" * 5000)))
    assert long.startswith(b"HTTP/1.1 413 ")
    assert b'"body must have at most 100 bytes"' in long


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 50 + b"\r\n\r\n",
        b"NONSENSE\r\n\r\n",
        b"GET /walk/v1/health HTTP/1.1\r\nHost: x\r\nbroken header\r\n\r\n",
        b"POST /walk/v1/search HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n",
        b"POST /walk/v1/search HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"GET /walk/v1/health HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 200_000 + b"\r\nConnection: close\r\n\r\n",
        b"GET " + b"/a" * 60_000 + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        b"CONNECT x:80 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        b"GET mailto:a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        CHUNKED + b"zz\r\nx\r\n0\r\n\r\n",
        CHUNKED + b"ffffffffffffffffff\r\nx\r\n",
    ],
    ids=[
        "tls",
        "nonsense",
        "header",
        "length",
        "negative",
        "huge header",
        "huge path",
        "connect",
        "scheme",
        "chunk",
        "huge chunk",
    ],
)
def test_a_request_that_is_not_http_is_refused_without_a_stack_trace(server: Server, data: bytes) -> None:
    answer = raw(server, data, ends=True)
    assert answer == b"" or re.match(rb"HTTP/1\.1 4\d\d ", answer)
    assert not re.search(rb"Traceback|\.py\b|\.rb\b|backtrace", answer)
    assert server.ask("GET", "/walk/v1/health").data == {"status": "ok"}


def test_a_connection_stays_usable_after_a_refusal(server: Server) -> None:
    connection = http.client.HTTPConnection(*server.place, timeout=LONGEST_WAIT)
    statuses = []
    for body, media in ((b"{}", "text/plain"), (b"[", "application/json"), (b"{}", "application/json")):
        connection.request("POST", "/walk/v1/search", body, {"Content-Type": media})
        response = connection.getresponse()
        response.read()
        statuses.append(response.status)
    connection.close()
    assert statuses == [415, 400, 200]


def test_requests_are_logged_without_queries_by_default(
    server: Server, tmp_path_factory: pytest.TempPathFactory
) -> None:
    server.post("/walk/v1/search", {"question": "red wine 红酒"}, **{"X-Request-Id": "log-1"})
    server.post("/guarded/v1/search", {"question": "红酒"}, **{"X-Request-Id": "log-2", **GUARDED})
    logs = tmp_path_factory.getbasetemp()
    files = [path for path in logs.glob("*/*") if path.name in ("walk", "told") and "log-" in path.read_text("utf-8")]
    entries = [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    found = {entry["request_id"]: entry for entry in entries}
    assert found["log-1"]["path"] == "/v1/search"
    assert found["log-1"]["status"] == 200
    assert found["log-1"]["remote"] == "127.0.0.1"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", found["log-1"]["time"])
    assert "question" not in found["log-1"]
    assert found["log-2"]["question"] == "红酒"


SAMPLE = re.compile(r'([a-z_]+)(?:\{((?:[a-z]+="[^"]*",?)+)\})? ([0-9.e+-]+|\+Inf)')


def metrics(server: Server) -> dict[str, float]:
    reply = server.ask("GET", "/guarded/metrics", headers=GUARDED)
    assert reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    samples = [line for line in reply.body.decode("utf-8").splitlines() if not line.startswith("#")]
    return {line.rpartition(" ")[0]: float(match[3]) for line in samples if (match := SAMPLE.fullmatch(line))}


def test_metrics_count_requests(server: Server) -> None:
    before = metrics(server)
    server.ask("BREW", "/guarded/v1/search")
    server.ask("GET", "/guarded/" + "x" * 300)
    server.post("/guarded/v1/search", {"question": "red"}, **GUARDED)
    after = metrics(server)
    grown = {name: value - before.get(name, 0) for name, value in after.items() if "seconds" not in name}
    requests = "hybrid_search_http_requests_total"
    assert grown[f'{requests}{{path="/v1/search",method="POST",status="200"}}'] == 1
    assert grown[f'{requests}{{path="",method="other",status="405"}}'] == 1
    assert grown[f'{requests}{{path="",method="GET",status="404"}}'] == 1
    assert after["hybrid_search_http_requests_in_progress"] == 1
    assert after["hybrid_search_documents"] == 0
    durations = "hybrid_search_http_request_duration_seconds"
    count = after[f'{durations}_count{{path="/v1/search"}}']
    assert after[f'{durations}_bucket{{path="/v1/search",le="+Inf"}}'] == count
    assert len([name for name in after if 'method="other"' in name]) == 1


def test_the_tables_of_both_languages_equal_the_stated_ones() -> None:
    assert written.differing(http_tables.files(http_tables.said())) == []


UNTOLD = ("positive_data_acceptance",)
"""The checks that need more than a schema: a cursor of another request, a vector of another dimension."""


@pytest.mark.parametrize("language", [pytest.param("python", marks=pytest.mark.nightly), "ruby"])
def test_requests_drawn_from_the_openapi_document_get_the_documented_responses(language: str, tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("schemathesis")
    if not program.exists():
        pytest.skip("schemathesis is not installed: bin/setup installs the extra 'test'")
    if servers.missing(language):
        pytest.skip(servers.missing(language))
    document = str(ROOT / "python_ref/hybrid_search/data/openapi.json")
    options = ["--phases", "coverage,fuzzing", "--max-examples", "6", "--generation-deterministic", "--no-color"]
    options += ["--checks", "all", "--exclude-checks", ",".join(UNTOLD)]
    with serving(language, {"documents": DOCUMENTS[:20], "dimension": 16, "service": WRITING}) as server:
        command = [str(program), "run", document, "--url", server.address, *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-1000:]
    assert int(re.findall(r"(\d+) generated", done.stdout)[0]) > 200


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_server_stops_after_the_requests_in_progress(language: str) -> None:
    if servers.missing(language):
        pytest.skip(servers.missing(language))
    documents = [{"id": str(one), "content": "配置表在运行时重新加载 and tables reload " * 12} for one in range(400)]
    replies: list[Any] = []
    with serving(language, {"service": WRITING}) as server:
        asking = threading.Thread(
            target=lambda: replies.append(server.post("/v1/documents", {"documents": documents, "mode": "add"}))
        )
        asking.start()
        end = time.monotonic() + LONGEST_WAIT
        while b"_in_progress 2\n" not in server.ask("GET", "/metrics").body and time.monotonic() < end and not replies:
            time.sleep(0.005)
        assert replies == []
        server.process.send_signal(signal.SIGTERM)
        asking.join(LONGEST_WAIT)
        assert server.process.wait(LONGEST_WAIT) == 0
    assert [(one.status, one.data) for one in replies] == [(200, {"received": 400, "changed": 400})]


def test_the_service_mounts_in_rails() -> None:
    needed = 'require "action_controller/railtie"; require "rack/mock"'
    if subprocess.run(["ruby", "-e", needed], capture_output=True, check=False).returncode:
        pytest.skip("Rails is not installed: bin/setup installs it on Debian")
    program = ["ruby", "-I", str(ROOT / "ruby/lib"), str(ROOT / "conformance/http/rails.rb")]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    answers = json.loads(done.stdout)
    assert [status for status, _ in answers] == [200, 200, 200, 200, 200, 200, 200, 400, 200, 404]
    assert 'data-root="/search"' in answers[0][1]
    assert 'href="/search/search_page.css"' in answers[1][1]
    assert json.loads(answers[4][1])["hits"][0]["id"] == "a/b"
    assert json.loads(answers[5][1]) == {"id": "a/b", "content": "Tables reload without a restart."}
    assert json.loads(answers[6][1])["hits"][0]["id"] == "a/b"
    assert json.loads(answers[8][1]) == {"deleted": 1}

"""The ASGI application by itself: the input from a server, and clients that are slow or disconnected (CUR-6)."""

import asyncio
import contextlib
import io
import json
import logging
import socket
import threading

import pytest

from hybrid_search import ConfigurationError, EmbeddingError, HttpService, Index, InvalidInputError, RankingCache
from hybrid_search.server import http_service, serving

pytest.importorskip("starlette", reason="starlette is not installed: bin/setup installs the extra 'http'")

JSON = (b"content-type", b"application/json")
LONG = (b"content-length", b"9")


@pytest.fixture
def index():
    made = Index()
    made.add([{"id": "1", "content": "red wine"}, {"id": "2", "content": "red car"}])
    return made


def call(service, path, *messages, headers=(), method="POST", root="", raw=True, query=b""):
    """Return the status, headers and body of a response; after `messages` no further message arrives."""
    scope = {"type": "http", "method": method, "path": root + path, "root_path": root, "headers": list(headers)}
    scope["query_string"] = query
    if raw:
        scope["raw_path"] = scope["path"].encode()
    told = []
    waiting = list(messages)

    async def receive():
        if not waiting:
            await asyncio.Event().wait()
        return waiting.pop(0)

    async def send(message):
        told.append(message)

    asyncio.run(service(scope, receive, send))
    if not told:
        return None
    return told[0]["status"], dict(told[0]["headers"]), b"".join(one.get("body", b"") for one in told[1:])


def part(body, more=False):
    return {"type": "http.request", "body": body, "more_body": more}


def test_a_body_in_parts_is_read_completely(index):
    service = HttpService(index)
    parts = [part(b'{"question"', True), part(b"", True), part(b': "wine"}')]
    status, _, body = call(service, "/v1/search", *parts, headers=[JSON, (b"content-length", b"20")])
    assert (status, [hit["id"] for hit in json.loads(body)["hits"]]) == (200, ["1"])


def test_a_body_that_does_not_arrive_times_out(index, monkeypatch):
    monkeypatch.setattr(http_service, "PATIENCE", 0.01)
    service = HttpService(index, body_timeout=0.05)
    status, headers, body = call(service, "/v1/search", part(b"{", True), headers=[JSON, LONG])
    assert (status, json.loads(body)["error"]["code"]) == (408, "request_timeout")
    assert headers[b"connection"] == b"close"


def test_a_refused_request_is_answered_before_its_body_arrives(index, monkeypatch):
    monkeypatch.setattr(http_service, "PATIENCE", 0.01)
    service = HttpService(index, max_query_bytes=5)
    status, headers, _ = call(service, "/v1/search", part(b"{}", True), headers=[JSON, LONG])
    assert (status, headers[b"connection"]) == (413, b"close")
    chunked = [JSON, (b"transfer-encoding", b"chunked")]
    status, headers, _ = call(service, "/v1/search", *[part(b"xxxx", True)] * 100, headers=chunked)
    assert (status, headers[b"connection"]) == (413, b"close")


def test_a_disconnected_client_gets_no_response_and_is_logged(index):
    log = io.StringIO()
    service = HttpService(index, access_log=log)
    gone = {"type": "http.disconnect"}
    assert call(service, "/v1/search", part(b"{", True), gone, headers=[JSON, LONG]) is None
    entry = json.loads(log.getvalue())
    assert (entry["status"], entry["error"]) == (499, "client_gone")
    metrics = call(service, "/metrics", part(b""), method="GET")[2]
    assert b"hybrid_search_http_requests_in_progress 1\n" in metrics


def test_a_request_that_is_interrupted_when_the_server_stops_is_a_503(index, monkeypatch):
    log = io.StringIO()
    service = HttpService(index, access_log=log)
    go_on = threading.Event()
    monkeypatch.setattr(index, "count", lambda: go_on.wait(10) and 0)
    told = []

    async def receive():
        return part(b"")

    async def send(message):
        told.append(message)

    async def interrupted():
        scope = {"type": "http", "method": "GET", "path": "/v1/health", "headers": []}
        task = asyncio.create_task(service(scope, receive, send))
        await asyncio.sleep(0.1)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        go_on.set()

    asyncio.run(interrupted())
    assert told[0]["status"] == 503
    assert json.loads(told[1]["body"])["error"]["code"] == "shutting_down"
    service._threads.shutdown()
    assert [json.loads(line)["status"] for line in log.getvalue().splitlines()] == [503]


def test_the_service_counts_returned_hits(index):
    service = HttpService(index)
    answer = call(service, "/v1/search", part(b'{"question": "wine"}'), headers=[JSON, (b"content-length", b"20")])[2]
    assert len(json.loads(answer)["hits"]) == 1
    metrics = call(service, "/metrics", part(b""), method="GET")[2]
    assert b"hybrid_search_hits_returned_total 1\n" in metrics


@pytest.mark.parametrize("raw", [True, False])
def test_the_service_knows_the_path_where_it_is_mounted(index, raw):
    service = HttpService(index, allow_anonymous_writes=True)
    status, _, body = call(service, "/", part(b""), method="GET", root='/a"b', raw=raw)
    assert status == 200
    assert b'data-root="/a&quot;b"' in body
    assert call(service, "/v1/health", part(b""), method="GET", root="/search", raw=raw)[0] == 200
    assert call(service, "/v1/documents/2", part(b""), method="DELETE", root="/search", raw=raw)[0] == 200


@pytest.mark.parametrize("raw", [True, False])
def test_a_path_is_below_the_mount_point_only_after_a_slash(index, raw):
    service = HttpService(index)
    assert b'data-root="/app"' in call(service, "", part(b""), method="GET", root="/app", raw=raw)[2]
    assert call(service, "lication/v1/health", part(b""), method="GET", root="/app", raw=raw)[0] == 404
    assert call(service, "lication", part(b""), method="GET", root="/app", raw=raw)[0] == 404


def get(service, query):
    """Status and hits of `GET /v1/search`."""
    status, _, body = call(service, "/v1/search", part(b""), method="GET", query=query)
    return status, [hit["id"] for hit in json.loads(body)["hits"]]


def test_the_query_string_is_read_as_the_server_passes_it(index):
    service = HttpService(index)
    assert get(service, b"q=red+wine&limit=1") == (200, ["1"])
    assert get(service, "q=红酒 wine".encode()) == (200, ["1"])
    assert get(service, b"match_all=true&filter.id.not=1") == (200, ["2"])
    assert call(service, "/v1/search", part(b""), method="GET", query=b"q=\xff")[0] == 400


def test_a_service_uses_the_rewrite_of_its_index_and_clients_cannot_set_one():
    rotwein = Index(rewrite=lambda question: {"rotwein": "wine"}[question])
    rotwein.add([{"id": "1", "content": "red wine"}, {"id": "2", "content": "red car"}, {"id": "3", "content": "wine"}])
    service = HttpService(rotwein)
    status, _, body = call(service, "/v1/search", part(b""), method="GET", query=b"q=rotwein&limit=1")
    first = json.loads(body)
    assert (status, first["total"], first["warnings"]) == (200, 2, [])
    following = f"q=rotwein&limit=1&cursor={first['next_cursor']}".encode()
    assert {*get(service, following)[1], first["hits"][0]["id"]} == {"1", "3"}
    status, _, body = call(service, "/v1/search", part(b""), method="GET", query=b"q=car")
    assert (status, json.loads(body)["hits"][0]["id"]) == (200, "2")
    assert json.loads(body)["warnings"] == ["searched as given: the rewrite failed: KeyError: 'car'"]
    assert call(service, "/v1/search", part(b""), method="GET", query=b"q=car&rewrite=x")[0] == 400


def test_a_page_costs_one_search_which_reads_its_own_documents(monkeypatch):
    index = Index()
    index.add([{"id": str(one), "content": f"red wine {one}"} for one in range(50)])
    searched, read = [], []
    search, get_many = index.search, index.store.get_many

    def told_search(question="", **options):
        searched.append(options)
        return search(question, **options)

    def told_get_many(ids, *rest):
        read.extend(ids)
        return get_many(ids, *rest)

    monkeypatch.setattr(index, "search", told_search)
    monkeypatch.setattr(index.store, "get_many", told_get_many)
    service = HttpService(index)
    assert len(get(service, b"q=red+wine&limit=5&page=2")[1]) == 5
    asked = b'{"question": "red wine", "limit": 5, "page": 2}'
    call(service, "/v1/search", part(asked), headers=[JSON, (b"content-length", b"%d" % len(asked))])
    assert searched == [{"limit": 5, "page": "2"}, {"limit": 5, "page": 2}]
    assert read == []


def test_metrics_report_the_ranking_cache_of_the_index():
    index = Index(ranking_cache=RankingCache())
    index.add([{"id": "1", "content": "red wine"}])
    service = HttpService(index)
    assert [get(service, b"q=wine") for _ in range(3)] == [(200, ["1"])] * 3
    metrics = call(service, "/metrics", part(b""), method="GET")[2]
    assert b"hybrid_search_ranking_cache_hits_total 2\n" in metrics
    assert b"hybrid_search_hits_returned_total 3\n" in metrics


def test_internal_failures_are_reported_only_in_the_log(index, monkeypatch, caplog):
    monkeypatch.setattr(index, "count", lambda: 1 // 0)
    with caplog.at_level(logging.WARNING, "hybrid_search"):
        status, _, body = call(
            HttpService(index), "/v1/health", part(b""), method="GET", headers=[(b"x-request-id", b"id-1")]
        )
    assert status == 500
    assert body == b'{"error":{"code":"internal","message":"the service failed; its log has the reason"}}'
    assert "request id-1 failed: ZeroDivisionError: " in caplog.text


def test_failures_of_an_upstream_service_are_reported(index, monkeypatch):
    def fail(*_, **__):
        raise EmbeddingError("the embedding was late")

    monkeypatch.setattr(index, "search", fail)
    answer = call(HttpService(index), "/v1/search", part(b"{}"), headers=[JSON, LONG])
    assert (answer[0], answer[2]) == (
        502,
        b'{"error":{"code":"embedding_failed","message":"the embedding was late"}}',
    )


def test_the_service_continues_if_its_log_cannot_be_written(index):
    log = io.StringIO()
    log.close()
    service = HttpService(index, access_log=log)
    assert [call(service, "/v1/health", part(b""), method="GET")[0] for _ in range(2)] == [200, 200]


@pytest.mark.parametrize(
    "settings",
    [
        {"token": ""},
        {"token": []},
        {"token": "a b"},
        {"token": 3},
        {"access_log": 3},
        {"read_only": 1},
        {"allow_anonymous_writes": 1},
        {"allowed_hosts": "example.com"},
        {"allowed_hosts": ["example.com:80"]},
        {"allowed_hosts": ["*.example.com"]},
        {"allowed_hosts": [""]},
        {"max_body_bytes": 0},
        {"workers": 0},
        {"body_timeout": 0},
        {"tokens": "x"},
    ],
    ids=str,
)
def test_invalid_settings_are_refused(index, settings):
    with pytest.raises(InvalidInputError, match=next(iter(settings))):
        HttpService(index, **settings)


def test_only_an_index_can_be_served():
    with pytest.raises(InvalidInputError, match="index must be an Index, not null"):
        HttpService(None)


def test_without_starlette_the_error_names_the_package_to_install(index, monkeypatch):
    def missing(name, *_):
        raise ImportError(name)

    monkeypatch.setattr(http_service.importlib, "import_module", missing)
    with pytest.raises(ConfigurationError, match=r"pip install 'hybrid-search\[http\]'"):
        HttpService(index)


def test_tokens_are_read_one_per_line(tmp_path):
    file = tmp_path / "tokens"
    file.write_bytes(b"one\r\n\n  two \n")
    assert serving.tokens(str(file)) == ["one", "two"]
    file.write_bytes(b"\n")
    with pytest.raises(ConfigurationError, match="holds no token"):
        serving.tokens(str(file))
    with pytest.raises(ConfigurationError, match='"/nowhere" cannot be read: No such file or directory'):
        serving.tokens("/nowhere")


def test_an_address_in_use_is_reported(index):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ConfigurationError, match=f"cannot listen at 127.0.0.1:{port}: Address already in use"):
            serving.server(index, {"port": port, "no-access-log": True}).run(print)

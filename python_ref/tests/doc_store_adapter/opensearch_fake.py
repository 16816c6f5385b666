"""A server on loopback that responds like OpenSearch, as a test states, and records the requests."""

import json
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CUT = "cut"
"""Close the connection instead of a response."""

Reply = tuple[int, Any] | str
SHARDS = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
OWN = {"hybrid_search": {"schema": 2}}


def description(meta: Mapping[str, Any] = OWN) -> dict[str, Any]:
    """The description of an index."""
    settings = {"index": {"number_of_shards": "1", "number_of_replicas": "0", "uuid": "u1"}}
    properties = {"v_2": {"type": "knn_vector"}}
    return {"i-000001": {"settings": settings, "mappings": {"_meta": dict(meta), "properties": properties}}}


def checkpoints(*parts: tuple[int, int], state: str = "STARTED") -> dict[str, Any]:
    """The statistics of primaries: for each shard, the last operation on all copies, and the last one of all."""
    index = {str(place): [_copy(True, state, *part), _copy(False, "STARTED", 0, 0)] for place, part in enumerate(parts)}
    return {"indices": {"i-000001": {"shards": index}}}


def _copy(primary: bool, state: str, reached: int, last: int) -> dict[str, Any]:
    told = {"max_seq_no": last, "local_checkpoint": last, "global_checkpoint": reached}
    return {"routing": {"primary": primary, "state": state}, "seq_no": told}


def parts(count: int) -> dict[str, Any]:
    """The number of shards of an index."""
    return {"i-000001": {"settings": {"index.number_of_shards": str(count)}}}


def hits(*pairs: tuple[float, str], shards: Mapping[str, Any] = SHARDS, timed_out: bool = False) -> dict[str, Any]:
    """The response to a search."""
    found = [{"_id": identifier, "sort": [score, identifier]} for score, identifier in pairs]
    total = {"value": len(found), "relation": "eq"}
    return {"timed_out": timed_out, "_shards": dict(shards), "hits": {"total": total, "hits": found}, "status": 200}


def error(status: int, kind: str, reason: str) -> dict[str, Any]:
    """The response that reports an error."""
    cause = {"type": kind, "reason": reason}
    return {"error": {"root_cause": [cause], **cause}, "status": status}


def document(identifier: str, sequence: int, **fields: Any) -> dict[str, Any]:
    """A stored document, as `_mget` returns it."""
    body = json.dumps({"fields": {"id": identifier, **fields}, "vectors": {}})
    told = {"_id": identifier, "found": True, "_seq_no": sequence, "_primary_term": 1}
    return {**told, "_source": {"id": identifier, "body": body}}


class Fake:
    """The responses of a server, and the requests to it.

    Args:
        replies: the end of a path without its query → the responses in order; the last one is repeated.
    """

    def __init__(self, replies: Mapping[str, Sequence[Reply]]) -> None:
        usual: dict[str, Sequence[Reply]] = {
            "/": [(200, {"version": {"distribution": "opensearch", "number": "2.19.0"}})],
            "/_cluster/state/metadata/i": [(200, {})],
            "/i": [(200, description())],
            "/_mapping": [(200, description())],
            "/_stats/docs": [(200, checkpoints((9, 9)))],
            "/i-000001/_settings/index.number_of_shards": [(200, parts(1))],
            "/_cluster/settings": [(200, {"persistent": {"indices.query.bool.max_clause_count": "16384"}})],
        }
        self._replies = {path: list(given) for path, given in {**usual, **replies}.items()}
        self._lock = threading.Lock()
        self.asked: list[tuple[str, str, list[Any]]] = []
        self.named: list[str | None] = []

    def reply(self, method: str, target: str, body: str) -> Reply:
        """Return the next response to a request."""
        path = target.split("?")[0]
        with self._lock:
            self.asked.append((method, target, [_read(line) for line in body.split("\n") if line]))
            given = next((self._replies[end] for end in self._replies if path.endswith(end)), None)
            if given is None:
                return (400, error(400, "unexpected", path))
            return given.pop(0) if len(given) > 1 else given[0]


def bodies(asked: list[tuple[str, str, list[Any]]], end: str) -> list[list[Any]]:
    """Return the bodies sent to paths with an end."""
    return [body for _, target, body in asked if target.split("?")[0].endswith(end)]


def _read(line: str) -> Any:
    """The value of a line; the text of a body is read too, as languages write some floats in other ways."""
    value = json.loads(line)
    if isinstance(value, dict) and isinstance(value.get("body"), str):
        return {**value, "body": json.loads(value["body"])}
    return value


def _drain(refused: socket.socket) -> None:
    """Read what a client has sent already, because closing a socket with unread bytes discards the alert."""
    refused.settimeout(1.0)
    socket.socket.shutdown(refused, socket.SHUT_WR)
    while socket.socket.recv(refused, 4096):
        pass


@contextmanager
def serving(fake: Fake, context: ssl.SSLContext | None = None) -> Iterator[str]:
    """The address of a server of a fake, with TLS if a context is passed."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # the body is sent after the headers, and would wait 40 ms for their receipt

        def log_message(self, *arguments: Any) -> None:
            """Say nothing."""

        def __getattr__(self, name: str) -> Any:
            if name.startswith("do_"):
                return self.handle_any
            raise AttributeError(name)

        def handle_any(self) -> None:
            fake.named.append(self.headers.get("Authorization"))
            length = int(self.headers.get("Content-Length") or 0)
            reply = fake.reply(self.command, self.path, self.rfile.read(length).decode("utf-8"))
            if reply == CUT:
                self.close_connection = True
                return
            status, value = reply
            written = value.encode() if isinstance(value, str) else json.dumps(value).encode()
            self.send_response(int(status))
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(written)))
            self.end_headers()
            self.wfile.write(written)

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Log no refused connections."""

        def finish_request(self, request: Any, client_address: Any) -> None:
            if context is None:
                super().finish_request(request, client_address)
                return
            with context.wrap_socket(request, server_side=True, do_handshake_on_connect=False) as secured:
                try:
                    secured.do_handshake()
                except ssl.SSLError:
                    _drain(secured)
                    raise
                super().finish_request(secured, client_address)

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield f"{'https' if context else 'http'}://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join(5)

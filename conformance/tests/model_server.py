"""A server of embeddings and rerank scores that tests can make misbehave.

Started by `python -m conformance.tests.model_server`.

It serves real scores: the hashing embedder's vectors and their cosines. It listens on the loopback address, on a port
of its choice; the first line on standard output is `{"port": N}`. It ends when standard input ends.

    POST /NAME/rerank        the standard shape: {model, query, documents, top_n}
    POST /NAME/tei/rerank    the shape of Text Embeddings Inference: {query, texts}
    POST /NAME/embeddings    {model, input, encoding_format}
    POST /control/NAME       a list of steps: actions for the next requests under that name, one each
    GET  /log/NAME           the requests under that name: [{path, authorization, body}], and their maximum at once

A step is an object: `delay` (seconds before anything else), `status` with `headers` and `raw` (a text as the body),
`reversed` (the results in another order), `cut` (that many bytes of the body, then the connection is cut), `reset`
(cut before any answer), `never` (no answer), `drip` (seconds between bytes), `huge` (a body of that many blanks),
`noise` (bytes that are not HTTP; with `drip` slowly), `key` (the received key, in an error). An empty step does
nothing special.
"""

import base64
import json
import socket
import struct
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from hybrid_search.base import numeric
from hybrid_search.embedding.hashing import HashingEmbedder

EMBEDDER = HashingEmbedder(64)
LONGEST_SILENCE = 20.0


class State:
    """The steps and the requests of the server, by name."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.steps: dict[str, list[dict[str, Any]]] = {}
        self.log: dict[str, list[dict[str, Any]]] = {}
        self.under_way: dict[str, int] = {}
        self.most: dict[str, int] = {}

    def enter(self, name: str, entry: dict[str, Any]) -> dict[str, Any]:
        """Note a request and return the step for it."""
        with self.lock:
            self.log.setdefault(name, []).append(entry)
            self.under_way[name] = self.under_way.get(name, 0) + 1
            self.most[name] = max(self.most.get(name, 0), self.under_way[name])
            steps = self.steps.get(name)
            return steps.pop(0) if steps else {}

    def leave(self, name: str) -> None:
        """Note that a request is about to be answered in full."""
        with self.lock:
            self.under_way[name] -= 1


STATE = State()


def scores_of(query: str, texts: list[str]) -> list[float]:
    """The cosines of the texts with the query."""
    vector = EMBEDDER.encode_queries(query)
    return [numeric.cosine(vector, other) for other in EMBEDDER.encode(texts)]


def embedding_of(text: str, encoding_format: str) -> Any:
    """A text's vector, as numbers or as base64 of 32-bit floats."""
    vector = EMBEDDER.encode_queries(text)
    if encoding_format == "base64":
        return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode("ascii")
    return vector


def answer_to(path: str, body: dict[str, Any], backwards: bool) -> Any:
    """The response of a well-behaved service."""
    step = -1 if backwards else 1
    if path.endswith("/embeddings"):
        encoding = body.get("encoding_format", "float")
        data = [
            {"object": "embedding", "index": index, "embedding": embedding_of(text, encoding)}
            for index, text in enumerate(body["input"])
        ]
        return {"object": "list", "model": body["model"], "data": data[::step]}
    if path.endswith("/tei/rerank"):
        scores = scores_of(body["query"], body["texts"])
        return [{"index": index, "score": score} for index, score in enumerate(scores)][::step]
    scores = scores_of(body["query"], body["documents"])[: body["top_n"]]
    results = [{"index": index, "relevance_score": score} for index, score in enumerate(scores)]
    return {"model": body["model"], "results": results[::step]}


class Handler(BaseHTTPRequestHandler):
    """Answers one request on each connection."""

    protocol_version = "HTTP/1.1"
    timeout = LONGEST_SILENCE

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Log nothing: standard error belongs to the tests."""

    def do_GET(self) -> None:
        """The log of a name."""
        name = self.path.rsplit("/", 1)[-1]
        with STATE.lock:
            told = {"requests": STATE.log.get(name, []), "most": STATE.most.get(name, 0)}
        self.send(200, {}, json.dumps(told).encode())

    def do_POST(self) -> None:
        """A control request or one to a service."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        first, name, *_ = [*self.path.split("/"), "", ""][1:]
        if first == "control":
            with STATE.lock:
                STATE.steps[name] = body
            self.send(200, {}, b"{}")
            return
        key = self.headers.get("Authorization") or self.headers.get("Api-Key")
        step = STATE.enter(first, {"path": self.path, "authorization": key, "body": body})
        try:
            time.sleep(step.get("delay", 0.0))
        finally:
            STATE.leave(first)
        self.act(step, body, key)

    def act(self, step: dict[str, Any], body: dict[str, Any], key: str | None) -> None:
        """Take a step."""
        if "reset" in step:
            self.cut()
        elif "never" in step:
            self.connection.settimeout(LONGEST_SILENCE)
            self.connection.recv(1)
            self.close_connection = True
        elif "noise" in step:
            self.drip(step["noise"].encode(), step.get("drip", 0.0))
            self.close_connection = True
        elif "huge" in step:
            self.send(200, {}, b" " * step["huge"])
        elif "key" in step:
            self.send(step.get("status", 401), {}, json.dumps({"error": {"message": f"bad key {key}"}}).encode())
        elif "raw" in step or "status" in step:
            self.send(step.get("status", 200), step.get("headers", {}), step.get("raw", "").encode())
        else:
            self.send_answer(step, json.dumps(answer_to(self.path, body, "reversed" in step)).encode())

    def send_answer(self, step: dict[str, Any], content: bytes) -> None:
        """A correct response: whole, cut, or byte by byte."""
        if "cut" in step:
            self.send(200, {}, content, content[: step["cut"]])
            self.cut()
        elif "drip" in step:
            self.send(200, {}, content, b"")
            self.drip(content, step["drip"])
        else:
            self.send(200, {}, content)

    def drip(self, content: bytes, seconds: float) -> None:
        """Bytes one by one."""
        for byte in content:
            self.wfile.write(bytes([byte]))
            time.sleep(seconds)

    def send(self, status: int, headers: dict[str, str], content: bytes, sent: bytes | None = None) -> None:
        """Status, header lines and a body, or a part of it that its length does not match."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content if sent is None else sent)
        self.wfile.flush()

    def cut(self) -> None:
        """Cut the connection without a response."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.shutdown(socket.SHUT_RD)
        self.close_connection = True


class Server(ThreadingHTTPServer):
    """One thread for each connection; clients that disconnect are not reported."""

    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing."""

    def shutdown_request(self, request: Any) -> None:
        """Close with a reset where a step requests one: SO_LINGER of 0 sends it."""
        linger = request.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER, 8)
        if struct.unpack("ii", linger) == (1, 0):
            request.close()
        else:
            super().shutdown_request(request)


def main() -> None:
    """Serve until standard input ends."""
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    print(json.dumps({"port": server.server_address[1]}), flush=True)
    sys.stdin.read()
    server.shutdown()
    server.server_close()


if __name__ == "__main__":
    main()

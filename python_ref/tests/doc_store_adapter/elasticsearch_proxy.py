"""Makes the reduced Elasticsearch server of Maven Central behave like a complete one, as far as the store needs it.

That server has no module `rest-root`, which answers `GET /`, and no module `analysis-common`, which has the tokenizer
`char_group`; the analyzer `whitespace` cuts texts in the same way, except in tokens of more than 255 characters.
"""

import http.client
import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

TAGLINE = {"tagline": "You Know, for Search"}


def _changed(body: bytes) -> bytes:
    """Return a request body without the analyzer of this library's indexes, or with RAGFlow's mapping of Elasticsearch.

    The scripted similarity and the rank features of that mapping need modules too; the reader uses neither.
    """
    if b'"scripted_sim"' in body:
        told = json.loads(body)
        index = told["settings"]["index"]
        told["settings"]["index"] = {name: index[name] for name in index if name not in ("knn", "similarity")}
        templates = [next(iter(one.items())) for one in told["mappings"]["dynamic_templates"]]
        told["mappings"]["dynamic_templates"] = [{name: _plain(one)} for name, one in templates if "fea" not in name]
        return json.dumps(told).encode()
    if b'"blanks"' not in body:
        return body
    told = json.loads(body)
    if "settings" in told:
        told["settings"].pop("analysis")
    return json.dumps(told).replace('"blanks"', '"whitespace"').encode()


def _plain(template: dict[str, Any]) -> dict[str, Any]:
    """Return a template of RAGFlow's mapping as it is for Elasticsearch."""
    mapping = template["mapping"]
    if mapping["type"] == "knn_vector":
        mapping = {"type": "dense_vector", "dims": mapping["dimension"], "index": True, "similarity": "cosine"}
    return {**template, "mapping": {name: mapping[name] for name in mapping if mapping[name] != "scripted_sim"}}


@contextmanager
def whole(url: str) -> Iterator[str]:
    """The address of a server that forwards requests to an Elasticsearch at another address."""
    near = urlsplit(url)
    connections = threading.local()

    def ask(method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        if not hasattr(connections, "one"):
            connections.one = http.client.HTTPConnection(near.hostname or "", near.port, timeout=60)
        connections.one.request(method, path, body, {"Content-Type": "application/json"})
        response = connections.one.getresponse()
        return response.status, response.read()

    nodes = json.loads(ask("GET", "/_nodes/_local?filter_path=nodes.*.version", None)[1])["nodes"]
    root = {"version": {"number": next(iter(nodes.values()))["version"], "build_flavor": "default"}, **TAGLINE}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # see opensearch_fake.py

        def log_message(self, *arguments: Any) -> None:
            """Log nothing."""

        def __getattr__(self, name: str) -> Any:
            if name.startswith("do_"):
                return self.pass_on
            raise AttributeError(name)

        def pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, text = ask(self.command, self.path, _changed(body) if body else None)
            if self.path == "/":
                status, text = 200, json.dumps(root).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


if __name__ == "__main__":
    with whole(sys.argv[1]) as address:
        print(address, flush=True)
        sys.stdin.read()

"""Stores in OpenSearch for tests, each with its own index, with a transport that can lose responses."""

import json
import uuid

from hybrid_search.doc_store_adapter.opensearch.opensearch_doc_store import OpenSearchDocStore
from hybrid_search.doc_store_adapter.opensearch.opensearch_transport import Answer, OpenSearchTransport, TransportError


class Faulty:
    """A transport that can lose responses, or report shards that did not respond."""

    def __init__(self, urls):
        self._transport = OpenSearchTransport(urls)
        self.loses = self.shortens = self.cuts = False
        self.swap = None

    def request(self, method, path, body, timeout):
        if self.cuts:
            self.cuts = False
            raise TransportError("cannot be reached, or cut the connection", False)
        swap, self.swap = (self.swap, None) if path == "/_aliases" else (None, self.swap)
        if swap == "not carried out":
            raise TransportError("cannot be reached, or cut the connection", True)
        answer = self._transport.request(method, path, body, timeout)
        if swap == "carried out":
            raise TransportError("cannot be reached, or cut the connection", True)
        if self.loses and "_bulk" in path:
            raise TransportError("cannot be reached, or cut the connection", True)
        if self.shortens and "search" in path:
            return Answer(answer.status, answer.text.replace('"_shards":{"total":1', '"_shards":{"total":2'))
        return answer


class Indexes:
    """Makes stores, each with its own index; they are removed at the end."""

    def __init__(self, url):
        self.urls = url.split(",")
        self.transport = OpenSearchTransport(self.urls)
        self._names = []

    def name(self):
        self._names.append(f"t{uuid.uuid4().hex}")
        return self._names[-1]

    def make(self, name=None, **options):
        faulty = Faulty(self.urls)
        given = {"replicas": 0, "transport": faulty, **options}
        store = OpenSearchDocStore(self.urls, self.name() if name is None else name, **given)
        store.faulty = faulty
        return store

    def beside(self, store):
        return self.make(store._index.name)

    def ask(self, method, path, body=None):
        answer = self.transport.request(method, path, None if body is None else json.dumps(body), 30.0)
        assert answer.status < 300, answer.text
        return json.loads(answer.text)

    def remove(self):
        for name in self._names:
            self.transport.request("DELETE", f"/{name}*", None, 30.0)

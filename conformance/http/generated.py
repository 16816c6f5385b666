"""Calls a service by a client that openapi-python-client has made of its OpenAPI document; prints what it got as JSON.

python generated.py FOLDER ADDRESS TOKEN: the client is the package `client` in the folder.
"""

import importlib
import json
import sys
from collections.abc import Callable
from typing import Any


def main(folder: str, address: str, token: str) -> None:
    """Store, search, read and remove documents."""
    sys.path.insert(0, folder)
    models = importlib.import_module("client.models")
    client = importlib.import_module("client").AuthenticatedClient(base_url=address, token=token)

    def call(name: str) -> Callable[..., Any]:
        return importlib.import_module(f"client.api.default.{name}").sync  # type: ignore[no-any-return]

    records = [
        {"id": "a/b", "content": "red wine", "positions": [[1, 2], 3], "metadata": {"lang": "en"}, "tags": {"good": 2}},
        {"id": 7, "content": "红酒 red", "keywords": ["酒"], "metadata": {"lang": "zh"}},
    ]
    documents = [models.Record.from_dict(record) for record in records]
    stored = call("documents")(client=client, body=models.Documents(documents=documents))
    page = call("search")(client=client, body=models.Search(question="red wine", limit=1))
    faceted = {"question": "red wine", "limit": 1, "cursor": None, "facets": ["metadata.lang"]}
    counted = call("search")(client=client, body=models.Search.from_dict(faceted))
    following = call("search")(client=client, body=models.Search(question="red wine", limit=1, cursor=page.next_cursor))
    addressed = call("search_get")(client=client, q="red wine", limit=1, page="2")
    got = call("search")(client=client, body=models.Search.from_dict({"match_all": True, "filters": {"id": "a/b"}}))
    record = call("get")("a/b", client=client, include=[models.GetIncludeItem.TOKENS])
    deleted = call("delete")("a/b", client=client)
    missing = call("delete")("a/b", client=client)
    wrong = call("search")(client=client, body=models.Search(question="red", limit=0))
    health = call("health")(client=client)
    found = [stored, page, following, addressed, counted.facets, got, record, deleted, missing, wrong, health]
    print(json.dumps([one.to_dict() for one in found], ensure_ascii=False))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Serves an index under uvicorn until it is told to stop.

Its argument is a JSON object: `documents` (a list, or the name of a file of JSON Lines), `dimension` of a hashing
embedding, `index` and `service` (options), `log` (a file for the access log). The address is the one line it prints.
"""

import json
import sys
from pathlib import Path
from typing import Any

from hybrid_search import HashingEmbedder, HttpService, Index, RankingCache
from hybrid_search.http._http_server import HttpServer


def main(told: dict[str, Any]) -> None:
    """Make the index and serve it."""
    dimension = told.get("dimension")
    embedding = None if dimension is None else HashingEmbedder(dimension=dimension)
    index = Index(embedding=embedding, ranking_cache=RankingCache(), **told.get("index", {}))
    documents = told.get("documents", [])
    if isinstance(documents, str):
        documents = [json.loads(line) for line in Path(documents).read_text(encoding="utf-8").splitlines()]
    index.add(documents)
    log = open(told["log"], "w", encoding="utf-8") if "log" in told else None  # noqa: SIM115 -- as long as it serves
    service = HttpService(index, access_log=log, **told.get("service", {}))
    HttpServer(service, "127.0.0.1", 0).run(lambda address: print(address, flush=True))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))

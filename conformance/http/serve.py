"""Serves indexes under uvicorn until it is told to stop; prints its address, one line, when it takes connections.

Its argument is a JSON list; what is told of each service: `at` (the path where it is mounted, "" for the top),
`documents` (a list, or the name of a file of JSON Lines), `dimension` of a hashing embedding, `index` and `service`
(options), `log` (a file for the access log).
"""

import json
import sys
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Mount

from hybrid_search import HashingEmbedder, HttpService, Index, RankingCache
from hybrid_search.http._http_server import HttpServer


def service(told: dict[str, Any]) -> HttpService:
    """One index, filled and served."""
    dimension = told.get("dimension")
    embedding = None if dimension is None else HashingEmbedder(dimension=dimension)
    index = Index(embedding=embedding, ranking_cache=RankingCache(), **told.get("index", {}))
    documents = told.get("documents", [])
    if isinstance(documents, str):
        documents = [json.loads(line) for line in Path(documents).read_text(encoding="utf-8").splitlines()]
    index.add(documents)
    log = open(told["log"], "w", encoding="utf-8") if "log" in told else None  # noqa: SIM115 -- as long as it serves
    return HttpService(index, access_log=log, **told.get("service", {}))


def main(told: list[dict[str, Any]]) -> None:
    """Serve them all."""
    made = [(one.get("at", ""), service(one)) for one in told]
    alone = len(made) == 1 and not made[0][0]
    application: Any = made[0][1] if alone else Starlette(routes=[Mount(path, app) for path, app in made])
    HttpServer(application, "127.0.0.1", 0).run(lambda address: print(address, flush=True))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))

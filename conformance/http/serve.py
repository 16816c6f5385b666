"""Serves indexes under uvicorn until it is told to stop; prints its address, one line, when it takes connections.

Its argument is a JSON list; what is told of each service: `at` (the path where it is mounted, "" for the top),
`documents` (a list, or the name of a file of JSON Lines), `dimension` of a hashing embedding, `index` and `service`
(options), `log` (a file for the access log), `questions` (a file with one a line: each is asked in the process first,
without a ranking cache, and what they took is printed as a line of JSON).
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Mount

from hybrid_search import HashingEmbedder, HttpService, Index, RankingCache
from hybrid_search.server.http_server import HttpServer


def service(told: dict[str, Any]) -> HttpService:
    """One index, filled and served."""
    index = Index(embedding=_embedding(told), ranking_cache=RankingCache(), **told.get("index", {}))
    documents = told.get("documents", [])
    if isinstance(documents, str):
        documents = [json.loads(line) for line in Path(documents).read_text(encoding="utf-8").splitlines()]
    index.add(documents)
    if "questions" in told:
        print(json.dumps(_asked(index, told)), flush=True)
    log = open(told["log"], "w", encoding="utf-8") if "log" in told else None  # noqa: SIM115 -- as long as it serves
    return HttpService(index, access_log=log, **told.get("service", {}))


def _asked(index: Index, told: dict[str, Any]) -> dict[str, Any]:
    """The milliseconds that each question takes in the process, and those of the processor that all of them take."""
    plain = Index(store=index.store, embedding=_embedding(told), **told.get("index", {}))
    spent = []
    processor = time.process_time()
    for question in Path(told["questions"]).read_text(encoding="utf-8").splitlines():
        begun = time.perf_counter()
        plain.search(question).to_dict()
        spent.append(1000.0 * (time.perf_counter() - begun))
    return {"each": spent, "processor": 1000.0 * (time.process_time() - processor)}


def _embedding(told: dict[str, Any]) -> HashingEmbedder | None:
    dimension = told.get("dimension")
    return None if dimension is None else HashingEmbedder(dimension=dimension)


def main(told: list[dict[str, Any]]) -> None:
    """Serve them all."""
    made = [(one.get("at", ""), service(one)) for one in told]
    alone = len(made) == 1 and not made[0][0]
    application: Any = made[0][1] if alone else Starlette(routes=[Mount(path, app) for path, app in made])
    HttpServer(application, "127.0.0.1", 0).run(lambda address: print(address, flush=True))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))

"""Passages for a language model's prompt, over HTTP: the loop is free while an embedding is waited for.

Start it with `PORT=8000 python rag_service.py`, post a list of records to `/documents`, then ask
`curl 'localhost:8000/passages?question=how+do+tables+reload&limit=3'`.
"""

import asyncio
import os

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from hybrid_search import AsyncIndex, HashingEmbedder, HybridSearchError, InvalidInputError

model = HashingEmbedder(dimension=256)


async def embed(texts: list[str]) -> list[list[float]]:
    """Stands for the client of your embedding service, which is awaited."""
    await asyncio.sleep(0.01)
    return model.encode(texts)


index = AsyncIndex(embedding=embed, max_results=20)


async def add_documents(request: Request) -> JSONResponse:
    """Store a JSON list of records."""
    return JSONResponse({"added": await index.add(await request.json())}, 201)


async def find_passages(request: Request) -> JSONResponse:
    """The best passages, as a text with numbers to cite, and where each is from."""
    limit = int(request.query_params.get("limit", 3))
    result = await index.search(request.query_params.get("question", ""), limit=limit)
    context = "\n\n".join(f"[{number}] {hit.content}" for number, hit in enumerate(result, start=1))
    sources = [{"id": hit.id, "document": hit.document_name} for hit in result]
    return JSONResponse({"context": context, "sources": sources, "total": result.total})


async def answer_refused(_: Request, problem: Exception) -> JSONResponse:
    """What the caller has to mend."""
    return JSONResponse({"error": str(problem)}, 400)


async def answer_failed(_: Request, problem: Exception) -> JSONResponse:
    """What a service behind this one could not do."""
    return JSONResponse({"error": str(problem)}, 502)


routes = [Route("/documents", add_documents, methods=["POST"]), Route("/passages", find_passages)]
handlers = {InvalidInputError: answer_refused, ValueError: answer_refused, HybridSearchError: answer_failed}
app = Starlette(routes=routes, exception_handlers=handlers)

if __name__ == "__main__":
    uvicorn.run(app, port=int(os.environ.get("PORT", "8000")))

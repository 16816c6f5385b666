"""Serves models over HTTP for experiments: a learnt embedding of sentence-transformers, and two scorers of texts.

`python -m conformance.quality.model_service [--model FOLDER] [--port N]` answers on 127.0.0.1 until it is ended:

    POST /v1/embeddings    vectors of a model, as OpenAI has it; with --model alone
    POST /rerank/cosine    the cosine of the question and each text by the same model; likewise
    POST /rerank/terms     how much of the question's weighed words a text holds (QRY-9), without any model

The scorers have the shape that Text Embeddings Inference has. Neither is a cross-encoder: the one compares vectors that
were made apart, the other words.
"""

import argparse
import contextlib
import json
import threading
from array import array
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from hybrid_search import Embedding, QueryBuilder, Tokenizer
from hybrid_search.base import numeric
from hybrid_search.embedding.local_models import SentenceTransformerEmbedder

Scorer = Callable[[str, Sequence[str]], Sequence[float]]

REMEMBERED = 32_768
"""Of how many texts what was made is kept: the same sources are scored for many questions."""


class RememberedVectors:
    """Makes the vector of a text once.

    Args:
        embedding: makes the vectors.
    """

    def __init__(self, embedding: Embedding) -> None:
        self._embedding = embedding
        self._lock = threading.Lock()
        self._vectors: dict[str, array[float]] = {}

    def encode(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """A vector for each text, in this order."""
        with self._lock:  # a model that serves one request after the other answers all of them soonest
            new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
            if len(self._vectors) + len(new) > REMEMBERED:
                self._vectors.clear()
                new = list(dict.fromkeys(texts))
            made = zip(new, self._embedding.encode(new) if new else [], strict=True)
            self._vectors.update((text, array("d", vector)) for text, vector in made)
            return [self._vectors[text] for text in texts]

    def encode_query(self, text: str) -> Sequence[float]:
        """The vector of a question."""
        with self._lock:
            return self._embedding.encode_queries(text)


class TermScorer:
    """Scores texts by the weighed words that they share with a question; nothing is learnt."""

    def __init__(self) -> None:
        self._tokenizer = Tokenizer()
        self._builder = QueryBuilder()
        self._tokens = lru_cache(REMEMBERED)(lambda text: tuple(self._tokenizer.tokenize(text)))

    def __call__(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """A score for each text, 0 to 1."""
        return self._builder.token_similarity(self._tokens(query), [self._tokens(text) for text in texts])


class CosineScorer:
    """Scores texts by the cosine of their vectors with that of the question.

    Args:
        vectors: of the texts.
    """

    def __init__(self, vectors: RememberedVectors) -> None:
        self._vectors = vectors

    def __call__(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """A score for each text, -1 to 1."""
        asked = self._vectors.encode_query(query)
        return [numeric.cosine(asked, vector) for vector in self._vectors.encode(texts)]


class ModelService(ThreadingHTTPServer):
    """The server.

    Args:
        port: where it listens; 0: any that is free.
        embedding: makes vectors; none: it has no such model.
    """

    def __init__(self, port: int, embedding: Embedding | None = None) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.vectors = None if embedding is None else RememberedVectors(embedding)
        self.scorers: dict[str, Scorer] = {"/rerank/terms": TermScorer()}
        if self.vectors is not None:
            self.scorers["/rerank/cosine"] = CosineScorer(self.vectors)

    def answer(self, path: str, asked: Mapping[str, Any]) -> Any:
        """What a service answers; none: there is no such service."""
        if path == "/v1/embeddings" and self.vectors is not None:
            vectors = self.vectors.encode(asked["input"])
            return {"data": [{"index": place, "embedding": list(vector)} for place, vector in enumerate(vectors)]}
        if path not in self.scorers:
            return None
        scores = self.scorers[path](asked["query"], asked["texts"])
        return [{"index": place, "score": score} for place, score in enumerate(scores)]


class _Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: ModelService

    def do_POST(self) -> None:
        """Read what is asked, and answer."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = self.server.answer(self.path, asked)
        content = json.dumps({"error": f"nothing is served at {self.path}"} if answer is None else answer).encode()
        self.send_response(404 if answer is None else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        with contextlib.suppress(ConnectionError):  # who asked may have given up
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002
        """Requests are not written down."""


def main() -> None:
    """Run the program."""
    parser = argparse.ArgumentParser(prog="model_service", description="Serve models over HTTP for experiments.")
    parser.add_argument("--model", help="the folder of a model, or its name, for sentence-transformers")
    parser.add_argument("--port", type=int, default=8080, help="8080")
    given = parser.parse_args()
    embedding = None
    if given.model is not None:
        embedding = Embedding(SentenceTransformerEmbedder(given.model))
        embedding.encode_queries("loads the model")
    with ModelService(given.port, embedding) as service:
        print(f"serving at http://127.0.0.1:{service.server_port}: {', '.join(service.scorers)}", flush=True)
        service.serve_forever()


if __name__ == "__main__":
    main()

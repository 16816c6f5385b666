"""Operations of embedding (EMB-1 … EMB-4)."""

from collections.abc import Callable
from typing import Any

from conformance.implementations.python.registry import Trace, operation
from hybrid_search.embedding.cache import EmbeddingCache
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.embedding.embedding_choice import EmbeddingChoice
from hybrid_search.embedding.hashing import HashingEmbedder
from hybrid_search.errors import HybridSearchError


class ScriptedProvider:
    """Gives the answers of a case one after the other.

    `{"raise": text}` is an error of its own, `{"yield": values}` a generator.
    """

    def __init__(self, answers: list[Any]) -> None:
        self._answers = list(answers)

    def answer(self, _asked: Any) -> Any:
        """The next answer."""
        answer = self._answers.pop(0)
        if isinstance(answer, dict) and "raise" in answer:
            raise RuntimeError(answer["raise"])
        return iter(answer["yield"]) if isinstance(answer, dict) and "yield" in answer else answer

    def of_kind(self, kind: str) -> Any:
        """The provider as a callable, or as an object with one or both methods."""
        if kind == "callable":
            return self.answer
        names = {"encode": ["encode"], "encode_queries": ["encode_queries"], "both": ["encode", "encode_queries"]}[kind]
        return type("Provider", (), {name: staticmethod(self.answer) for name in names})()


class NamedProvider:
    """Has methods of some names, and keeps which of them was asked for what.

    Args:
        names: its methods; "call" makes the object callable.
        attributes: what it says of itself.
        gives: "list", "generator", "object": one with `vectors` in Ruby, a list elsewhere, or "alone": the same with
            components that are integers, and in Ruby for one text with its vector alone.
        takes: "nothing", "optional" or "argument". Attributes are methods in Ruby, with this argument; in Python those
            that take an argument are methods too, whose values no library can know.
    """

    def __init__(self, names: list[str], attributes: dict[str, Any], gives: str, takes: str = "nothing") -> None:
        self.asked: list[list[Any]] = []
        for name in names:
            if name != "call":
                setattr(self, name, lambda asked, name=name: self._answer(name, asked, gives))
        for name, value in attributes.items():
            setattr(self, name, (lambda _form, value=value: value) if takes == "argument" else value)

    def _answer(self, name: str, asked: Any, gives: str) -> Any:
        self.asked.append([name, asked])
        number = int if gives == "alone" else float
        vectors = [[number(len(text)), number(1)] for text in ([asked] if isinstance(asked, str) else asked)]
        if gives == "generator":
            return (vector for vector in vectors)
        return vectors[0] if isinstance(asked, str) else vectors


class CallableProvider(NamedProvider):
    """One that is called itself."""

    def __call__(self, texts: list[str]) -> Any:
        """The vectors of texts."""
        return self._answer("call", texts, "list")


class RecordingProvider:
    """The hashing embedder, which keeps what it was asked for and fails for a text of "fail"."""

    def __init__(self, dimension: int, knows_dimension: bool) -> None:
        self._embedder = HashingEmbedder(dimension)
        self.asked: list[list[str]] = []
        self.dimension = dimension if knows_dimension else None
        self.model = "recording"

    def encode(self, texts: list[str]) -> list[list[float]]:
        """The vectors of texts."""
        self.asked.append(list(texts))
        if "fail" in texts:
            raise RuntimeError("asked to fail")
        return self._embedder.encode(texts)


def _guarded(run: Callable[[], Any]) -> Any:
    try:
        return run()
    except HybridSearchError as error:
        return {"error": type(error).__name__, "message": str(error)}


def _embedding(params: dict[str, Any], answers: list[Any]) -> Embedding:
    provider = ScriptedProvider(answers).of_kind(params["kind"])
    return Embedding(provider, params["model"], params["dimension"])


@operation("embedding.encode_queries", {"kind": "callable", "model": None, "dimension": None})
def encode_queries(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The vectors of `texts`, asked for one by one, of a provider that gives `answers`; an error ends only its call."""
    embedding = _embedding(params, given["answers"])
    vectors = [_guarded(lambda text=text: embedding.encode_queries(text)) for text in given["texts"]]  # type: ignore[misc]
    return {"vectors": vectors, "dimension": embedding.dimension, "model": embedding.model}


@operation("embedding.encode", {"kind": "callable", "model": None, "dimension": None})
def encode(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The vectors of each batch of a provider that gives `answers`; an error ends only its call."""
    embedding = _embedding(params, given["answers"])
    batches = [_guarded(lambda batch=batch: embedding.encode(batch)) for batch in given["batches"]]  # type: ignore[misc]
    return {"batches": batches, "dimension": embedding.dimension}


@operation("embedding.provider", {"options": {}})
def provider(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """What the constructors make of a provider that is none, or of options."""
    if given["class"] == "HashingEmbedder":
        embedder = HashingEmbedder(**params["options"])
        return {"model": embedder.model, "dimension": embedder.dimension}
    made = {"Embedding": Embedding, "EmbeddingCache": EmbeddingCache}[given["class"]]
    inner = HashingEmbedder(8) if given["provider"] == "hashing" else given["provider"]
    wrapped = made(inner, **params["options"])
    return {"model": wrapped.model, "dimension": wrapped.dimension}


@operation("embedding.methods", {"attributes": {}, "gives": "list"})
def methods(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """What is called of a provider with `methods` for `texts`, or for two, and a question, and what comes of it."""
    kind = CallableProvider if "call" in given["methods"] else NamedProvider
    named = kind(given["methods"], params["attributes"], params["gives"], params.get("attributes_take", "nothing"))
    embedding = Embedding(named)  # type: ignore[arg-type]
    vectors = embedding.encode(given.get("texts", ["a", "bb"]))
    question = embedding.encode_queries("ccc")
    return {"asked": named.asked, "vectors": vectors, "question": question, "model": embedding.model}


@operation("embedding.match_dense")
def match_dense(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The nearest-neighbour query for a text."""
    embedding = Embedding(ScriptedProvider([given["answer"]]).answer)
    expression = embedding.match_dense(given["text"], topk=params["topk"], similarity=params["similarity"])
    return {
        "field": expression.field,
        "vector": list(expression.vector),
        "embedding_data_type": expression.embedding_data_type,
        "distance_type": expression.distance_type,
        "topn": expression.topn,
        "extra_options": dict(expression.extra_options),
    }


@operation("embedding.hashing", {"dimension": 256})
def hashing(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The vectors of texts by feature hashing."""
    embedder = HashingEmbedder(params["dimension"])
    vectors = embedder.encode(given["texts"])
    trace.stage("tokenise", [[list(feature) for feature in embedder.features(text)] for text in given["texts"]])
    return vectors


@operation("embedding.cache", {"capacity": 1024, "dimension": 8})
def cache(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """A script of look-ups: [kind, text or texts]; the text "fail" is an error of the provider."""
    recorder = RecordingProvider(params["dimension"], params.get("knows_dimension", True))
    cached = EmbeddingCache(recorder, capacity=params["capacity"])
    return [_cache_step(recorder, cached, *step) for step in given["steps"]]


@operation("embedding.named", {"options": {}})
def named(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The choice that a name makes."""
    return EmbeddingChoice.named(given["name"], **params["options"]).to_dict()


def _cache_step(recorder: RecordingProvider, cached: EmbeddingCache, kind: str, argument: Any = None) -> Any:
    recorder.asked = []
    calls = {
        "query": lambda: [list(cached.encode_queries(argument))],
        "passage": lambda: [list(vector) for vector in cached.encode(argument)],
        "clear": lambda: cached.clear(),
    }
    answer = _guarded(calls[kind])
    counts = {"hits": cached.hits, "misses": cached.misses, "size": cached.size}
    return {"answer": answer, "asked": recorder.asked, **counts}

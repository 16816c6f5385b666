"""Wrong calls over the whole public surface (ERR-3): each is refused with one message.

`on` names a class. `call` is "new" or a method, of an object that is made with what it needs, or of a class whose
methods need no object; `arguments` are given by their places, `options` by their names. `about` is what the message
must name.
"""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import hybrid_search
from conformance.implementations.python.registry import Trace, operation

DOCUMENT = {"id": "1", "content_ltks": "red wine", "q_2_vec": [1.0, 0.0]}

ACCEPTED = "accepted"
WITHOUT_OBJECT = ("BlockIndex.open", "Fusion", "PostProcessor.from_configuration", "RetrievalConfiguration.parse")


def _scores(query: str, texts: list[str]) -> list[float]:
    return [0.5] * len(texts)


def _store() -> Any:
    store = hybrid_search.MemoryDocStore()
    store.insert([DOCUMENT])
    return store


def _hashing() -> Any:
    return hybrid_search.HashingEmbedder(dimension=2)


def _blocks() -> Any:
    return hybrid_search.BlockIndex([{"file_path": "a.py"}], [[1.0, 0.0]])


PLACES: dict[str, Callable[[], list[Any]]] = {
    "BlockIndex": lambda: [[{"file_path": "a.py"}], [[1.0, 0.0]]],
    "ConvergentRetriever": lambda: [_blocks()],
    "DocumentBuilder": list,
    "Embedding": lambda: [_hashing()],
    "EmbeddingCache": lambda: [_hashing()],
    "HttpReranker": lambda: ["http://localhost/rerank", "model"],
    "OpenAiEmbedder": lambda: ["http://localhost/v1", "model"],
    "PartialRerank": lambda: [_scores],
    "PostProcessor": lambda: ["weighted_score"],
    "Reranker": lambda: [hybrid_search.QueryBuilder()],
    "RetrievalService": lambda: [_store()],
    "Retriever": lambda: [_store(), hybrid_search.QueryBuilder()],
}
"""What is given by place to make an object, where something has to be."""

NAMES: dict[str, dict[str, Any]] = {"PostProcessor": {"weights": "0.5,0.5"}}
"""What is given by name, unless a case gives another."""


@operation("wrong_calls.refused", {"on": None, "call": "new"})
def refused(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The error; what is not refused is `ACCEPTED`, which no case expects: results look otherwise in each language."""
    _called(params, given.get("arguments"), given.get("options", {}))
    return ACCEPTED


@operation("wrong_calls.first", {"on": None, "call": "new", "pairs": True})
def first(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """Of each two wrong arguments the one that is refused first.

    `arguments` and `options` are right; `wrong` has pairs of a place or a name, and a value that is wrong there. The
    answer is the message of each wrong value alone, and for each two of them which message both together cause: the
    place of the value in `wrong`, or another message. Without `pairs` each value is given alone only.
    """
    wrong = given["wrong"]
    alone = [_message(params, given, [one]) for one in wrong]
    if not params["pairs"]:
        return alone
    return {"alone": alone, "first": [_earlier(params, given, alone, pair) for pair in _pairs(wrong)]}


@operation("wrong_calls.lacking", {"on": None, "call": "new"})
def lacking(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """Return the message for an object that lacks methods, for each list in `without`.

    `arguments` are the right ones, `place` is the place or the name of the wrong one, and `methods` are all of its
    methods. The answer has "Partial" for the object's type.
    """
    return [_without(params, given, lacked) for lacked in given["without"]]


def _without(params: dict[str, Any], given: Any, lacked: list[str]) -> str:
    names = [name for name in given["methods"] if name not in lacked]
    partial = type("Partial", (), {name: lambda self, *_: None for name in names})()
    arguments = given.get("arguments") or PLACES.get(params["on"], list)()
    message = _message(params, {"arguments": arguments}, [[given["place"], partial]])
    return message.replace(f"{__name__}.Partial", "Partial")


def _pairs(wrong: list[Any]) -> list[tuple[int, int]]:
    """The places of each two values that are not wrong at the same place."""
    return [(one, other) for one, other in combinations(range(len(wrong)), 2) if wrong[one][0] != wrong[other][0]]


def _earlier(params: dict[str, Any], given: Any, alone: list[str], pair: tuple[int, int]) -> list[Any]:
    message = _message(params, given, [given["wrong"][place] for place in pair])
    return [*pair, next((place for place in pair if alone[place] == message), message)]


def _message(params: dict[str, Any], given: Any, wrong: list[Any]) -> str:
    """What a call with some wrong values says."""
    arguments, options = list(given.get("arguments", [])), dict(given.get("options", {}))
    for where, value in wrong:
        (options if isinstance(where, str) else arguments)[where] = value
    try:
        _called(params, arguments if arguments else None, options)
    except hybrid_search.HybridSearchError as error:
        return str(error)
    return ACCEPTED


def _called(params: dict[str, Any], arguments: list[Any] | None, options: dict[str, Any]) -> None:
    """Make an object, or call one of its methods."""
    name, method = params["on"], params["call"]
    owner: Any = getattr(hybrid_search, name)
    if method == "new":
        places = PLACES.get(name, list)() if arguments is None else arguments
        owner(*places, **{**(NAMES.get(name, {}) if arguments is None else {}), **options})
        return
    if name not in WITHOUT_OBJECT and f"{name}.{method}" not in WITHOUT_OBJECT:
        owner = owner(*PLACES.get(name, list)(), **NAMES.get(name, {}))
    getattr(owner, method)(*(arguments or []), **options)

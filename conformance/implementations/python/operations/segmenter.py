"""Operations over the segmenter and its dictionary (TXT-2, TXT-5, TXT-6)."""

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from conformance.implementations.python.registry import Trace, operation
from hybrid_search.errors import ConfigurationError
from hybrid_search.text.segmenter import Segmenter

FILE_NAME = "user.txt"


@cache
def _shared() -> Segmenter:
    return Segmenter()


def _segmenter(user_words: list[Any]) -> Segmenter:
    """A segmenter with user words, each a list of word, frequency and tag of which the last two may be missing."""
    if not user_words:
        return _shared()
    made = Segmenter()
    for entry in user_words:
        made.add_word(*entry)
    return made


@operation("segmenter.cut", defaults={"options": {}, "user_words": []})
def cut(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The words of a text."""
    segmenter = _segmenter(params["user_words"])
    words = segmenter.cut(given["text"], **params["options"])
    if params["options"].get("hmm", True):
        trace.stage("route", segmenter.cut(given["text"], hmm=False))
    return words


@operation("segmenter.lengths", defaults={"options": {}})
def lengths(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """Of each of `parts`, repeated to each of `sizes`: the number of words, the last two, and whether none is lost."""
    return [[_cut_of(part, size, params["options"]) for size in given["sizes"]] for part in given["parts"]]


def _cut_of(part: str, size: int, options: dict[str, Any]) -> Any:
    text = (part * size)[:size]
    words = _segmenter([]).cut(text, **options)
    return [len(words), words[-2:], "".join(words) == text]


@operation("segmenter.cut_for_search", defaults={"options": {}, "user_words": []})
def cut_for_search(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The words of a text and the shorter words in them."""
    segmenter = _segmenter(params["user_words"])
    words = segmenter.cut_for_search(given["text"], **params["options"])
    trace.stage("tokenise", segmenter.cut(given["text"], **params["options"]))
    return words


@operation("segmenter.best_route_without_whole", defaults={"user_words": []})
def best_route_without_whole(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The best route without the whole token, and the same with single letters and digits joined again."""
    segmenter = _segmenter(params["user_words"])
    route = segmenter.best_route_without_whole(given["token"])
    trace.stage("route", route)
    return {"route": route, "rejoined": segmenter.rejoin_latin(route)}


@operation("segmenter.suggest_frequency", defaults={"user_words": []})
def suggest_frequency(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The frequency suggested for each word."""
    segmenter = _segmenter(params["user_words"])
    found = [segmenter.suggest_frequency(word) for word in given["words"]]
    trace.stage("route", [segmenter.cut(word, hmm=False) for word in given["words"]])
    return found


@operation("segmenter.add_word", defaults={"options": {}})
def add_word(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """What words added one after another change, and that they change no other segmenter."""
    segmenter = Segmenter()
    for entry in given["words"]:
        segmenter.add_word(*entry, **params["options"])
    return _state(segmenter, given, trace)


@operation("segmenter.load_user_dict")
def load_user_dict(_params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """What a user dictionary changes: one with the given content (a text, or bytes in hex), or at the given path."""
    segmenter = Segmenter()
    if "path" in given:
        segmenter.load_user_dict(given["path"])
        return _state(segmenter, given, trace)
    content = bytes.fromhex(given["hex"]) if "hex" in given else given["content"].encode("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, FILE_NAME)
        path.write_bytes(content)
        try:
            segmenter.load_user_dict(path)
        except ConfigurationError as problem:
            raise ConfigurationError(str(problem).replace(str(path), FILE_NAME)) from None
    return _state(segmenter, given, trace)


def _state(segmenter: Segmenter, given: Any, trace: Trace) -> Any:
    texts = given.get("texts", [])
    terms = [[segmenter.frequency(term), segmenter.tag(term)] for term in given.get("terms", [])]
    trace.stage("look up", terms)
    routes = [segmenter.cut(text, hmm=False) for text in texts]
    trace.stage("route", routes)
    return {
        "cut": [segmenter.cut(text) for text in texts],
        "without_model": routes,
        "elsewhere": [_shared().cut(text) for text in texts],
        "terms": terms,
        "total": segmenter.dictionary.total,
    }

"""Operations of an index's searches (CUR-1 … CUR-4, CUR-7): scripts of calls, whole walks, damaged cursors."""

import base64
import hashlib
import json
from contextlib import ExitStack
from functools import partial
from typing import Any

from conformance.implementations.python import corpora, stores
from conformance.implementations.python.meanwhile import Meanwhile
from conformance.implementations.python.registry import Trace, operation
from conformance.implementations.python.scripted_model import ScriptedModel
from conformance.implementations.python.scripted_rewrite import ScriptedRewrite
from hybrid_search.base import canonical_json
from hybrid_search.embedding.hashing import HashingEmbedder
from hybrid_search.errors import HybridSearchError
from hybrid_search.index import Index
from hybrid_search.search.page import Page
from hybrid_search.search.ranking_cache import RankingCache

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
REPLACED_BY = (1, 17, 32)
"""A flipped character becomes those so many places on in the alphabet."""


@operation("search.canonical", {"digits": None})
def canonical(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The canonical JSON of a value, or that there is none; `digits` makes it a whole number of so many nines."""
    digits = params["digits"]
    try:
        return canonical_json.write(given if digits is None else given * int("9" * digits))
    except ValueError:
        return {"refused": True}


@operation("search.script", {"dimension": None, "options": {}, "cache": None})
def script(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """What each step of `steps` answers; a step is [method, argument, options], see `_Script`."""
    return _Script(params, given).run()


@operation("search.page", {"dimension": None, "options": {}, "cursor": None})
def page(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """One page of a question over `records`, from a cursor that may come from anywhere."""
    with _index(params["dimension"], {}) as index:
        index.add(given["records"])
        return _told(index.search(given["question"], cursor=params["cursor"], **params["options"]))


@operation("search.walk", {"dimension": None, "options": {}, "cache": None})
def walk(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """What each step of one walk over `records` answers, see `_Walk`."""
    now = _Now()
    cache = None if params["cache"] is None else RankingCache(clock=now, **params["cache"])
    with _index(params["dimension"], {**params["options"], "ranking_cache": cache}) as index:
        index.add(given["records"])
        steps = _Walk(index, given["question"], now)
        return [steps.answer(step) for step in given["steps"]]


@operation("search.walks", {"dimension": None, "options": {}})
def walks(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """For each number of candidates and limit a walk over a corpus: whether it is the one order, what its pages say."""
    collection = corpora.load(given["corpus"])
    index = Index(store=collection.store(), embedding=collection.embedding())
    return [_walk_table(index, given["question"], {**params["options"], "candidates": each}, params["limits"])
            for each in params["candidates"]]  # fmt: skip


@operation("search.shared_cache", {"options": {}})
def shared_cache(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The first page of a question in each of several indexes that share one cache, twice, and what is kept then."""
    cache = RankingCache()
    with ExitStack() as stack:
        indexes = []
        for records in given["indexes"]:
            indexes.append(stack.enter_context(_index(None, {**params["options"], "ranking_cache": cache})))
            indexes[-1].add(records)
        pages = [[_told(index.search(given["question"])) for index in indexes] for _ in range(2)]
    return {"pages": pages, "kept": _kept(cache)}


@operation("search.damaged", {"dimension": None, "options": {}})
def damaged(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """What a cursor says with any one character flipped, with anything cut off or added: message → count."""
    counts: dict[str, int] = {}
    with _index(params["dimension"], params["options"]) as index:
        index.add(given["records"])
        cursor = index.search(given["question"], limit=1).next_cursor
        assert cursor is not None
        for text in _damages(cursor):
            message = _message(partial(index.search, given["question"], limit=1, cursor=text))
            counts[message] = counts.get(message, 0) + 1
    return {"length": len(cursor), "messages": counts}


class _Now:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class _Walk:
    """One walk; each of its steps is an object and asks for the page after the last one, from the first page on.

    | key of a step | value |
    |---|---|
    | `delete`, `add` | ids that are removed, then records that are added, before the page is asked for |
    | `wait` | seconds that the clock of the cache goes on before |
    | `options` | of this page, beside those of the walk |
    | `flip` | [place, by]: the character there becomes the one so many places on in the alphabet |
    | `cut` | how many characters at the end are missing |

    A page that is refused moves nothing: the next step asks for it again. After the last page comes the first.
    """

    def __init__(self, index: Index, question: str, now: _Now) -> None:
        self._index = index
        self._question = question
        self._now = now
        self._cursor: str | None = None

    def answer(self, step: dict[str, Any]) -> Any:
        try:
            self._change(step)
            cursor = None if self._cursor is None else _spoilt(self._cursor, step)
            found = self._index.search(self._question, cursor=cursor, **step.get("options", {}))
        except HybridSearchError as error:
            return {"error": type(error).__name__, "message": str(error)}
        self._cursor = found.next_cursor
        return _told(found)

    def _change(self, step: dict[str, Any]) -> None:
        self._now.seconds += step.get("wait", 0.0)
        if "delete" in step:
            self._index.delete(step["delete"])
        if "add" in step:
            self._index.add(step["add"])


class MistakeError(Exception):
    """A step asks for what the script does not have."""


class _Script:
    """Calls on one index.

    | option of `search` | value |
    |---|---|
    | `cursor` | a text; `{of: n}`: the next cursor of the step n; see `_edited` for what may be done to it |
    | `rerank_model` | the name of one of `models` (see `ScriptedModel`), or `name.method` |
    | `rewrite` | the name of one of `rewrites` (see `ScriptedRewrite`) |

    `fill` takes a number, how many records are made of it and the numbers after it, and records that follow them.
    `meanwhile` takes pairs of a number and a step: the step is made before the read of that number that the next step
    makes of the store, the first is 1. `reopen` takes a dimension, or null for no embedding, and goes on with another
    index over the same store. `beneath` takes a method of the store and its argument: the index does not notice.
    """

    def __init__(self, params: dict[str, Any], given: Any) -> None:
        self._now = _Now()
        self._cache = None if params["cache"] is None else RankingCache(clock=self._now, **params["cache"])
        self._index = _index(params["dimension"], {**params["options"], "ranking_cache": self._cache})
        self._models = {name: ScriptedModel(described) for name, described in given.get("models", {}).items()}
        self._rewrites = {name: ScriptedRewrite(answers) for name, answers in given.get("rewrites", {}).items()}
        self._options = {**params["options"], "ranking_cache": self._cache}
        self._steps = given["steps"]
        self._cursors: list[str | None] = []
        self._changing: Meanwhile | None = None

    def run(self) -> list[Any]:
        """The answers."""
        answers = []
        with self._index:
            for step in self._steps:
                self._cursors.append(None)
                answers.append(self._answer(*step))
        return answers

    def _answer(self, method: str, argument: Any = None, options: dict[str, Any] | None = None) -> Any:
        try:
            return getattr(self, f"_{method}")(argument, self._read(options or {}))
        except (HybridSearchError, MistakeError) as error:
            return {"error": type(error).__name__, "message": str(error)}

    def _add(self, records: Any, options: dict[str, Any]) -> Any:
        return self._index.add(records, **options)

    def _fill(self, which: list[Any], options: dict[str, Any]) -> Any:
        first, count, *last = which
        return self._index.add([*_made(first, count), *last], **options)

    def _update(self, records: Any, options: dict[str, Any]) -> Any:
        return self._index.update(records, **options)

    def _upsert(self, records: Any, options: dict[str, Any]) -> Any:
        return self._index.upsert(records, **options)

    def _delete(self, ids: Any, options: dict[str, Any]) -> Any:
        return self._index.delete(ids, **options)

    def _count(self, argument: Any, options: dict[str, Any]) -> Any:
        return self._index.count(**options)

    def _reopen(self, dimension: int | None, options: dict[str, Any]) -> Any:
        if self._changing is not None:
            raise MistakeError("the store is another one since meanwhile")
        embedding = None if dimension is None else HashingEmbedder(dimension=dimension)
        self._index = Index(embedding=embedding, store=self._index.store, **self._options)

    def _beneath(self, call: list[Any], options: dict[str, Any]) -> Any:
        method, argument = call
        return getattr(self._index.store, method)(argument)

    def _meanwhile(self, changes: Any, options: dict[str, Any]) -> Any:
        if self._changing is None:
            self._changing = Meanwhile(self._index.store)
        self._changing.arm({number: partial(self._answer, *step) for number, step in changes})

    def _wait(self, seconds: float, options: dict[str, Any]) -> Any:
        self._now.seconds += seconds
        return None

    def _clear(self, argument: Any, options: dict[str, Any]) -> Any:
        if self._cache is None:
            raise MistakeError("there is no cache")
        self._cache.clear()

    def _kept(self, argument: Any, options: dict[str, Any]) -> Any:
        if self._cache is None:
            raise MistakeError("there is no cache")
        return _kept(self._cache)

    def _asked(self, name: str, options: dict[str, Any]) -> Any:
        return [len(texts) for _, texts in self._model(name).asked]

    def _rewritten(self, name: str, options: dict[str, Any]) -> Any:
        return list(self._rewrite(name).asked)

    def _similar(self, identifier: str, options: dict[str, Any]) -> Any:
        return _told(self._index.similar(identifier, **options))

    def _each(self, question: str, options: dict[str, Any]) -> Any:
        return [hit.id for hit in self._index.each(question, **options)]

    def _search(self, question: str, options: dict[str, Any]) -> Any:
        found = self._index.search(question, **options)
        self._cursors[-1] = found.next_cursor
        return _told(found)

    def _whole(self, question: str, options: dict[str, Any]) -> Any:
        found = self._index.search(question, **options)
        self._cursors[-1] = found.next_cursor
        return found.to_dict()

    def _printed(self, question: str, options: dict[str, Any]) -> Any:
        """The one line of each hit, without what only one of the languages writes."""
        return [repr(hit) for hit in self._index.search(question, **options)]

    def _read(self, options: dict[str, Any]) -> dict[str, Any]:
        read = dict(options)
        if isinstance(options.get("cursor"), dict) and "of" in options["cursor"]:
            read["cursor"] = _edited(self._cursor_of(options["cursor"]["of"]), options["cursor"])
        if isinstance(options.get("rerank_model"), str):
            read["rerank_model"] = self._model(options["rerank_model"])
        if isinstance(options.get("rewrite"), str):
            read["rewrite"] = self._rewrite(options["rewrite"])
        return read

    def _rewrite(self, name: str) -> ScriptedRewrite:
        if name not in self._rewrites:
            raise MistakeError(f"there is no rewrite {name}")
        return self._rewrites[name]

    def _model(self, name: str) -> Any:
        model, _, method = name.partition(".")
        if model not in self._models:
            raise MistakeError(f"there is no model {model}")
        return getattr(self._models[model], method) if method else self._models[model]

    def _cursor_of(self, step: int) -> str:
        """The next cursor of a step."""
        cursor = self._cursors[step] if type(step) is int and 0 <= step < len(self._cursors) else None
        if cursor is None:
            raise MistakeError(f"step {step} has no next cursor")
        return cursor


def _index(dimension: int | None, options: dict[str, Any]) -> Index:
    embedding = None if dimension is None else HashingEmbedder(dimension=dimension)
    return Index(embedding=embedding, **stores.of_index(), **options)


def _made(first: int, count: int) -> list[dict[str, Any]]:
    """Records of their numbers alone: one keyword is of all, and the lower the number, the shorter the content."""
    return [
        {
            "id": f"d{number:04d}",
            "content": f"red wine u{number} v{number} w{number}" + " x" * (number % 11),
            "keywords": ["cellar", f"k{number % 3}"],
            "metadata": {"n": number},
        }
        for number in range(first, first + count)
    ]


def _kept(cache: RankingCache) -> dict[str, int]:
    return {"size": cache.size, "bytes": cache.bytes, "hits": cache.hits, "misses": cache.misses}


def _told(found: Page) -> dict[str, Any]:
    """A page without the texts of its hits."""
    plain = found.to_dict()
    plain["hits"] = [[hit.id, hit.score, *hit.scores.to_dict().values()] for hit in found.hits]
    return plain


def _edited(cursor: str, edits: dict[str, Any]) -> Any:
    """A cursor with parts `set` or `without`, `sign`ed as without a secret where asked for; then `append`ed to.

    `fill` is the name of a part, a text, that is made so long that all parts are so many bytes.
    """
    parts = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    if "set" in edits or "without" in edits:
        parts = {**parts, **edits.get("set", {})}
        parts = {name: value for name, value in parts.items() if name != edits.get("without")}
        if "fill" in edits:
            name, size = edits["fill"]
            parts[name] += "x" * (size - len(canonical_json.write(parts).encode("utf-8")))
        if edits.get("sign"):
            del parts["c"]
            parts["c"] = hashlib.sha256(canonical_json.write(parts).encode("utf-8")).hexdigest()[:16]
        cursor = base64.urlsafe_b64encode(canonical_json.write(parts).encode("utf-8")).decode("ascii").rstrip("=")
    return cursor + edits.get("append", "")


def _spoilt(cursor: str, step: dict[str, Any]) -> str:
    """A cursor with one character flipped or the end cut off, wherever numbers that are too large lead."""
    place, by = step.get("flip", (0, 0))
    cut = step.get("cut", 0) % len(cursor)
    return _flipped(cursor, place % len(cursor), by)[: len(cursor) - cut]


def _flipped(cursor: str, place: int, by: int) -> str:
    other = ALPHABET[(ALPHABET.index(cursor[place]) + by) % len(ALPHABET)]
    return cursor[:place] + other + cursor[place + 1 :]


def _damages(cursor: str) -> list[str]:
    flipped = [_flipped(cursor, place, by) for place in range(len(cursor)) for by in REPLACED_BY]
    cut = [cursor[:length] for length in range(len(cursor))] + [cursor[length:] for length in range(1, len(cursor))]
    added = [cursor + more for more in ("=", "A", "AA", " ", "\n", "é")] + [" " + cursor, cursor + cursor]
    return [*flipped, *cut, *added]


def _message(call: Any) -> str:
    try:
        call()
    except HybridSearchError as error:
        return f"{type(error).__name__}: {error}"
    return "accepted"


def _walk_table(index: Index, question: str, options: dict[str, Any], limits: list[int]) -> dict[str, Any]:
    everything = [hit.id for hit in index.each(question, **options)]
    tables = []
    for limit in limits:
        pages = _walked(index, question, {**options, "limit": limit})
        shown = [[hit.id for hit in page] for page in pages]
        numbered = [index.search(question, **{**options, "limit": limit, "page": page.page}).hits for page in pages]
        cursors = "\n".join(str(page.next_cursor) for page in pages)
        tables.append(
            {
                "limit": limit,
                "pages": len(pages),
                "same": [one for page in shown for one in page] == everything,
                "full": all(len(page) == limit for page in shown[:-1]),
                "cursors": hashlib.sha256(cursors.encode("utf-8")).hexdigest(),
                "numbers": [page.page for page in pages][-3:],
                "numbered": numbered == [page.hits for page in pages],
            }
        )
    return {"candidates": options["candidates"], "ids": everything, "once": len(set(everything)) == len(everything),
            "walks": tables}  # fmt: skip


def _walked(index: Index, question: str, options: dict[str, Any]) -> list[Page]:
    pages = [index.search(question, **options)]
    while (cursor := pages[-1].next_cursor) is not None:
        pages.append(index.search(question, **options, cursor=cursor))
    return pages

"""Walks over two languages: pages in turn (CUR-3), and pages of one while the other changes the file (CUR-2)."""

import itertools
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.implementations import listing
from conformance.tests.index_files import RubyFile
from conformance.wire.child import Child
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from hybrid_search.embedding.hashing import HashingEmbedder
from hybrid_search.index import Index
from hybrid_search.records.document_builder import DocumentBuilder
from hybrid_search.search.ranking_cache import RankingCache

pytestmark = pytest.mark.programs

RECORDS = [
    {"id": f"文-{number % 7}-{number}", "content": f"red {'wine' if number % 2 else 'door'} 规则 6-2-{number % 5}",
     "metadata": {"n": [number % 3, number % 4 + 0.5]}}
    for number in range(33)
]  # fmt: skip
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("red wine 规则", {"min_score": 0.0}),
    ("red wine 规则", {"min_score": 0.0, "filters": {"metadata.n": {"gte": 1.5}}, "fusion": "rrf"}),
    ("规则 6-2-1", {"min_score": 0.1, "order_by": [["metadata.n", "desc"]]}),
    ("", {"match_all": True, "order_by": [["metadata.n", "asc"]]}),
]


def encoded(value: Any) -> Any:
    """Options as they are sent, with floats as their bits."""
    from conformance.implementations.python import codec

    return codec.encode(value)


def page_of(child: Child, question: str, options: dict[str, Any], cursor: str | None) -> dict[str, Any]:
    params = {"dimension": 16, "options": options, "cursor": cursor}
    answer = child.ask("search.page", encoded(params), encoded({"records": RECORDS, "question": question}), False)
    assert "value" in answer, answer
    page: dict[str, Any] = answer["value"]
    return page


def walked(children: list[Child], question: str, options: dict[str, Any]) -> list[dict[str, Any]]:
    pages: list[dict[str, Any]] = []
    for child in itertools.cycle(children):
        pages.append(page_of(child, question, options, pages[-1]["next_cursor"] if pages else None))
        if pages[-1]["next_cursor"] is None:
            return pages
    raise AssertionError


@pytest.fixture(scope="module")
def languages() -> Iterator[list[Child]]:
    chosen = [one for one in listing.installed(listing.load(), named=False)[0] if one.name in ("reference", "ruby")]
    assert len(chosen) == 2
    with Child(chosen[0]) as one, Child(chosen[1]) as other:
        yield [one, other]


@pytest.mark.parametrize(
    ("question", "options"),
    [ASKED[0], ASKED[-1], *(pytest.param(*one, marks=pytest.mark.nightly) for one in ASKED[1:-1])],
)
def test_pages_alternate_between_languages(question, options, languages):
    alone = walked(languages[:1], question, {**options, "limit": 5})
    assert len(alone) >= 4
    assert walked(languages, question, {**options, "limit": 5}) == alone
    assert walked(languages[::-1], question, {**options, "limit": 5}) == alone
    ids = [hit[0] for page in alone for hit in page["hits"]]
    assert len(ids) == len(set(ids))


STAYING, PASSING = 90, 60
LANGUAGES = ("python", "ruby")
COMING_AND_GOING: list[tuple[dict[str, Any], int]] = [
    ({"candidates": 64}, 3),
    ({"candidates": 1024}, 3),
    ({"order_by": [["metadata.n", "desc"]]}, 10),
    ({"match_all": True, "order_by": [["metadata.n", "asc"]]}, 10),
]
"""Requests, and the number of hits on a page."""


class PythonFile:
    """What a `RubyFile` is, in this process."""

    def __init__(self, path: Path) -> None:
        self._store = SqliteDocStore(path, synchronous="normal")
        self._indexes: dict[bool, Index] = {}

    def __enter__(self) -> "PythonFile":
        return self

    def __exit__(self, *error: object) -> None:
        self._store.close()

    def __call__(self, method: str, argument: Any) -> Any:
        if method != "page":
            return getattr(self._store, method)(argument)
        page = self._index(argument["cached"]).search(argument["question"], **argument["options"])
        return [[hit.id for hit in page], page.next_cursor]

    def _index(self, cached: bool) -> Index:
        if cached not in self._indexes:
            cache = RankingCache() if cached else None
            embedder = HashingEmbedder(dimension=8)
            made = Index(store=self._store, embedding=embedder, ranking_cache=cache, min_score=0.0)
            self._indexes[cached] = made
        return self._indexes[cached]


def stored(numbers: range) -> list[dict[str, Any]]:
    """Documents, of which every second one is ranked first."""
    builder = DocumentBuilder(embedding=HashingEmbedder(dimension=8))
    words = ("red wine 规则", "red door 6-2-1")
    return builder.build_many(
        [
            {"id": f"{number * 37 % 97:02}-{number}", "content": words[number % 2], "metadata": {"n": number % 5}}
            for number in numbers
        ]
    )


class Changes:
    """Adds and removes documents in a file until the block ends.

    Args:
        change: calls a method of the file.
        passing: the documents to add and remove, each once, starting with those already stored.
    """

    def __init__(self, change: Any, passing: list[dict[str, Any]]) -> None:
        self._change = change
        self._passing = passing
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.count = 0

    def __enter__(self) -> "Changes":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        source = random.Random(14)
        there: list[str] = []
        for document in self._passing:
            if self._ended.is_set():
                break
            self.count += self._change("insert", [document])
            there.append(document["id"])
            if len(there) > 8:
                self.count += self._change("delete", [there.pop(source.randrange(len(there)))])
        self._change("delete", there)


@pytest.mark.parametrize("cached", [False, True], ids=["ranked anew", "from the cache"])
@pytest.mark.parametrize("walker", LANGUAGES)
def test_a_walk_continues_while_the_other_language_changes_the_file(walker, cached, tmp_path):
    """Documents that stay are shown once, others at most once; pages from the cache show the state at the start.

    Without a cache this holds for scores that no other document changes (CUR-2); with one, for a balanced index.
    """
    profile = {} if cached else {"profile": "ragflow"}
    path = tmp_path / "index.hsx"
    with RubyFile(path) as ruby, PythonFile(path) as python:
        walk, change = (python, ruby) if walker == "python" else (ruby, python)
        staying = stored(range(STAYING))
        change("insert", staying)
        for number, (wanted, limit) in enumerate(COMING_AND_GOING):
            asked = wanted if wanted.get("match_all") else {**wanted, **profile}
            first = STAYING + number * PASSING
            whole = page_ids(walk, cached, {**asked, "limit": 1024})[0]
            shown, cursor = page_ids(walk, cached, {**asked, "limit": limit})
            with Changes(change, stored(range(first, first + PASSING))) as changes:
                while cursor is not None:
                    page, cursor = page_ids(walk, cached, {**asked, "limit": limit, "cursor": cursor})
                    shown += page
            assert changes.count > 0
            assert len(shown) == len(set(shown))
            if cached and not asked.get("match_all"):
                assert shown == whole
            elif asked.get("candidates") != 64:
                assert {one["id"] for one in staying} <= set(shown)
                assert [one for one in shown if one in set(whole)] == whole


def page_ids(walk: Any, cached: bool, options: dict[str, Any]) -> tuple[list[str], str | None]:
    question = "" if options.get("match_all") else "red wine 规则"
    ids, cursor = walk("page", {"cached": cached, "question": question, "options": options})
    return ids, cursor

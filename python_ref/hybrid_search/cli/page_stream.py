"""Writes a page as JSON Lines: `meta`, its hits as they are found, `done` (CUR-5)."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hybrid_search.base import validation
from hybrid_search.cli import page_table
from hybrid_search.cli.console import Console
from hybrid_search.search.page import Page
from hybrid_search.search.search_options import SEARCH_DEFAULTS

PIECE = 256
"""The number of documents that are read at once with `match_all`, for any limit."""

Search = Callable[[Mapping[str, Any]], Page]
"""Returns a page for some options."""


def write(search: Search, question: str, options: Mapping[str, Any], most: int, console: Console) -> None:
    """Write a page line by line, flushing after each line.

    Args:
        search: returns pages.
        question: the text to search for.
        options: the options of the page.
        most: the largest limit.
        console: the output.
    """
    returned = 0
    piece = None
    for piece in _pieces(search, options, most):
        if returned == 0:
            console.write_json(_meta(question, piece), flush=True)
            page_table.warn(piece, console)
        _write_hits(piece, console)
        returned += len(piece)
    assert piece is not None
    console.write_json({
        "type": "done",
        "returned": returned,
        "index_changed": piece.index_changed,
        "next_cursor": piece.next_cursor,
    }, flush=True)  # fmt: skip


def _pieces(search: Search, options: Mapping[str, Any], most: int) -> Iterator[Page]:
    """Yield a page as a whole; a page of many documents in pieces, each with the number and the limit of the page."""
    limit = validation.integer("limit", options.get("limit", SEARCH_DEFAULTS["limit"]), 1)
    if "match_all" in options and min(limit, most) > PIECE:
        yield from _long(search, options, min(limit, most))
    else:
        yield search(options)


def _long(search: Search, options: Mapping[str, Any], limit: int) -> Iterator[Page]:
    number = options.get("page", 1)
    options = {name: value for name, value in options.items() if name != "page"}
    if number > 1:
        before = search({**options, "limit": 1, "page": (number - 1) * limit})
        if before.next_cursor is None:
            yield dataclasses.replace(before, hits=(), page=number, limit=limit)
            return
        options["cursor"] = before.next_cursor
    elif "cursor" in options:
        number = (search({**options, "limit": 1}).page - 1) // limit + 1
    room = limit
    while True:
        piece = search({**options, "limit": min(PIECE, room)})
        yield dataclasses.replace(piece, page=number, limit=limit)
        room -= len(piece)
        if piece.next_cursor is None or room <= 0:
            return
        options = {**options, "facets": None, "cursor": piece.next_cursor}


def _meta(question: str, page: Page) -> dict[str, Any]:
    """Return the facts about the page that are known before its hits."""
    plain = dataclasses.replace(page, hits=()).to_dict()
    del plain["hits"], plain["next_cursor"]
    if "explain" in plain:
        plain["explain"] = {name: value for name, value in plain["explain"].items() if name != "hits"}
    return {"type": "meta", "question": question, **plain}


def _write_hits(page: Page, console: Console) -> None:
    explained = None if page.explain is None else page.explain["hits"]
    for place, hit in enumerate(page):
        parts = {} if explained is None else {"explain": explained[place]}
        console.write_json({"type": "hit", **hit.to_dict(), **parts}, flush=True)

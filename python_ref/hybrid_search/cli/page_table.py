"""Prints a page of hits as a table (CUR-5)."""

import shutil
from typing import Any

from hybrid_search.base import json_writer, numeric
from hybrid_search.cli import table_view
from hybrid_search.cli.command import PROGRAM
from hybrid_search.cli.console import Console
from hybrid_search.search.hit import Hit
from hybrid_search.search.page import Page

HEAD = ("score", "bm25", "cosine", "id", "title", "text")
LONGEST_NAME = 32
LONGEST_TEXT = 400
EM = ("<em>", "</em>")
BRACKETS = ("[", "]")
ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&#x27;": "'", "&amp;": "&"}


def show(page: Page, by_cursor: bool, console: Console) -> None:
    """Print a page as a table, and how to reach the next page.

    Args:
        page: the page.
        by_cursor: whether the page was reached by a cursor; then the next cursor is printed, otherwise the next number.
        console: the output.
    """
    if page.hits:
        console.write(_table(page, console))
    for name, values in (page.facets or {}).items():
        counted = ", ".join(f"{_plain(entry['value'])}: {entry['count']}" for entry in values)
        console.write(f"{name}: {counted}\n")
    console.write(f"{_place(page)}{_onward(page, by_cursor)}\n")
    if page.index_changed:
        console.complain(PROGRAM, "warning: the index has changed since the first page")
    warn(page, console)


def warn(page: Page, console: Console) -> None:
    """Print the warnings of a page to standard error."""
    for warning in page.warnings:
        console.complain(PROGRAM, f"warning: {warning}")


def _table(page: Page, console: Console) -> str:
    width = shutil.get_terminal_size((100, 24)).columns
    styled = console.is_terminal
    rows = _rows(page, table_view.MARKS if styled else BRACKETS)
    return "".join(f"{line}\n" for line in table_view.lines(HEAD, rows, width, styled))


def _place(page: Page) -> str:
    """Return the number of the page, and the number of pages."""
    if page.total == 0:
        return "no hits"
    count = "1 hit" if page.total == 1 else f"{page.total} hits"
    return f"page {page.page} of {page.pages}, {'at least ' if page.total_is_lower_bound else ''}{count}"


def _onward(page: Page, by_cursor: bool) -> str:
    if page.next_cursor is None:
        return ""
    return f"; more with --cursor {page.next_cursor}" if by_cursor else f"; more with --page {page.page + 1}"


def _rows(page: Page, marks: tuple[str, str]) -> list[list[str]]:
    return [_row(hit, marks) for hit in page]


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json_writer.write(value)


def _row(hit: Hit, marks: tuple[str, str]) -> list[str]:
    scores = (hit.score, hit.scores.bm25, hit.scores.cosine)
    shown = ["" if score is None else numeric.fixed4(score) for score in scores]
    names = [table_view.cut(name, LONGEST_NAME) for name in (hit.id, hit.title or hit.document_name)]
    return [*shown, *names, _text(hit, marks)]


def _text(hit: Hit, marks: tuple[str, str]) -> str:
    """Return the displayed text of a hit, with highlighted matches between `marks`."""
    if hit.highlight is None:
        return hit.content[:LONGEST_TEXT]
    text = hit.highlight.replace(EM[0], marks[0]).replace(EM[1], marks[1])
    for entity, character in ENTITIES.items():
        text = text.replace(entity, character)
    return text[:LONGEST_TEXT]

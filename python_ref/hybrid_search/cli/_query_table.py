"""A page of answers for people (CUR-5)."""

import shutil
from typing import Any

from hybrid_search import _json_writer as json_writer
from hybrid_search import _numeric as numeric
from hybrid_search.cli import _table_view as table_view
from hybrid_search.cli._command import PROGRAM
from hybrid_search.cli._console import Console
from hybrid_search.retriever.query_result import QueryHit, QueryResult

HEAD = ("#", "score", "term", "vector", "id", "document", "text")
LONGEST_NAME = 32
LONGEST_TEXT = 400
EM = ("<em>", "</em>")
BRACKETS = ("[", "]")
ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&#x27;": "'", "&amp;": "&"}


def show(page: QueryResult, console: Console) -> None:
    """Print a page as a table, and how to go on."""
    count = len(page.results)
    if count:
        console.write(_table(page, console))
    for name, values in (page.facets or {}).items():
        counted = ", ".join(f"{_plain(entry['value'])}: {entry['count']}" for entry in values)
        console.write(f"{name}: {counted}\n")
    told = "no results" if not count else "1 result" if count == 1 else f"{count} results"
    console.write(f"{told}; more with --cursor {page.next_cursor}\n" if page.next_cursor else f"{told}\n")
    if page.paging.index_changed:
        console.complain(PROGRAM, "warning: the index has changed since the first page")
    warn(page, console)


def warn(page: QueryResult, console: Console) -> None:
    """Print the warnings of a page to standard error."""
    for warning in page.warnings:
        console.complain(PROGRAM, f"warning: {warning}")


def _table(page: QueryResult, console: Console) -> str:
    """The results; as rich draws them, where people look and rich is installed."""
    width = shutil.get_terminal_size((100, 24)).columns
    if console.is_terminal:
        from hybrid_search.cli import _rich_terminal as rich_terminal

        if rich_terminal.is_there():
            return rich_terminal.table(HEAD, _rows(page, rich_terminal.MARKS), width)
    return "\n".join(table_view.lines(HEAD, _rows(page, BRACKETS), width)) + "\n"


def _rows(page: QueryResult, marks: tuple[str, str]) -> list[list[str]]:
    return [_row(page.paging.position + place, hit, marks) for place, hit in enumerate(page.results, start=1)]


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json_writer.write(value)


def _row(number: int, hit: QueryHit, marks: tuple[str, str]) -> list[str]:
    scores = [numeric.fixed4(score) for score in (hit.score, hit.term_similarity, hit.vector_similarity)]
    names = [table_view.cut(name, LONGEST_NAME) for name in (hit.chunk_id, hit.document_name)]
    return [str(number), *scores, *names, _text(hit, marks)]


def _text(hit: QueryHit, marks: tuple[str, str]) -> str:
    """What is shown of its text: with the matches between `marks`, where they are marked."""
    if hit.highlight is None:
        return hit.content[:LONGEST_TEXT]
    text = hit.highlight.replace(EM[0], marks[0]).replace(EM[1], marks[1])
    for entity, character in ENTITIES.items():
        text = text.replace(entity, character)
    return text[:LONGEST_TEXT]

"""A page of answers for people (CUR-5)."""

import shutil

from hybrid_search import _numeric as numeric
from hybrid_search.cli import _table_view as table_view
from hybrid_search.cli._command import PROGRAM
from hybrid_search.cli._console import Console
from hybrid_search.retriever.query_result import QueryHit, QueryResult

HEAD = ("#", "score", "term", "vector", "id", "document", "text")
LONGEST_NAME = 32
LONGEST_TEXT = 400
MARKS = ("<em>", "</em>")
ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&#x27;": "'", "&amp;": "&"}


def show(page: QueryResult, console: Console) -> None:
    """Print a page as a table, and how to go on."""
    rows = [_row(page.paging.position + place, hit) for place, hit in enumerate(page.results, start=1)]
    if rows:
        width = shutil.get_terminal_size((100, 24)).columns
        console.write("\n".join(table_view.lines(HEAD, rows, width)) + "\n")
    for name, values in (page.facets or {}).items():
        counted = ", ".join(f"{entry['value']}: {entry['count']}" for entry in values)
        console.write(f"{name}: {counted}\n")
    told = "no results" if not rows else "1 result" if len(rows) == 1 else f"{len(rows)} results"
    console.write(f"{told}; more with --cursor {page.next_cursor}\n" if page.next_cursor else f"{told}\n")
    if page.paging.index_changed:
        console.complain(PROGRAM, "warning: the index has changed since the first page")
    for warning in page.warnings:
        console.complain(PROGRAM, f"warning: {warning}")


def _row(number: int, hit: QueryHit) -> list[str]:
    scores = [numeric.fixed4(score) for score in (hit.score, hit.term_similarity, hit.vector_similarity)]
    names = [table_view.cut(name, LONGEST_NAME) for name in (hit.chunk_id, hit.document_name)]
    return [str(number), *scores, *names, _text(hit)]


def _text(hit: QueryHit) -> str:
    """What is shown of its text: with the matches in square brackets, where they are marked."""
    if hit.highlight is None:
        return hit.content[:LONGEST_TEXT]
    text = hit.highlight.replace(MARKS[0], "[").replace(MARKS[1], "]")
    for entity, character in ENTITIES.items():
        text = text.replace(entity, character)
    return text[:LONGEST_TEXT]

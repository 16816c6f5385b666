"""One page as JSON Lines: `meta`, its results as they come, `done` (CUR-5)."""

from collections.abc import Mapping
from typing import Any

from hybrid_search import _validation as validation
from hybrid_search.cli import _query_table as query_table
from hybrid_search.cli._console import Console
from hybrid_search.index import Index
from hybrid_search.retriever.query_result import QueryResult

PIECE = 256
"""So many documents are read at once where all are shown, however many are asked for."""
DEFAULT_LIMIT = 10


class QueryStream:
    """Writes a page line by line; each line is handed on at once.

    Args:
        index: answers.
        console: where lines are written.
        max_results: the cap of the index.
    """

    def __init__(self, index: Index, console: Console, max_results: int) -> None:
        self._index = index
        self._console = console
        self._max_results = max_results

    def write(self, question: str, options: Mapping[str, Any]) -> None:
        """Write the page that a question and its options ask for."""
        limit = min(validation.integer("limit", options.get("limit", DEFAULT_LIMIT), 1), self._max_results)
        size = min(limit, PIECE) if options.get("match_all") else limit
        piece = self._index.query(question, **{**options, "limit": size})
        first = piece.paging
        meta = {
            "type": "meta",
            "question": question,
            **piece.to_dict()["paging"],
            "limit": limit,
            "warnings": list(piece.warnings),
        }
        del meta["returned"], meta["capped"]
        self._console.write_json({**meta, **_shown_once(piece)}, flush=True)
        query_table.warn(piece, self._console)
        returned = self._results(piece)
        while piece.next_cursor is not None and returned < limit:
            later = {**options, "facets": None, "cursor": piece.next_cursor, "limit": min(size, limit - returned)}
            piece = self._index.query(question, **later)
            returned += self._results(piece)
        self._console.write_json({
            "type": "done",
            "returned": returned,
            "position": first.position + returned,
            "capped": piece.paging.capped,
            "index_changed": piece.paging.index_changed,
            "next_cursor": piece.next_cursor,
        }, flush=True)  # fmt: skip

    def _results(self, piece: QueryResult) -> int:
        explained = None if piece.explain is None else piece.explain["results"]
        for place, hit in enumerate(piece.results):
            parts = {} if explained is None else {"explain": explained[place]}
            number = piece.paging.position + place + 1
            self._console.write_json({"type": "result", "number": number, **hit.to_dict(), **parts}, flush=True)
        return len(piece.results)


def _shown_once(piece: QueryResult) -> dict[str, Any]:
    """What tells of the whole ranking."""
    plain = piece.to_dict()
    shown: dict[str, Any] = {name: plain[name] for name in ("facets", "explain") if name in plain}
    if "explain" in shown:
        shown["explain"] = {name: value for name, value in shown["explain"].items() if name != "results"}
    return shown

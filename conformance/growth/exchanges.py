"""The operations that are timed of cursors, lines of records and bodies of requests; see `operations`."""

import io
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from conformance.growth.operations import TOKENIZER
from conformance.growth.registry import OPERATIONS, Timed, refused, simple
from hybrid_search.cli.record_lines import RecordLines
from hybrid_search.index import Index
from hybrid_search.search.cursor import Cursor, CursorCodec
from hybrid_search.search.ranking_key import RankingKey
from hybrid_search.server.http_message import HttpHead
from hybrid_search.server.http_settings import LIMITS, HttpSettings
from hybrid_search.server.server_exchange import HttpApi

CODEC = CursorCodec()


def _cursor_parts(text: str) -> Timed:
    """The cursor of a long id, and of values to order by that are its characters."""
    cursor = CODEC.encode(Cursor(RankingKey(tuple(text), 1, 0.5, 0.5, text), 1, "0" * 16, 1))
    return lambda: refused(lambda: CODEC.decode(cursor))


simple("cursor_text", lambda text: refused(lambda: CODEC.decode(text)))
OPERATIONS["cursor_parts"] = _cursor_parts


def _lines(name: str, content: Callable[[str], str]) -> None:
    """Lines of records, as `hybrid-search index` reads them."""

    def ready(text: str) -> Timed:
        data = content(text).encode("utf-8")
        return lambda: refused(lambda: [line.content for line in RecordLines([], io.BytesIO(data))])

    OPERATIONS[name] = ready


_lines("record_lines_raw", str)
_lines("record_lines_long", lambda text: json.dumps({"id": "1", "content": text, "metadata": {"a": list(text)}}))
_lines("record_lines_many", lambda text: "".join(json.dumps({"id": one, "content": one}) + "\n" for one in text))


SERVICE: dict[str, Any] = {
    "token": None,
    "read_only": False,
    "access_log": None,
    "log_queries": False,
    **LIMITS,
    "allowed_hosts": None,
    "allow_anonymous_writes": False,
}
API = HttpApi(Index(tokenizer=TOKENIZER, vector_similarity_weight=0.0), HttpSettings(**SERVICE))


def _searched(name: str, content: Callable[[str], str]) -> None:
    """Bodies of searches, as the HTTP service takes them."""

    def ready(text: str) -> Timed:
        body = content(text).encode("utf-8")
        headers = {"content-type": "application/json", "content-length": str(len(body))}
        return lambda: API.exchange(HttpHead("POST", "/v1/search", headers)).answer(body)

    OPERATIONS[name] = ready


_searched("http_body", str)
_searched("http_fields", lambda text: json.dumps({f"{place}{one}": 1 for place, one in enumerate(text)}))
_searched("http_filters", lambda text: json.dumps({"question": "a", "filters": {"kb_id": list(text)}}))
_searched("http_cursor", lambda text: json.dumps({"question": "a", "cursor": text}))


def _addressed(name: str, content: Callable[[str], str]) -> None:
    """Query strings of searches."""

    def ready(text: str) -> Timed:
        head = HttpHead("GET", "/v1/search", {}, query=content(text))
        return lambda: API.exchange(head).answer()

    OPERATIONS[name] = ready


_addressed("http_query", quote)
_addressed("http_query_list", lambda text: f"facets={quote(','.join(text))}")
_addressed("http_query_filters", lambda text: "&".join(f"filter.kb_id={quote(one)}" for one in text))
_addressed(
    "http_query_names", lambda text: "&".join(f"filter.{quote(one)}.gte={place}" for place, one in enumerate(text))
)

"""Maps paths and methods to operations (CUR-6)."""

import dataclasses
from collections.abc import Sequence
from urllib.parse import unquote_to_bytes

from hybrid_search.server.http_problem import HttpProblem


@dataclasses.dataclass(frozen=True)
class Route:
    """One operation.

    Attributes:
        path: its path; `{id}` matches the rest of a path, which must not be empty.
        method: its method.
        operation: its name.
        gives: the media type of its response.
        body: the name of the limit of its body; `None` if it takes no body.
        is_open: whether it needs no token.
        writes: whether it changes documents.
    """

    path: str
    method: str
    operation: str
    gives: str
    body: str | None
    is_open: bool
    writes: bool


# routes:begin: made by `bin/conformance make http`
ROUTES: tuple[Route, ...] = (
    Route("/", "GET", "page", "text/html", None, True, False),
    Route("/search_page.css", "GET", "page_style", "text/css", None, True, False),
    Route("/search_page.js", "GET", "page_script", "text/javascript", None, True, False),
    Route("/openapi.json", "GET", "openapi", "application/json", None, True, False),
    Route("/metrics", "GET", "metrics", "text/plain", None, False, False),
    Route("/v1/health", "GET", "health", "application/json", None, True, False),
    Route("/v1/search", "GET", "search_get", "application/json", None, False, False),
    Route("/v1/search", "POST", "search", "application/json", "max_query_bytes", False, False),
    Route("/v1/cite", "POST", "cite", "application/json", "max_query_bytes", False, False),
    Route("/v1/tags", "POST", "tags", "application/json", "max_query_bytes", False, False),
    Route("/v1/documents", "POST", "documents", "application/json", "max_body_bytes", False, True),
    Route("/v1/documents/{id}", "GET", "get", "application/json", None, False, False),
    Route("/v1/documents/{id}", "DELETE", "delete", "application/json", None, False, True),
)

# routes:end

PARAMETER = "{id}"


def find(method: str, path: str) -> tuple[Route, str]:
    """Return the route of a request, and the part of its path that matches `{id}`.

    Raises:
        HttpProblem: no route has this path, or only with other methods.
    """
    found = at(path)
    for route in found:
        if route.method == method or (route.method == "GET" and method == "HEAD"):
            return route, _parameter(route, path)
    allowed = ", ".join(f"{route.method}, HEAD" if route.method == "GET" else route.method for route in found)
    raise HttpProblem("method_not_allowed", allowed, {"allow": allowed}) if found else HttpProblem("not_found")


def at(path: str) -> Sequence[Route]:
    """Return the routes of a path, one for each method."""
    return [route for route in ROUTES if path == route.path or _has_parameter(route, path)]


def _has_parameter(route: Route, path: str) -> bool:
    prefix = route.path.removesuffix(PARAMETER)
    return route.path != prefix and path.startswith(prefix) and path != prefix


def _parameter(route: Route, path: str) -> str:
    if not route.path.endswith(PARAMETER):
        return ""
    try:
        return unquote_to_bytes(path.removeprefix(route.path.removesuffix(PARAMETER))).decode("utf-8")
    except UnicodeDecodeError:
        raise HttpProblem("invalid_utf8", "path") from None

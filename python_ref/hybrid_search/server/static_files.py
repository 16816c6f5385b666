"""The search page and the OpenAPI document: files of the package, the same in both languages (CUR-6)."""

import html
from functools import cache
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data"
ROOT_MARK = b"{{root}}"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
"""The content security policy of the page: it may run its own script, use its own style, and call its own service."""


def page(root: str) -> bytes:
    """Return the search page, for a service that is mounted at a path."""
    return _content("search_page.html").replace(ROOT_MARK, html.escape(root).encode("utf-8", "replace"))


def style() -> bytes:
    """Return the style of the search page."""
    return _content("search_page.css")


def script() -> bytes:
    """Return the script of the search page."""
    return _content("search_page.js")


def openapi() -> bytes:
    """Return the OpenAPI document."""
    return _content("openapi.json")


@cache
def _content(name: str) -> bytes:
    return (DATA / name).read_bytes()

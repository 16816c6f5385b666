"""Walks of which each page is asked of another implementation: the cursor of one leads on in the next (CUR-3)."""

import itertools
from typing import Any

import pytest

from conformance.implementations import listing
from conformance.wire.child import Child

pytestmark = pytest.mark.programs

RECORDS = [
    {"id": f"文-{number % 7}-{number}", "content": f"red {'wine' if number % 2 else 'door'} 规则 6-2-{number % 5}",
     "metadata": {"n": [number % 3, number % 4 + 0.5]}}
    for number in range(33)
]  # fmt: skip
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("red wine 规则", {"similarity_threshold": 0.0}),
    ("red wine 规则", {"similarity_threshold": 0.0, "filters": {"metadata.n": {"gte": 1.5}}, "fusion": "rrf"}),
    ("规则 6-2-1", {"similarity_threshold": 0.1, "order_by": [["metadata.n", "desc"]]}),
    ("", {"match_all": True, "order_by": [["metadata.n", "asc"]]}),
]


def encoded(value: Any) -> Any:
    """Options as they go over the wire; floats as their bits."""
    from conformance.implementations.python import codec

    return codec.encode(value)


def page_of(child: Child, question: str, options: dict[str, Any], cursor: str | None) -> dict[str, Any]:
    params = {"dimension": 16, "options": options, "cursor": cursor}
    answer = child.ask("query.page", encoded(params), encoded({"records": RECORDS, "question": question}), False)
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


@pytest.mark.parametrize(("question", "options"), ASKED)
def test_pages_alternate_between_languages(question, options):
    chosen = [one for one in listing.installed(listing.load(), named=False)[0] if one.name in ("reference", "ruby")]
    assert len(chosen) == 2
    with Child(chosen[0]) as one, Child(chosen[1]) as other:
        alone = walked([one], question, {**options, "limit": 5})
        assert len(alone) >= 4
        assert walked([one, other], question, {**options, "limit": 5}) == alone
        assert walked([other, one], question, {**options, "limit": 5}) == alone
    ids = [hit[0] for page in alone for hit in page["results"]]
    assert len(ids) == len(set(ids))

"""One page of hits (CUR-4)."""

import dataclasses
import html
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

from hybrid_search.base import json_writer, validation
from hybrid_search.base.known_names import KnownNames
from hybrid_search.embedding.embedding_argument import NOT_GIVEN
from hybrid_search.errors import InvalidInputError
from hybrid_search.search.hit import Hit


@dataclasses.dataclass(frozen=True)
class Page(KnownNames, Sequence[Hit]):
    """One page of a search: a sequence of its hits, best first, and facts about all pages.

    Attributes:
        hits: the hits.
        total: the number of hits on all pages, the same on each of them.
        total_is_lower_bound: whether more may match: the number of found candidates is the maximum, `candidates`.
        page: the number of this page, from 1.
        limit: the number of hits on a full page.
        next_cursor: the cursor of the next page; `None` on the last one.
        index_changed: whether the index has changed since the first page of the cursor's walk.
        warnings: problems that did not stop the search.
        facets: name → {value, count} over all hits, by count descending, then value; `None` unless requested.
        explain: the explanation of the ranking, `None` unless requested.
    """

    hits: Sequence[Hit]
    total: int
    total_is_lower_bound: bool
    page: int
    limit: int
    next_cursor: str | None = None
    index_changed: bool = False
    warnings: Sequence[str] = ()
    facets: Mapping[str, Sequence[Mapping[str, Any]]] | None = None
    explain: Mapping[str, Any] | None = None

    @property
    def pages(self) -> int:
        """The number of pages: `total` in pages of `limit`, rounded up."""
        return -(-self.total // self.limit)

    def to_dict(self) -> dict[str, Any]:
        """Return the page as plain data; `facets` and `explain` only if they were requested."""
        plain: dict[str, Any] = {
            "hits": [hit.to_dict() for hit in self.hits],
            "total": self.total,
            "total_is_lower_bound": self.total_is_lower_bound,
            "page": self.page,
            "pages": self.pages,
            "limit": self.limit,
            "next_cursor": self.next_cursor,
            "index_changed": self.index_changed,
            "warnings": list(self.warnings),
        }
        if self.facets is not None:
            plain["facets"] = {name: [dict(entry) for entry in entries] for name, entries in self.facets.items()}
        if self.explain is not None:
            plain["explain"] = dict(self.explain)
        return plain

    def to_json(self) -> str:
        """Return the page as JSON."""
        return json_writer.write(self.to_dict())

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    @overload
    def __getitem__(self, place: int) -> Hit: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Hit]: ...

    def __getitem__(self, place: int | slice) -> Hit | Sequence[Hit]:
        if isinstance(place, str):
            shown = validation.describe(place)
            raise InvalidInputError(f"a page is a list of hits: page[0], page.hits, page.total, not {shown}")
        return self.hits[place]

    def count(self, value: Any = NOT_GIVEN) -> int:
        """Return the number of hits on this page, or of those that equal a value."""
        return len(self.hits) if value is NOT_GIVEN else self.hits.count(value)

    def __repr__(self) -> str:
        more = "at least " if self.total_is_lower_bound else ""
        return f"<Page {self.page} of {self.pages}: {len(self.hits)} of {more}{self.total} hits>"

    def _repr_html_(self) -> str:
        """Return a table for a notebook."""
        head = "".join(f"<th>{name}</th>" for name in COLUMNS)
        rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in _cells(hit))}</tr>" for hit in self.hits)
        caption = html.escape(repr(self)[1:-1])
        return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


COLUMNS = ("score", "bm25", "cosine", "id", "title", "content")
LONGEST_CELL = 200


def _cells(hit: Hit) -> list[str]:
    scores = (hit.score, hit.scores.bm25, hit.scores.cosine)
    shown = ["" if score is None else f"{score:.4f}" for score in scores]
    content = hit.content if len(hit.content) <= LONGEST_CELL else f"{hit.content[:LONGEST_CELL]}…"
    return [*shown, *(html.escape(text) for text in (hit.id, hit.title, content))]

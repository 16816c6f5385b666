"""What a page of a walk by cursor holds (CUR-4)."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.retriever.result import Chunk


@dataclasses.dataclass(frozen=True)
class QueryHit(Chunk):
    """One result: a chunk, and what decided its place.

    `similarity` is the score of the first stage, made of its parts as `Chunk` says; a model does not change it.

    Attributes:
        tier: 0 if the rerank model scored it, else 1; all of tier 0 come first (ORD-2).
        score: what it is ranked by within its tier: the model's score, alone or mixed, or the similarity.
        model_score: the model's score on 0 to 1, none in tier 1.
        normalized_score: the similarity, min-max over what the model scored, where it was mixed in; else none.
    """

    tier: int = 1
    score: float = 0.0
    model_score: float | None = None
    normalized_score: float | None = None


@dataclasses.dataclass(frozen=True)
class Paging:
    """Where a page stands.

    Attributes:
        limit: how many results a page has at the most, after the cap.
        returned: how many this one has.
        position: how many were shown before it.
        budget: how many candidates are ranked at the most, after the cap.
        max_results: the cap over all pages.
        capped: whether there are candidates, or results, that the cap withholds.
        index_changed: whether the index has changed since the first page.
    """

    limit: int
    returned: int
    position: int
    budget: int
    max_results: int
    capped: bool
    index_changed: bool


@dataclasses.dataclass(frozen=True)
class QueryResult:
    """One page of a walk.

    Attributes:
        results: the page's hits, best first.
        next_cursor: what leads to the next page, none where nothing follows or the cap is reached.
        paging: where the page stands.
        warnings: what went wrong without stopping the query.
        facets: name → {value, count} over all results, by count descending, then value; none unless asked for.
        explain: how the ranking came about, none unless asked for.
    """

    results: Sequence[QueryHit]
    next_cursor: str | None
    paging: Paging
    warnings: Sequence[str] = ()
    facets: Mapping[str, Sequence[Mapping[str, Any]]] | None = None
    explain: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The page as plain data; `facets` and `explain` only where they were asked for."""
        plain: dict[str, Any] = {
            "results": [hit.to_dict() for hit in self.results],
            "next_cursor": self.next_cursor,
            "paging": dataclasses.asdict(self.paging),
            "warnings": list(self.warnings),
        }
        if self.facets is not None:
            plain["facets"] = {name: [dict(entry) for entry in entries] for name, entries in self.facets.items()}
        if self.explain is not None:
            plain["explain"] = dict(self.explain)
        return plain

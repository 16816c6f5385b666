"""One total order over the whole effective budget (CUR-2, RNK-8)."""

import bisect
import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.reranker.partial_rerank import PartialOutcome, TieredEntry
from hybrid_search.retriever._page import RankedBlock
from hybrid_search.retriever._query_request import QueryRequest
from hybrid_search.retriever._ranking_key import RankingKey, RankingOrder
from hybrid_search.retriever.query_result import QueryHit


@dataclasses.dataclass(frozen=True)
class RankedHit:
    """A result and its place in the order."""

    key: RankingKey
    hit: QueryHit


@dataclasses.dataclass(frozen=True)
class Stretch:
    """Results that follow one another.

    Attributes:
        hits: the results.
        follows: whether there are more after them.
    """

    hits: Sequence[RankedHit]
    follows: bool


@dataclasses.dataclass(frozen=True)
class Ranking:
    """All results of a request in their order; it holds neither vectors nor anything of the store.

    Attributes:
        order: the order.
        hits: the results, in that order.
        fingerprint: that of the request, which cursors of this ranking carry.
        capped: whether the store has more candidates than the cap lets through.
        is_cut: whether the store found as many candidates as the budget lets through, so that more may match.
        warnings: what went wrong without stopping.
        facets: name → {value, count} over all results, none unless asked for.
        explain: how it came about, none unless asked for; the parts of the results apart.
        parts: id → its place and score in recall, where `explain` was asked for.
    """

    order: RankingOrder
    hits: Sequence[RankedHit]
    fingerprint: str
    capped: bool = False
    is_cut: bool = False
    warnings: Sequence[str] = ()
    facets: Mapping[str, Sequence[Mapping[str, Any]]] | None = None
    explain: Mapping[str, Any] | None = None
    parts: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)

    def after(self, key: RankingKey | None, position: int, size: int) -> Stretch:
        """The next results strictly after a key, at most `size`; from the first on without a key.

        Args:
            key: the place of the last result that was shown; it need not be in this ranking.
            position: how many were shown before, which does not matter here.
            size: how many are wanted.
        """
        first = 0 if key is None else bisect.bisect_left(self.hits, True, key=lambda one: self._is_after(one, key))
        return Stretch(self.hits[first : first + size], first + size < len(self.hits))

    def _is_after(self, one: RankedHit, key: RankingKey) -> bool:
        return self.order.compare(one.key, key) > 0


def rank_hits(
    request: QueryRequest, order: RankingOrder, block: RankedBlock, partial: PartialOutcome | None
) -> list[RankedHit]:
    """The results of a block in their order, those below the threshold left out.

    Args:
        request: what is asked for.
        order: the total order.
        block: all candidates, with the scores of the first stage.
        partial: what a model made of them, none where there is none.
    """
    scored = {} if partial is None else {entry.id: entry for entry in partial.entries}
    hits: list[RankedHit] = []
    for index, identifier in enumerate(block.outcome.ids):
        similarity = block.outcome.similarity[index]
        entry = scored.get(identifier)
        if entry is None or entry.tier == 1:
            entry = TieredEntry(identifier, 1, similarity, block.outcome.stage1_scores[index])
        if passes(request, entry.score):
            hits.append(_ranked_hit(request, order, block, index, entry))
    by_key = functools.cmp_to_key(order.compare)
    return sorted(hits, key=lambda one: by_key(one.key))


def passes(request: QueryRequest, score: float) -> bool:
    """Whether a score reaches the threshold, as far as there is one (RET-4)."""
    retrieval = request.retrieval
    return not retrieval.has_threshold or score >= retrieval.similarity_threshold


def _ranked_hit(
    request: QueryRequest, order: RankingOrder, block: RankedBlock, index: int, entry: TieredEntry
) -> RankedHit:
    chunk = block.chunk(index, request.retrieval.highlight)
    values = order.values(block.recalled.result.fields[entry.id])
    parts = {field.name: getattr(chunk, field.name) for field in dataclasses.fields(chunk)}
    hit = QueryHit(
        **parts,
        tier=entry.tier,
        score=entry.score,
        model_score=entry.model_score,
        normalized_score=entry.normalized_score,
    )
    return RankedHit(RankingKey(values, entry.tier, entry.score, entry.stage1_score, entry.id), hit)

"""Pages of a walk by cursor (CUR-1 … CUR-4, CUR-7)."""

import dataclasses
from collections.abc import Callable, Hashable, Iterator
from typing import Any

from hybrid_search import _log as log
from hybrid_search import _validation as validation
from hybrid_search._collaborators import Same
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.errors import DocStoreError, InvalidCursorError
from hybrid_search.retriever import _cursor as cursors
from hybrid_search.retriever import _filter_warnings as filter_warnings
from hybrid_search.retriever._browse import Browse
from hybrid_search.retriever._cursor import Cursor, CursorCodec
from hybrid_search.retriever._explain import query_explanation, recall_parts
from hybrid_search.retriever._facets import counts, facets
from hybrid_search.retriever._page import RankedBlock
from hybrid_search.retriever._query_request import QueryRequest
from hybrid_search.retriever._ranking import Ranking, Stretch, rank_hits
from hybrid_search.retriever._ranking_key import RankingKey, RankingOrder
from hybrid_search.retriever._recall import FetchedCandidates, Recall, Recalled
from hybrid_search.retriever._request import RetrievalRequest
from hybrid_search.retriever.query_result import Paging, QueryHit, QueryResult
from hybrid_search.retriever.ranking_cache import RankingCache

Rank = Callable[[RetrievalRequest, Recalled, int], RankedBlock]
"""Scores candidates in the first stage, of which the first has the given place; what it leaves out does not matter."""

GONE_ON_WITHOUT = "ranked without the rerank model: it failed on an earlier page of this walk"

AT_CAP = "the walk ends at max_results, {}; more may match"
AT_BUDGET = "the walk ends at its budget of {} candidates; more may match"


@dataclasses.dataclass(frozen=True)
class _Walk:
    """Where a request stands.

    Attributes:
        request: the request; without its model where the walk has lost it.
        cursor: what leads here, none on the first page.
        generation: of the index, now.
    """

    request: QueryRequest
    cursor: Cursor | None
    generation: int | str

    @property
    def model_failed(self) -> bool:
        """Whether the walk goes on without its model."""
        return self.request.partial is None and self.request.model is not None

    @property
    def key(self) -> RankingKey | None:
        """The place of the last result that was shown."""
        return None if self.cursor is None else self.cursor.key

    @property
    def position(self) -> int:
        """How many results were shown before."""
        return 0 if self.cursor is None else self.cursor.position

    @property
    def first_generation(self) -> int | str:
        """The generation of the first page."""
        return self.generation if self.cursor is None else self.cursor.generation

    @property
    def room(self) -> int:
        """How many results the cap has left for this page."""
        return max(0, min(self.request.limit, self.request.max_results - self.position))


class QueryPages:
    """Makes the pages of a retriever's walks.

    Args:
        store: the documents.
        recall: asks the store.
        rank: scores candidates in the first stage.
        codec: writes and reads cursors.
        cache: keeps rankings; none: each page ranks anew.
    """

    def __init__(
        self, store: DocStoreAdapter, recall: Recall, rank: Rank, codec: CursorCodec, cache: RankingCache | None
    ) -> None:
        self._store = store
        self._recall = recall
        self._rank = rank
        self._codec = codec
        self._cache = cache

    def page(self, request: QueryRequest) -> QueryResult:
        """The page that a request asks for.

        Raises:
            InvalidCursorError: the cursor is not one of this request.
        """
        walk = self._begin(request)
        if request.retrieval.is_blank:
            return self._result(walk, Ranking(RankingOrder(()), (), "", facets=facets(request.retrieval, {})))
        if not request.retrieval.match_all:
            return self._result(walk, self._ranking(walk))
        return self._browsed(walk)

    def each_result(self, request: QueryRequest) -> Iterator[QueryHit]:
        """All results from the cursor on: ranked once, up to the cap, or, with `match_all`, read bit by bit to the end.

        A line in the log says where the walk ends at its budget (LOG-1).
        """
        walk = self._begin(request)
        if request.retrieval.is_blank:
            return
        if request.retrieval.match_all:
            yield from self._each(self._browse(walk), walk, None)
            return
        ranking = self._ranking(walk)
        yield from self._each(ranking, walk, request.max_results)
        capped = ranking.capped or len(ranking.hits) > request.max_results
        for line in [AT_CAP.format(request.max_results)] if capped else _ended(request, ranking, goes_on=False):
            log.warning(line)

    @staticmethod
    def _each(source: Browse | Ranking, walk: _Walk, most: int | None) -> Iterator[QueryHit]:
        """All results from where a walk stands, so many at the most."""
        key, position, limit = walk.key, walk.position, walk.request.limit
        follows = True
        while follows and (room := limit if most is None else min(limit, most - position)) > 0:
            stretch = source.after(key, position, room)
            for ranked in stretch.hits:
                yield ranked.hit
            position += len(stretch.hits)
            key, follows = (stretch.hits[-1].key if stretch.hits else key), stretch.follows and bool(stretch.hits)

    def _begin(self, request: QueryRequest) -> _Walk:
        """Check the cursor against the request and the index (CUR-3)."""
        generation = self._store.generation
        if isinstance(generation, bool) or not isinstance(generation, (int, str)):
            raise validation.fail("the generation of the store", generation, "an integer or a text", DocStoreError)
        if request.cursor is None:
            return _Walk(request, None, generation)
        cursor = self._codec.decode(request.cursor)
        lost = cursor.fingerprint == request.fingerprint(model_failed=True) and request.partial is not None
        asked = lost or cursor.fingerprint == request.fingerprint()
        if not asked or len(cursor.key.values) != len(request.retrieval.order_by):
            raise InvalidCursorError(cursors.OTHER_REQUEST)
        if request.refuses_changes and cursor.generation != generation:
            raise InvalidCursorError(cursors.CHANGED)
        return _Walk(request.without_model() if lost else request, cursor, generation)

    def _ranking(self, walk: _Walk) -> Ranking:
        if self._cache is None:
            return self._ranked(walk)
        generations = dict.fromkeys((walk.first_generation, walk.generation))
        found = self._cache.fetch([self._cache_key(walk, each) for each in generations])
        if found is not None:
            return found
        ranking = self._ranked(walk)
        if ranking.fingerprint == walk.request.fingerprint(walk.model_failed):
            self._cache.keep(self._cache_key(walk, walk.generation), ranking)
        return ranking

    def _cache_key(self, walk: _Walk, generation: int | str) -> Hashable:
        """All that a ranking depends on: whose it is, what was asked, of which index, and what is shown beside it."""
        asked = walk.request.retrieval
        shown = (
            asked.highlight,
            asked.explain,
            asked.facet_limit,
            None if asked.facets is None else tuple(asked.facets.items()),
        )
        return (self, walk.request.fingerprint(walk.model_failed), generation, Same(walk.request.model), shown)

    def _ranked(self, walk: _Walk) -> Ranking:
        """Rank the whole effective budget."""
        request = walk.request
        candidates = self._recall.candidates(request.retrieval)
        candidates.fetch_all()
        recalled = candidates.latest
        block = self._rank(request.retrieval, recalled, 0)
        partial = None
        if request.partial is not None and not self._store.fuses_scores:
            question = request.retrieval.question
            partial = request.partial.rerank_result(question, recalled.result, block.outcome.stage1_scores)
        lost = [GONE_ON_WITHOUT] if walk.model_failed else []
        of_model = () if partial is None else partial.warnings
        of_filters = self._of_filters(recalled, request)
        warnings = dict.fromkeys([*candidates.warnings, *lost, *block.outcome.warnings, *of_model, *of_filters])
        order = RankingOrder(request.retrieval.order_by)
        failed = walk.model_failed or (partial is not None and partial.status == "failed")
        explains = request.retrieval.explain
        hits = tuple(rank_hits(request, order, block, partial))
        found = recalled.result.aggs
        if request.retrieval.facets is not None and len(hits) < len(block.outcome.ids):
            found = counts(request.retrieval, [recalled.result.fields[one.key.id] for one in hits])
        return Ranking(
            order=order,
            hits=hits,
            fingerprint=request.fingerprint(failed),
            capped=self._withholds(request, candidates),
            is_cut=candidates.is_cut,
            warnings=tuple(warnings),
            facets=facets(request.retrieval, found),
            explain=query_explanation(request.retrieval, block) if explains else None,
            parts=recall_parts(block) if explains else {},
        )

    def _of_filters(self, recalled: Recalled, request: QueryRequest) -> list[str]:
        """Why the filters may have found nothing, where nothing was found."""
        return filter_warnings.warnings(self._store, request.retrieval.filters) if recalled.result.total == 0 else []

    def _withholds(self, request: QueryRequest, candidates: FetchedCandidates) -> bool:
        """Whether the store would have more candidates for the budget, were it not for the cap."""
        return request.beyond_cap and candidates.is_cut and candidates.has_more_than(request.budget)

    def _browse(self, walk: _Walk) -> Browse:
        retrieval = walk.request.retrieval
        candidates = self._recall.candidates(retrieval)
        return Browse(walk.request, lambda first, size: self._rank(retrieval, candidates.block(first, size), first))

    def _browsed(self, walk: _Walk) -> QueryResult:
        browse = self._browse(walk)
        stretch = browse.after(walk.key, walk.position, walk.room)
        block = browse.latest
        assert block is not None
        retrieval = walk.request.retrieval
        ranking = Ranking(
            order=browse.order,
            hits=(),
            fingerprint=browse.fingerprint,
            warnings=tuple(dict.fromkeys([*block.outcome.warnings, *self._of_filters(block.recalled, walk.request)])),
            facets=facets(retrieval, block.recalled.result.aggs),
            explain=query_explanation(retrieval, block) if retrieval.explain else None,
            parts=recall_parts(block) if retrieval.explain else {},
        )
        return self._cut(walk, ranking, stretch)

    def _result(self, walk: _Walk, ranking: Ranking) -> QueryResult:
        stretch = ranking.after(walk.key, walk.position, walk.room)
        return self._cut(walk, ranking, stretch)

    def _cut(self, walk: _Walk, ranking: Ranking, stretch: Stretch) -> QueryResult:
        """The page of a stretch (CUR-4)."""
        request, shown = walk.request, len(stretch.hits)
        position = walk.position + shown
        at_cap = position >= request.max_results
        capped = ranking.capped or (stretch.follows and at_cap)
        following = None
        if stretch.follows and not at_cap:
            following = Cursor(stretch.hits[-1].key, position, ranking.fingerprint, walk.first_generation)
        return QueryResult(
            results=tuple(one.hit for one in stretch.hits),
            next_cursor=None if following is None else self._codec.encode(following),
            paging=Paging(
                limit=request.limit,
                returned=shown,
                position=walk.position,
                budget=request.budget,
                max_results=request.max_results,
                capped=capped,
                index_changed=walk.first_generation != walk.generation,
            ),
            warnings=(*ranking.warnings, *_ended(request, ranking, capped or following is not None)),
            facets=ranking.facets,
            explain=_explained(ranking, stretch),
        )


def _ended(request: QueryRequest, ranking: Ranking, goes_on: bool) -> list[str]:
    """The warning that a walk ends at its budget; none where it goes on, or where nothing was withheld."""
    return [AT_BUDGET.format(request.budget)] if ranking.is_cut and not goes_on else []


def _explained(ranking: Ranking, stretch: Stretch) -> dict[str, Any] | None:
    if ranking.explain is None:
        return None
    return {**ranking.explain, "results": [dict(ranking.parts[one.key.id]) for one in stretch.hits]}

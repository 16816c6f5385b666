"""Performs searches: pages of hits, by number and by cursor, in one order (CUR-1 … CUR-4, CUR-7)."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

from hybrid_search.base import log, validation
from hybrid_search.base.object_checks import Same
from hybrid_search.base.observation import Observation
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.errors import InvalidCursorError, InvalidInputError
from hybrid_search.fusion.fused_legs import DEPTH
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.retriever import filter_warnings
from hybrid_search.retriever.explain import query_explanation, recall_parts
from hybrid_search.retriever.facets import counts, facets
from hybrid_search.retriever.ranker import Ranker
from hybrid_search.retriever.recall import RERANK_FIELDS, FetchedCandidates, Recall, Recalled
from hybrid_search.search import cursor as cursors
from hybrid_search.search import hits
from hybrid_search.search.browse import Browse
from hybrid_search.search.cursor import Cursor
from hybrid_search.search.hit import Hit
from hybrid_search.search.page import Page
from hybrid_search.search.ranking import (
    RankedScores,
    Ranking,
    Stretch,
    explanation,
    fused_keys,
    fused_scores,
    nothing,
    ranked_keys,
    ranked_scores,
)
from hybrid_search.search.ranking_cache import RankingCache
from hybrid_search.search.ranking_key import BY_SCORE, RankingKey, RankingOrder
from hybrid_search.search.rewriting import Rewriting
from hybrid_search.search.search_request import PER_CALL, SearchRequest, Walk
from hybrid_search.search.search_settings import SearchSettings

FIELDS_OF_MODELS = ("content_ltks", "title_tks", "important_kwd")
"""The fields of the text that a rerank model receives (RNK-2)."""
GONE_ON_WITHOUT = "ranked without the rerank model: it failed on an earlier page of this walk"
AT_ONCE = 256
"""The minimum number of documents that are read at once if all hits are wanted."""
AT_CANDIDATES = "the hits end at {} candidates; more may match"


class Searcher:
    """Performs the searches of an index.

    Args:
        store: the documents.
        query_builder: reads questions.
        embedding: makes the vectors of questions, or `None`.
        settings: the options of the index.
        kernels: "plain" or "fast", for the reranker.
        any_vectors: as for `Index`.
        observation: receives an event for each search (OBS-1).
    """

    def __init__(
        self,
        store: DocStoreAdapter,
        query_builder: QueryBuilder,
        embedding: Embedding | None,
        settings: SearchSettings,
        kernels: str | None,
        any_vectors: bool,
        observation: Observation,
    ) -> None:
        self._store = store
        self._query_builder = query_builder
        self._settings = settings
        self._has_embedding = embedding is not None
        self._observation = observation
        self._recall = Recall(store, query_builder, embedding, observation, any_vectors)
        self._ranker = Ranker(store, query_builder, kernels, observation)
        self._fuses_scores = store.fuses_scores
        self._defaults = self._checked("", {})
        self._check_cosine(self._defaults)

    @property
    def ranking_cache(self) -> RankingCache | None:
        """Return the cache of rankings between pages, or `None`."""
        return self._settings.ranking_cache

    def page(self, question: str, options: Mapping[str, Any]) -> Page:
        """See `Index.search`."""
        with self._observation.measure("search") as event:
            page = self._page(self._rewritten(self._request(question, options), options))
            event.update(page=page.page, total=page.total, shown=len(page.hits))
            return page

    def each(self, question: str, options: Mapping[str, Any]) -> Iterator[Hit]:
        """See `Index.each`."""
        request = self._request(question, options)
        if request.rewrite is None:
            return self._each(self._begin(request))
        return self._each_rewritten(request, options)

    def filters(self, options: Mapping[str, Any]) -> Any:
        """Return the given filters of a call, otherwise those of the index."""
        return options.get("filters", self._settings.options.get("filters"))

    def _request(self, question: Any, options: Mapping[str, Any]) -> SearchRequest:
        """Return the request of a call; options that are those of the index have been checked already."""
        if isinstance(question, (list, tuple)):
            message = validation.fail("question", question, "a text")
            raise InvalidInputError(f"{message}; search_many takes a list of questions, vector a vector")
        accepted = self._query_builder.accept_question(question)
        if options.keys() <= PER_CALL.keys():
            request = self._defaults.for_call(accepted, options, self._settings.max_results)
        else:
            request = self._checked(accepted, options)
        self._check_cosine(request)
        return request

    def _rewritten(self, request: SearchRequest, options: Mapping[str, Any]) -> SearchRequest:
        """Return the request that the user's callable makes of a request (RWR-1); the same one without a callable."""
        if request.rewrite is None:
            return request
        accept = self._query_builder.accept_question
        return Rewriting(request, self.filters(options), self._settings.codec).request(
            lambda question, filters: self._checked(accept(question), {**options, "filters": filters})
        )

    def _each_rewritten(self, request: SearchRequest, options: Mapping[str, Any]) -> Iterator[Hit]:
        yield from self._each(self._begin(self._rewritten(request, options)))

    def _checked(self, question: str, options: Mapping[str, Any]) -> SearchRequest:
        request = self._settings.request(question, options, self._store.supports_bm25f)
        request.retrieval.check_store(self._store.supports_bm25f)
        return request

    def _check_cosine(self, request: SearchRequest) -> None:
        """Refuse a limit of the cosine if the question has no vector."""
        if request.min_cosine is not None and request.vector is None and not self._has_embedding:
            raise InvalidInputError("min_cosine needs an embedding or a vector")

    def _page(self, request: SearchRequest) -> Page:
        if request.is_blank:
            return self._shown(self._begin(request), nothing(request.retrieval), Stretch((), False), ())
        if request.retrieval.match_all:
            return self._listed(self._begin(request))
        if request.keeps_fusion and self._recall.keeps_order and self._settings.ranking_cache is None:
            walk, page = self._fused(request)
            if page is not None:
                return page
            ranking = self._ranking(walk)
        else:
            walk, ranking = self._walked(request)
        return self._shown(walk, ranking, *self._read(walk, ranking, ranking))

    def _walked(self, request: SearchRequest) -> tuple[Walk, Ranking]:
        """Return the walk, and the ranking of all candidates."""
        if self._settings.ranking_cache is not None:
            walk = self._begin(request)
            return walk, self._ranking(walk)
        if self._store.states_generation:
            standing, cursor = self._standing(request)
            found = self._at_once(standing, cursor, self._fields(standing), FetchedCandidates.fetch_all)
            if found is not None:
                return found[0], self._ranked(*found)
        walk = self._begin(request)
        return walk, self._ranked(walk)

    def _fused(self, request: SearchRequest) -> tuple[Walk, Page | None]:
        """Return the walk, and a page of candidates in the order of the store's fusion.

        There is no page unless the cursor's hit is at its place. Only the places that are shown are made: they are the
        same in the ranking of all candidates (FUS-5).
        """
        if self._store.states_generation:
            standing, cursor = self._standing(request)
            first, size = Walk(standing, cursor, "").stretch
            if first + size <= DEPTH:
                found = self._at_once(standing, cursor, (), lambda candidates: candidates.stretch(first, size))
                if found is not None:
                    return found[0], None if found[0].has_changed else self._fused_page(*found)
        walk = self._begin(request)
        if walk.has_changed:
            return walk, None
        candidates = self._recall.candidates(request.retrieval, request.vector, (), walk.generation)
        candidates.stretch(*walk.stretch)
        return walk, self._fused_page(walk, candidates)

    def _at_once(
        self, request: SearchRequest, cursor: Cursor | None, fields: Sequence[str], fetch: Callable[..., Any]
    ) -> tuple[Walk, FetchedCandidates] | None:
        """Return the walk and the candidates that are fetched, if the search itself reads the generation (DOC-11)."""
        candidates = self._recall.candidates(request.retrieval, request.vector, fields, checks=False)
        fetch(candidates)
        result = candidates.latest.result
        if result.generation is None:
            return None
        walk = Walk.of(request, cursor, result.generation)
        if request.vector is None:
            candidates.warnings = self._recall.warnings(request.retrieval, result.generation, result.vector_fields)
        return walk, candidates

    def _fused_page(self, walk: Walk, candidates: FetchedCandidates) -> Page | None:
        request, recalled, before = walk.request, candidates.latest, walk.before
        total = min(recalled.result.total, request.candidates)
        keys = fused_keys(recalled.result)
        formula = "fused" if recalled.result.fused is None else recalled.result.fused.method
        with self._observation.measure("rerank", candidates=total) as event:
            event.update(shown=total, formula=formula)
        if keys[:before] != [walk.key][:before]:
            return None
        ranking = Ranking(
            order=BY_SCORE,
            keys=keys[before:],
            scores=fused_scores(recalled),
            query_vector=recalled.result.query_vector,
            fingerprint=walk.fingerprint,
            is_cut=candidates.is_cut,
            warnings=tuple(dict.fromkeys([*candidates.warnings, *self._of_filters(request, recalled)])),
            marked=recalled.result.keywords if request.retrieval.highlight else (),
        )
        shown = self._hits(request, ranking).of(ranking.keys, recalled.result.documents)
        if len(shown) < len(ranking.keys):  # a document has been removed meanwhile
            return None
        stretch = Stretch(ranking.keys, walk.position + len(shown) < total)
        return self._shown(walk, ranking, stretch, shown, total)

    def _read(self, walk: Walk, source: Browse | Ranking, ranking: Ranking) -> tuple[Stretch, Sequence[Hit]]:
        """Return the next places and a whole page of hits, even if documents have been removed since."""
        reader, limit = self._hits(walk.request, ranking), walk.request.limit
        keys: list[RankingKey] = []
        shown: list[Hit] = []
        while True:
            last = keys[-1] if keys else walk.key
            stretch = source.after(last, walk.position + len(keys), limit - len(shown))
            keys += stretch.keys
            shown += reader.of(stretch.keys)
            if len(shown) == limit or not stretch.follows:
                return Stretch(keys, stretch.follows), shown

    def _each(self, walk: Walk) -> Iterator[Hit]:
        request = walk.request
        if request.is_blank:
            return
        source = self._browse(request) if request.retrieval.match_all else self._ranking(walk)
        ranking = source if isinstance(source, Ranking) else nothing(request.retrieval)
        key, position, follows = walk.key, walk.position, True
        while follows:
            stretch = source.after(key, position, max(request.limit, AT_ONCE))
            yield from self._hits(request, ranking).of(stretch.keys)
            position += len(stretch.keys)
            key, follows = (stretch.keys[-1] if stretch.keys else key), stretch.follows
        if ranking.is_cut:
            log.warning(AT_CANDIDATES.format(request.candidates))

    def _begin(self, request: SearchRequest) -> Walk:
        """Check the cursor against the request and the index (CUR-3)."""
        generation = self._store.generation
        return Walk.of(*self._standing(request), generation)

    def _standing(self, request: SearchRequest) -> tuple[SearchRequest, Cursor | None]:
        """Return the request, without its model if the walk continues without it, and its checked cursor (CUR-3)."""
        if request.cursor is None:
            return request, None
        cursor = self._settings.codec.decode(request.cursor)
        lost = request.partial is not None and cursor.fingerprint == request.fingerprint(model_failed=True)
        asked = lost or cursor.fingerprint == request.fingerprint()
        if not asked or len(cursor.key.values) != len(request.retrieval.order_by):
            raise InvalidCursorError(cursors.OTHER_REQUEST)
        return request.without_model() if lost else request, cursor

    def _ranking(self, walk: Walk) -> Ranking:
        cache = self._settings.ranking_cache
        if cache is None:
            return self._ranked(walk)
        generations = dict.fromkeys((walk.first_generation, walk.generation))
        found = cache.fetch([self._cache_key(walk, each) for each in generations])
        if found is not None:
            return found
        ranking = self._ranked(walk)
        if ranking.fingerprint == walk.fingerprint:
            cache.keep(self._cache_key(walk, walk.generation), ranking)
        return ranking

    def _cache_key(self, walk: Walk, generation: int | str) -> Hashable:
        """Return everything on which a ranking depends: the index, the request, the generation, the other results."""
        asked = walk.request.retrieval
        shown = (
            asked.highlight,
            asked.explain,
            asked.facet_limit,
            None if asked.facets is None else tuple(asked.facets.items()),
        )
        return (self, walk.fingerprint, generation, Same(walk.request.model), shown)

    def _ranked(self, walk: Walk, candidates: FetchedCandidates | None = None) -> Ranking:
        """Rank all candidates, which may have been fetched."""
        request, retrieval = walk.request, walk.request.retrieval
        if candidates is None:
            candidates = self._recall.candidates(retrieval, request.vector, self._fields(request), walk.generation)
        candidates.fetch_all()
        recalled = candidates.latest
        block = self._ranker.score(retrieval, recalled)
        partial = None
        if request.partial is not None and not self._fuses_scores:
            partial = request.partial.rerank_result(retrieval.question, recalled.result, block.outcome.stage1_scores)
        order = RankingOrder(retrieval.order_by)
        keys: Sequence[RankingKey] = ranked_keys(request, order, block, partial)
        if request.min_cosine is not None:
            keys = hits.near_enough(self._store, request.min_cosine, keys, recalled.result)
        arranged = None
        if request.arrangement is not None:
            vector = recalled.result.query_vector
            arranged = request.arrangement.arrange(self._store, retrieval, keys, vector)
            keys = arranged.keys
        found = recalled.result.aggs
        if retrieval.facets is not None and (arranged is not None or len(keys) < len(block.outcome.ids)):
            found = counts(retrieval, hits.fields(self._store, keys, recalled.result))
        lost = [GONE_ON_WITHOUT] if walk.model_failed else []
        of_model = () if partial is None else partial.warnings
        of_filters = self._of_filters(request, recalled)
        warnings = dict.fromkeys([*candidates.warnings, *lost, *block.outcome.warnings, *of_model, *of_filters])
        failed = walk.model_failed or (partial is not None and partial.status == "failed")
        return Ranking(
            order=order,
            keys=keys,
            scores=ranked_scores(block, partial, arranged),
            query_vector=recalled.result.query_vector,
            fingerprint=request.fingerprint(failed),
            is_cut=candidates.is_cut,
            warnings=tuple(warnings),
            marked=recalled.result.keywords if retrieval.highlight else (),
            facets=facets(retrieval, found) if retrieval.facets is not None else None,
            explain=explanation(retrieval, block, arranged) if retrieval.explain else None,
            parts=recall_parts(block) if retrieval.explain else {},
            arranged=arranged,
            is_moved=request.arrangement is not None and request.arrangement.moves_hits,
        )

    def _fields(self, request: SearchRequest) -> Sequence[str]:
        """Return the fields of candidates that their ranking needs."""
        if request.retrieval.is_fused or self._fuses_scores:
            return () if request.partial is None else FIELDS_OF_MODELS
        return RERANK_FIELDS

    def _of_filters(self, request: SearchRequest, recalled: Recalled) -> list[str]:
        """Return why the filters may have excluded everything, if nothing was found."""
        return filter_warnings.warnings(self._store, request.retrieval.filters) if recalled.result.total == 0 else []

    def _browse(self, request: SearchRequest) -> Browse:
        retrieval = request.retrieval
        candidates = self._recall.candidates(retrieval, fields=())
        return Browse(request, lambda first, size: self._ranker.score(retrieval, candidates.block(first, size), first))

    def _listed(self, walk: Walk) -> Page:
        """Return a page of all documents."""
        request, retrieval = walk.request, walk.request.retrieval
        browse = self._browse(request)
        stretch, shown = self._read(walk, browse, nothing(request.retrieval))
        block = browse.latest
        assert block is not None
        ranking = Ranking(
            order=browse.order,
            keys=(),
            scores=RankedScores(),
            fingerprint=browse.fingerprint,
            warnings=tuple(dict.fromkeys([*block.outcome.warnings, *self._of_filters(request, block.recalled)])),
            facets=facets(retrieval, block.recalled.result.aggs),
            explain=query_explanation(retrieval, block) if retrieval.explain else None,
            parts=recall_parts(block) if retrieval.explain else {},
        )
        return self._shown(walk, ranking, stretch, shown, browse.total)

    def _hits(self, request: SearchRequest, ranking: Ranking) -> hits.Hits:
        return hits.Hits(self._store, request, ranking)

    def _shown(
        self, walk: Walk, ranking: Ranking, stretch: Stretch, shown: Sequence[Hit], total: int | None = None
    ) -> Page:
        """Return the page of places and their hits (CUR-4)."""
        request = walk.request
        following = None
        if stretch.follows:
            position = walk.position + len(stretch.keys)
            generation, carried = walk.first_generation, request.rewritten.carried
            following = Cursor(stretch.keys[-1], position, ranking.fingerprint, generation, carried)
        return Page(
            hits=tuple(shown),
            total=ranking.total if total is None else total,
            total_is_lower_bound=ranking.is_cut,
            page=request.page if walk.cursor is None else walk.position // request.limit + 1,
            limit=request.limit,
            next_cursor=None if following is None else self._settings.codec.encode(following),
            index_changed=walk.first_generation != walk.generation,
            warnings=(*request.rewritten.warnings, *ranking.warnings),
            facets=ranking.facets,
            explain=ranking.explained(request.rewritten.explained, shown),
        )
